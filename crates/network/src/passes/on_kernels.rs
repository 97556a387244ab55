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
    losses::{LossConfig, PolicyLogits, illegal_move_loss, legal_log_probability, policy_loss, value_loss},
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
    /// The policy head's outputs that stand for moves.
    moves: Vec<u32>,
    /// For batches up to this many boards.
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
        let moves = architecture.policy_map.slots().collect();
        Ok(Self { architecture: architecture.clone(), isa, precision, moves, network: None })
    }

    fn run(
        &mut self,
        parameters: &Values,
        planes: &[Plane],
        normalisation: Normalisation<'_>,
    ) -> Result<TrainingAnswer, NetworkError> {
        let boards = planes.len() / self.architecture.planes;
        if self.network.as_ref().is_none_or(|(most, _)| *most < boards) {
            let network = TrainingNetwork::new(&shape(&self.architecture), self.isa, self.precision, boards)
                .map_err(|error| failed(&error))?;
            self.network = Some((boards, network));
        }
        let (_, network) = self.network.as_mut().expect("made above");
        network.forward(parameters, planes, normalisation).map_err(|error| failed(&error))
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
        let width = self.architecture.policy_map.width();
        let (normalisation, chunk) = match moments {
            Moments::Batch => (Normalisation::Batch, batch.size),
            Moments::Stored(moments) => (Normalisation::Stored(moments), CHUNK),
        };
        let mut answers = Answers::default();
        let mut boards = batch.legal_offsets.windows(2);
        for planes in batch.planes.chunks(chunk.max(1) * batch.plane_count) {
            let answer = self.run(parameters, planes, normalisation)?;
            for (logits, moves) in answer.policy.chunks_exact(width).zip(&mut boards) {
                let legal = &slots[moves[0] as usize..moves[1] as usize];
                answers.logits.extend(legal.iter().map(|&slot| logits[slot as usize]));
                answers.legal.push(legal_log_probability(logits, &self.moves, legal));
            }
            answers.values.extend(answer.value);
            answers.moments = answer.moments;
        }
        Ok(answers)
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
        let found = {
            let answer = self.run(parameters, &batch.planes, Normalisation::Batch)?;
            self.losses(&answer, &slots, batch, losses)
        };
        let before = begin.elapsed().as_secs_f64();
        let (_, network) = self.network.as_mut().expect("the forward pass has made it");
        let gradients = network.backward(&found.policy, &found.value).map_err(|error| failed(&error))?;
        let backward = begin.elapsed().as_secs_f64() - before;
        let OutputGradients { policy_loss, value_loss, illegal_move_loss, .. } = found;
        let times = Some(PassTimes { encode, forward: before - encode, backward });
        Ok(LossGradients { policy_loss, value_loss, illegal_move_loss, gradients, times })
    }
}

/// The losses of a batch and their gradients with respect to the heads' outputs.
struct OutputGradients {
    policy_loss: f32,
    value_loss: f32,
    illegal_move_loss: Option<f32>,
    /// `[boards][width]`.
    policy: Vec<f32>,
    /// `[boards][outputs]`.
    value: Vec<f32>,
}

impl OnKernels {
    fn losses(
        &self,
        answer: &TrainingAnswer,
        slots: &[u32],
        batch: &Batch,
        losses: &LossConfig,
    ) -> OutputGradients {
        let targets = Targets::new(batch, losses.label_smoothing, losses.value_target);
        let (width, offsets) = (self.architecture.policy_map.width(), &batch.legal_offsets[..]);
        let rows = || answer.policy.chunks_exact(width).zip(offsets.windows(2));
        let legal = |(row, moves): (&[f32], &[u32])| -> Vec<f32> {
            slots[moves[0] as usize..moves[1] as usize].iter().map(|&slot| row[slot as usize]).collect()
        };
        let logits: Vec<f32> = rows().flat_map(legal).collect();
        let (policy_loss, gradients) = policy_loss(&logits, &targets.policy, offsets);
        let mut policy = vec![0.0; answer.policy.len()];
        for (row, moves) in policy.chunks_exact_mut(width).zip(offsets.windows(2)) {
            let moves = moves[0] as usize..moves[1] as usize;
            for (slot, gradient) in slots[moves.clone()].iter().zip(&gradients[moves]) {
                row[*slot as usize] += losses.policy_weight * gradient;
            }
        }
        let illegal_move_loss = (losses.illegal_move_weight > 0.0).then(|| {
            let weight = losses.policy_weight * losses.illegal_move_weight;
            let logits =
                PolicyLogits { logits: &answer.policy, width, moves: &self.moves, legal: slots, offsets };
            illegal_move_loss(logits, weight, &mut policy)
        });
        let kind = self.architecture.spec.value.kind;
        let (value_loss, mut value) = value_loss(kind, losses.of_value(kind), &answer.value, &targets.value);
        for gradient in &mut value {
            *gradient *= losses.value_weight;
        }
        OutputGradients { policy_loss, value_loss, illegal_move_loss, policy, value }
    }
}
