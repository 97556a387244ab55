use std::mem::take;

use burn::tensor::Tensor;
use dataset::Batch;
use kernels::training::TrainingOutputs;

use super::{
    forward::{HeadTensors, Mode, forward},
    inputs,
};
use crate::{
    NetworkError,
    architecture::PlaneArchitecture,
    device::BurnDevice,
    parameter::ParameterShape,
    passes::{
        CHUNK, HeadOutputs, LossGradients, NormStatistics, Objective, Outputs, Parameters, Passes, check,
        forward_in_chunks, slots,
    },
};

/// A network on a Burn device.
pub(crate) struct OnBurn {
    architecture: PlaneArchitecture,
    device: BurnDevice,
}

impl OnBurn {
    /// The passes of a network on a device.
    pub(crate) fn new(architecture: &PlaneArchitecture, device: &BurnDevice) -> Self {
        Self { architecture: architecture.clone(), device: device.clone() }
    }

    fn parameters(&self, values: &Parameters) -> Vec<Tensor<2>> {
        let shapes = self.architecture.list.parameters.iter();
        let tensor = |(shape, values): (&ParameterShape, &Vec<f32>)| {
            self.device.matrix(values.clone(), [shape.rows, shape.columns])
        };
        shapes.zip(values).map(tensor).collect()
    }

    fn statistics(&self, values: &[Vec<f32>]) -> Vec<Tensor<2>> {
        values.iter().map(|values| self.device.matrix(values.clone(), [2, values.len() / 2])).collect()
    }
}

/// Copies tensors from their device.
fn to_vecs(tensors: Vec<Tensor<2>>) -> Result<Vec<Vec<f32>>, NetworkError> {
    tensors.into_iter().map(to_vec).collect()
}

fn to_vec(tensor: Tensor<2>) -> Result<Vec<f32>, NetworkError> {
    super::to_vec(tensor).map_err(NetworkError::Pass)
}

/// The outputs of a head; empty for a head that the network lacks.
fn head(output: Option<&Tensor<2>>) -> Result<Vec<f32>, NetworkError> {
    output.cloned().map_or(Ok(Vec::new()), to_vec)
}

impl Passes for OnBurn {
    fn describe(&self) -> String {
        format!("Burn on {}, f32", self.device.kind())
    }

    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        let Self { architecture, device } = &*self;
        let parameters = self.parameters(parameters);
        let mode = match statistics {
            NormStatistics::Batch => Mode::Batch { noise: None },
            NormStatistics::Stored(statistics) => Mode::Stored(self.statistics(statistics)),
        };
        forward_in_chunks(architecture, statistics, CHUNK, batch, |planes| {
            let planes = inputs::inputs(planes, &architecture.list, device);
            let HeadTensors { policy, value, statistics, .. } =
                forward(architecture, &parameters, &mode, planes, device);
            let statistics = to_vecs(statistics)?;
            Ok(TrainingOutputs { policy: head(policy.as_ref())?, value: head(value.as_ref())?, statistics })
        })
    }

    fn gradients(
        &mut self,
        parameters: &Parameters,
        batch: &Batch,
        objective: &dyn Objective,
        noise: u64,
    ) -> Result<LossGradients, NetworkError> {
        check(batch, &self.architecture)?;
        let Self { architecture, device } = &*self;
        let slots = slots(batch, &architecture.policy_map)?;
        let planes = inputs::inputs(&batch.planes, &architecture.list, device);
        let leaves: Vec<Tensor<2>> =
            self.parameters(parameters).into_iter().map(|tensor| tensor.autodiff().require_grad()).collect();
        let planes = planes.into_iter().map(Tensor::autodiff).collect();
        let mode = Mode::Batch { noise: Some(noise) };
        let HeadTensors { policy, value, .. } = forward(architecture, &leaves, &mode, planes, device);
        let outputs = [head(policy.as_ref())?, head(value.as_ref())?];
        let outputs = HeadOutputs { policy: &outputs[0], value: &outputs[1], batch, slots: &slots };
        let mut found = objective.gradients(architecture, outputs);
        // The losses are computed on plain slices, as for the kernels. The sum of the outputs times their gradients has
        // the same gradient as the losses with respect to everything before the outputs.
        let heads = [(policy, take(&mut found.policy)), (value, take(&mut found.value))];
        let products = heads.into_iter().filter_map(|(output, gradient)| {
            let output = output?;
            let shape = output.dims();
            Some((output * device.matrix(gradient, shape)).sum())
        });
        let total = products.reduce(|first, second| first + second);
        let total = total.ok_or_else(|| NetworkError::Pass("the network has no head".into()))?;
        let mut gradients = total.backward();
        let gradients = leaves
            .iter()
            .map(|leaf| leaf.grad_remove(&mut gradients).unwrap_or_else(|| leaf.clone().inner().zeros_like()))
            .collect();
        Ok(found.with_parameters(to_vecs(gradients)?, None))
    }
}
