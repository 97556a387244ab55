//! Training on the CPU with this program's own kernels.

use std::time::Instant;

use chess::encoding::Plane;
use dataset::Batch;
use kernels::{
    Isa, KernelError, Operations, Precision, peak,
    training::{NormStatistics, PolicyShape, PooledShape, TrainingNetwork, TrainingOutputs, TrainingShape},
};

use super::{
    HeadOutputs, LossGradients, NormStatistics, Objective, OutputGradients, Outputs, Parameters, PassTimes,
    Passes, TrainingPrecision, check, of_boards, slots,
};
use crate::{
    NetworkError,
    architecture::PlaneArchitecture,
    device::DeviceKind,
    layers::tower::{Block, PooledLayers, TowerLayers},
    policy_map::POLICY_PLANES,
};

/// Boards that are run together where the batch's own statistics do not matter.
const CHUNK: usize = 256;

/// A network on the kernels of this machine's instruction set.
pub(crate) struct OnKernels {
    architecture: PlaneArchitecture,
    shape: TrainingShape,
    isa: Isa,
    precision: Precision,
    /// The policy head's outputs that belong to moves.
    moves: Vec<u32>,
    /// For batches up to this many boards.
    network: Option<(usize, TrainingNetwork)>,
}

impl OnKernels {
    /// The passes of a network that is a tower.
    pub(crate) fn new(
        architecture: &PlaneArchitecture,
        tower: &TowerLayers,
        precision: TrainingPrecision,
    ) -> Result<Self, NetworkError> {
        let shape = shape(architecture, tower);
        let isa = Isa::chosen().map_err(|error| failed(&error))?;
        let precision = precision.kernels();
        // Whether the machine has them shows before the first batch comes.
        TrainingNetwork::new(&shape, isa, precision, 1).map_err(|error| failed(&error))?;
        let moves = architecture.policy_map.slots().collect();
        Ok(Self { architecture: architecture.clone(), shape, isa, precision, moves, network: None })
    }

    fn run(
        &mut self,
        parameters: &Parameters,
        planes: &[Plane],
        normalisation: NormStatistics<'_>,
    ) -> Result<TrainingOutputs, NetworkError> {
        let boards = planes.len() / self.architecture.planes;
        if self.network.as_ref().is_none_or(|(most, _)| *most < boards) {
            let network = TrainingNetwork::new(&self.shape, self.isa, self.precision, boards)
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

/// The tower as the kernels describe it, with the same numbering of parameters.
fn shape(architecture: &PlaneArchitecture, tower: &TowerLayers) -> TrainingShape {
    let columns = |parameter: usize| architecture.list.parameters[parameter].columns;
    let channels = columns(tower.policy_first.weight);
    let policy = if tower.dense_policy {
        PolicyShape::Dense { channels, outputs: architecture.policy_map.width() }
    } else {
        PolicyShape::Planes { kernel_size: tower.policy_first.kernel, channels, planes: POLICY_PLANES }
    };
    let hidden = |block: &Block| block.excite.map(|[squeeze, _]| columns(squeeze.weight));
    let pooled = |head: &PooledLayers| PooledShape {
        channels: columns(head.first.weight),
        hidden: columns(head.hidden.weight),
        outputs: columns(head.last.weight),
    };
    TrainingShape {
        planes: architecture.planes,
        channels: tower.channels,
        activation: tower.activation,
        stem: tower.stem.kernel,
        blocks: tower.blocks.iter().map(hidden).collect(),
        policy,
        value: pooled(&tower.value),
        moves_left: tower.moves_left.as_ref().map(pooled),
    }
}

impl Passes for OnKernels {
    fn operations(&self) -> Option<(Operations, f64)> {
        let network = TrainingNetwork::new(&self.shape, self.isa, self.precision, 1).ok()?;
        Some((network.operations(), peak::multiply_adds_per_second(self.isa, self.precision)?))
    }

    fn describe(&self) -> String {
        format!("kernels on {}, products in {}", self.isa, self.precision)
    }

    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        check(batch, &self.architecture)?;
        let slots = slots(batch, &self.architecture.policy_map)?;
        let width = self.architecture.policy_map.width();
        let chunk = match statistics {
            NormStatistics::Batch => batch.size,
            NormStatistics::Stored(_) => CHUNK,
        };
        let mut outputs = Outputs::default();
        let mut legal = of_boards(batch, &slots);
        for planes in batch.planes.chunks(chunk.max(1) * batch.plane_count) {
            let answer = self.run(parameters, planes, statistics)?;
            outputs.add_policy(&answer.policy, width, &self.moves, legal.by_ref());
            outputs.values.extend(answer.value);
            outputs.statistics = answer.statistics;
        }
        Ok(outputs)
    }

    fn gradients(
        &mut self,
        parameters: &Parameters,
        batch: &Batch,
        objective: &dyn Objective,
        _noise: u64,
    ) -> Result<LossGradients, NetworkError> {
        check(batch, &self.architecture)?;
        let begin = Instant::now();
        let slots = slots(batch, &self.architecture.policy_map)?;
        let encode = begin.elapsed().as_secs_f64();
        let found = {
            let answer = self.run(parameters, &batch.planes, NormStatistics::Batch)?;
            let (policy, value) = (&answer.policy, &answer.value);
            objective.gradients(&self.architecture, HeadOutputs { policy, value, batch, slots: &slots })
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
