use chess::encoding::Plane;
use kernels::{
    Isa, KernelError, Operations, Precision, peak,
    training::{NormStatistics, PolicyShape, PooledShape, TrainingNetwork, TrainingOutputs, TrainingShape},
};

use crate::{
    NetworkError,
    architecture::PlaneArchitecture,
    passes::{OutputGradients, Parameters, TrainingPrecision},
    planes::{
        layers::tower::{Block, PooledLayers, TowerLayers},
        on_cpu::{OnCpu, TrainingKernels},
        policy_map::POLICY_PLANES,
    },
};

/// A tower on the kernels for towers.
pub(crate) struct OnKernels {
    shape: TrainingShape,
    isa: Isa,
    precision: Precision,
    operations: Operations,
    /// The network, and the number of boards it has room for.
    network: Option<(usize, TrainingNetwork)>,
}

impl OnCpu<OnKernels> {
    /// The passes of a network that is a tower.
    pub(crate) fn tower(
        architecture: &PlaneArchitecture,
        tower: &TowerLayers,
        precision: TrainingPrecision,
    ) -> Result<Self, NetworkError> {
        let shape = shape(architecture, tower);
        let isa = Isa::chosen()?;
        let precision = precision.kernels();
        // A missing instruction set or precision is reported before the first batch.
        let network = TrainingNetwork::new(&shape, isa, precision, 1)?;
        let operations = network.operations();
        let kernels = OnKernels { shape, isa, precision, operations, network: None };
        Ok(Self { architecture: architecture.clone(), kernels })
    }
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

impl TrainingKernels for OnKernels {
    fn describe(&self) -> String {
        format!("kernels on {}, products in {}", self.isa, self.precision)
    }

    fn operations(&self) -> Option<(Operations, f64)> {
        Some((self.operations, peak::multiply_adds_per_second(self.isa, self.precision)?))
    }

    fn forward(
        &mut self,
        parameters: &Parameters,
        planes: &[Plane],
        statistics: NormStatistics<'_>,
        _noise: Option<u64>,
    ) -> Result<TrainingOutputs, KernelError> {
        let boards = planes.len() / self.shape.planes;
        if self.network.as_ref().is_none_or(|(most, _)| *most < boards) {
            let network = TrainingNetwork::new(&self.shape, self.isa, self.precision, boards)?;
            self.network = Some((boards, network));
        }
        let (_, network) = self.network.as_mut().expect("made above");
        network.forward(parameters, planes, statistics)
    }

    fn backward(
        &mut self,
        _parameters: &Parameters,
        outputs: &OutputGradients,
    ) -> Result<Parameters, KernelError> {
        let (_, network) = self.network.as_mut().expect("the forward pass has made it");
        network.backward(&outputs.policy, &outputs.value)
    }
}
