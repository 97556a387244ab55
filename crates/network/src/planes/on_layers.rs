//! Training with any list of layers.

use chess::encoding::Plane;
use kernels::{
    Isa, KernelError, Operations, Precision,
    layers::{Operation, TrainingLayers},
    peak,
    training::{NormStatistics, TrainingOutputs},
};

use crate::{
    NetworkError,
    architecture::PlaneArchitecture,
    passes::{CHUNK, OutputGradients, Parameters},
    planes::{
        layers::{Dropout, layer_noise},
        on_cpu::{OnCpu, TrainingKernels},
    },
};

/// A network that is computed layer by layer.
pub(crate) struct OnLayers {
    isa: Isa,
    layers: TrainingLayers,
    /// For each layer, its rate if it is a dropout layer.
    rates: Vec<Option<f32>>,
    /// For policy and value, true if the network has the head.
    heads: [bool; 2],
}

impl OnCpu<OnLayers> {
    /// The passes of a network that is not a tower.
    ///
    /// # Errors
    /// [`NetworkError::Kernel`] if the machine lacks the requested instruction set.
    pub(crate) fn layers(architecture: &PlaneArchitecture) -> Result<Self, NetworkError> {
        let list = &architecture.list;
        let heads = [list.policy, list.value].map(|place| place.is_some());
        let list = list.for_kernels(list.policy.into_iter().chain(list.value).collect());
        let isa = Isa::chosen()?;
        let rate = |operation| match operation {
            Operation::Dropout { rate } => Some(rate),
            _ => None,
        };
        let rates = list.steps.iter().map(|step| rate(step.operation)).collect();
        let layers = TrainingLayers::new(&list, isa)?;
        let kernels = OnLayers { isa, layers, rates, heads };
        Ok(Self { architecture: architecture.clone(), kernels })
    }
}

impl TrainingKernels for OnLayers {
    /// Half as many as elsewhere: layers of a list may be wider than those of a tower, and the activations of all layers are in
    /// memory at once.
    const CHUNK: usize = CHUNK / 2;

    fn describe(&self) -> String {
        format!("kernels layer by layer on {}, products in f32", self.isa)
    }

    fn operations(&self) -> Option<(Operations, f64)> {
        Some((self.layers.operations(), peak::multiply_adds_per_second(self.isa, Precision::F32)?))
    }

    fn forward(
        &mut self,
        parameters: &Parameters,
        planes: &[Plane],
        statistics: NormStatistics<'_>,
        noise: Option<u64>,
    ) -> Result<TrainingOutputs, KernelError> {
        let rates = &self.rates;
        let draw = |layer: usize, count: usize| {
            let rate = rates[layer].unwrap_or_default();
            Dropout { rate }.factors(layer_noise(noise, layer).unwrap_or_default(), count)
        };
        let factors = noise.is_some().then_some(&draw as kernels::layers::Factors<'_>);
        let mut outputs = self.layers.forward(parameters, planes, statistics, factors)?.into_iter();
        let [policy, value] = self.heads.map(|has| has.then(|| outputs.next()).flatten().unwrap_or_default());
        Ok(TrainingOutputs { policy, value, statistics: self.layers.statistics().to_vec() })
    }

    fn backward(
        &mut self,
        parameters: &Parameters,
        outputs: &OutputGradients,
    ) -> Result<Parameters, KernelError> {
        let gradients = self.heads.into_iter().zip([&outputs.policy[..], &outputs.value[..]]);
        let gradients: Vec<&[f32]> =
            gradients.filter_map(|(has, gradient)| has.then_some(gradient)).collect();
        self.layers.backward(parameters, &gradients)
    }

    fn give_back(&mut self, gradients: Parameters) {
        self.layers.give_back(gradients);
    }
}
