//! Training on the CPU with this program's own kernels.

use std::time::Instant;

use chess::encoding::Plane;
use dataset::Batch;
use kernels::{
    Isa, KernelError, Operations, Precision, peak,
    training::{
        Normalisation, PolicyShape, PooledShape, Reach, TrainingAnswer, TrainingNetwork, TrainingShape,
    },
};

use super::{Answers, LossGradients, Moments, PassTimes, Passes, Values, check, slots};
use crate::{
    NetworkError,
    architecture::{Architecture, Block, Kernel, PooledLayers},
    device::DeviceKind,
    losses::{LossConfig, policy_loss, value_loss},
    policy_map::POLICY_PLANES,
    recipe::TrainingPrecision,
    spec::{Activation, PolicyHead},
    targets::Targets,
};

/// Boards that are run together where the batch's own moments do not matter.
const CHUNK: usize = 256;

/// A network on the kernels of this machine's instruction set.
pub(crate) struct OnKernels {
    architecture: Architecture,
    isa: Isa,
    precision: Precision,
    /// Room for the largest batch so far, and how many boards that is.
    network: Option<(usize, TrainingNetwork)>,
}

impl OnKernels {
    pub(crate) fn new(
        architecture: &Architecture,
        precision: TrainingPrecision,
    ) -> Result<Self, NetworkError> {
        let isa = Isa::chosen().map_err(|error| failed(&error))?;
        let precision = precision.kernels();
        // Whether the machine has them shows before the first batch comes.
        TrainingNetwork::new(&shape(architecture), isa, precision, 1).map_err(|error| failed(&error))?;
        Ok(Self { architecture: architecture.clone(), isa, precision, network: None })
    }

    fn run(
        &mut self,
        parameters: &Values,
        planes: &[Plane],
        normalisation: Normalisation<'_>,
    ) -> Result<TrainingAnswer, NetworkError> {
        let boards = planes.len() / self.architecture.planes;
        if self.network.as_ref().is_none_or(|(room, _)| *room < boards) {
            let network = TrainingNetwork::new(&shape(&self.architecture), self.isa, self.precision, boards)
                .map_err(|error| failed(&error))?;
            self.network = Some((boards, network));
        }
        let (_, network) = self.network.as_mut().expect("made above");
        network.forward(parameters, planes, normalisation).map_err(|error| failed(&error))
    }

    /// The answers, with the logits of the legal moves taken from these places.
    fn answers_at(
        &mut self,
        slots: &[u32],
        parameters: &Values,
        moments: Moments<'_>,
        batch: &Batch,
    ) -> Result<Answers, NetworkError> {
        let width = self.architecture.policy_map.width();
        let (normalisation, chunk) = match moments {
            Moments::Batch => (Normalisation::Batch, batch.size),
            Moments::Stored(moments) => (Normalisation::Stored(moments), CHUNK),
        };
        let mut answers = Answers::default();
        for (number, planes) in batch.planes.chunks(chunk.max(1) * batch.plane_count).enumerate() {
            let answer = self.run(parameters, planes, normalisation)?;
            for (board, logits) in answer.policy.chunks_exact(width).enumerate() {
                let board = number * chunk + board;
                let moves = batch.legal_offsets[board] as usize..batch.legal_offsets[board + 1] as usize;
                answers.logits.extend(slots[moves].iter().map(|&slot| logits[slot as usize]));
            }
            answers.values.extend(answer.value);
            answers.moments = answer.moments;
        }
        Ok(answers)
    }
}

fn failed(error: &KernelError) -> NetworkError {
    NetworkError::Device { device: DeviceKind::Cpu.to_string(), reason: error.to_string() }
}

/// The architecture in the words of the kernels, which number parameters alike.
fn shape(architecture: &Architecture) -> TrainingShape {
    let spec = &architecture.spec;
    let columns = |parameter: usize| architecture.parameters[parameter].columns;
    let reach = |kernel: Kernel| match kernel {
        Kernel::Board => Reach::Board,
        Kernel::Square => Reach::Square,
    };
    let policy = match spec.policy {
        PolicyHead::Convolution { .. } | PolicyHead::Pointwise => PolicyShape::Planes {
            reach: reach(architecture.policy_first.kernel),
            channels: columns(architecture.policy_first.weight),
            planes: POLICY_PLANES,
        },
        PolicyHead::Dense { channels } => {
            PolicyShape::Dense { channels, outputs: architecture.policy_map.width() }
        }
    };
    let hidden = |block: &Block| block.excite.map(|[squeeze, _]| columns(squeeze.weight));
    let pooled = |head: &PooledLayers| PooledShape {
        channels: columns(head.first.weight),
        hidden: columns(head.hidden.weight),
        outputs: columns(head.last.weight),
    };
    TrainingShape {
        planes: architecture.planes,
        channels: spec.channels,
        activation: match spec.activation {
            Activation::Relu => kernels::Activation::Relu,
            Activation::Mish => kernels::Activation::Mish,
            Activation::Swish => kernels::Activation::Swish,
        },
        stem: reach(architecture.stem.kernel),
        blocks: architecture.blocks.iter().map(hidden).collect(),
        policy,
        value: pooled(&architecture.value),
        moves_left: architecture.moves_left.as_ref().map(pooled),
    }
}

impl Passes for OnKernels {
    fn operations(&self) -> Option<(Operations, f64)> {
        let network = TrainingNetwork::new(&shape(&self.architecture), self.isa, self.precision, 1).ok()?;
        Some((network.operations(), peak::multiply_adds_per_second(self.isa, self.precision)?))
    }

    fn describe(&self) -> String {
        format!("kernels on {}, products in {}", self.isa, self.precision)
    }

    fn answers(
        &mut self,
        parameters: &Values,
        moments: Moments<'_>,
        batch: &Batch,
    ) -> Result<Answers, NetworkError> {
        check(batch, &self.architecture)?;
        let slots = slots(batch, &self.architecture.policy_map)?;
        self.answers_at(&slots, parameters, moments, batch)
    }

    fn gradients(
        &mut self,
        parameters: &Values,
        batch: &Batch,
        losses: &LossConfig,
    ) -> Result<LossGradients, NetworkError> {
        check(batch, &self.architecture)?;
        let begin = Instant::now();
        let slots = slots(batch, &self.architecture.policy_map)?;
        let encode = begin.elapsed().as_secs_f64();
        let answers = self.answers_at(&slots, parameters, Moments::Batch, batch)?;
        let targets = Targets::new(batch, losses.label_smoothing, losses.value_target);
        let kind = self.architecture.spec.value.kind;
        let (policy_loss, logits) = policy_loss(&answers.logits, &targets.policy, &batch.legal_offsets);
        let (value_loss, mut values) = value_loss(kind, &answers.values, &targets.value);
        let map = &self.architecture.policy_map;
        let mut policy = vec![0.0; batch.size * map.width()];
        for (board, row) in policy.chunks_exact_mut(map.width()).enumerate() {
            let moves = batch.legal_offsets[board] as usize..batch.legal_offsets[board + 1] as usize;
            for (slot, gradient) in slots[moves.clone()].iter().zip(&logits[moves]) {
                row[*slot as usize] += losses.policy_weight * gradient;
            }
        }
        for gradient in &mut values {
            *gradient *= losses.value_weight;
        }
        let before = begin.elapsed().as_secs_f64();
        let (_, network) = self.network.as_mut().expect("the forward pass has made it");
        let gradients = network.backward(&policy, &values).map_err(|error| failed(&error))?;
        let backward = begin.elapsed().as_secs_f64() - before;
        let times = Some(PassTimes { encode, forward: before - encode, backward });
        Ok(LossGradients { policy_loss, value_loss, gradients, times })
    }
}
