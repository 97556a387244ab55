//! Training with Burn.

use burn::tensor::Tensor;
use dataset::Batch;

use super::{
    forward::{Mode, forward},
    inputs::Inputs,
    losses::Losses,
};
use crate::{
    NetworkError,
    architecture::Architecture,
    device::Device,
    losses::LossConfig,
    passes::{Answers, LossGradients, Moments, Passes, Values, check},
};

/// A network on a device of Burn.
pub(crate) struct OnBurn {
    architecture: Architecture,
    device: Device,
}

impl OnBurn {
    pub(crate) fn new(architecture: &Architecture, device: &Device) -> Self {
        Self { architecture: architecture.clone(), device: device.clone() }
    }

    fn parameters(&self, values: &Values) -> Vec<Tensor<2>> {
        let shapes = self.architecture.parameters.iter();
        let tensor = |(shape, values): (&crate::architecture::ParameterShape, &Vec<f32>)| {
            self.device.matrix(values.clone(), [shape.rows, shape.columns])
        };
        shapes.zip(values).map(tensor).collect()
    }

    fn statistics(&self, values: &Values) -> Vec<Tensor<2>> {
        values.iter().map(|values| self.device.matrix(values.clone(), [2, values.len() / 2])).collect()
    }
}

/// Copies tensors off their device.
fn to_values(tensors: Vec<Tensor<2>>) -> Result<Values, NetworkError> {
    tensors.into_iter().map(to_vec).collect()
}

fn to_vec(tensor: Tensor<2>) -> Result<Vec<f32>, NetworkError> {
    super::to_vec(tensor).map_err(NetworkError::Training)
}

fn scalar(tensor: Tensor<1>) -> Result<f32, NetworkError> {
    tensor
        .try_into_scalar()
        .map_err(|error| NetworkError::Training(format!("the device gave no number: {error}")))
}

impl Passes for OnBurn {
    fn describe(&self) -> String {
        format!("Burn on {}, f32", self.device.kind())
    }

    fn answers(
        &mut self,
        parameters: &Values,
        moments: Moments<'_>,
        batch: &Batch,
    ) -> Result<Answers, NetworkError> {
        check(batch, &self.architecture)?;
        let Self { architecture, device, .. } = &*self;
        let inputs = Inputs::new(batch, architecture, device)?;
        let parameters = self.parameters(parameters);
        let stored = match moments {
            Moments::Batch => None,
            Moments::Stored(moments) => Some(self.statistics(moments)),
        };
        let mode = stored.as_deref().map_or(Mode::Batch, Mode::Stored);
        let outputs = forward(architecture, &parameters, mode, inputs.planes);
        let padded = to_vec(inputs.legal.gather(outputs.policy))?;
        let rows = padded.chunks_exact(inputs.legal.width).zip(batch.legal_offsets.windows(2));
        let logits = rows.flat_map(|(row, pair)| &row[..(pair[1] - pair[0]) as usize]).copied().collect();
        let used = if let Moments::Stored(moments) = moments {
            moments.clone()
        } else {
            to_values(outputs.moments)?
        };
        Ok(Answers { logits, values: to_vec(outputs.value)?, legal: Vec::new(), moments: used })
    }

    fn gradients(
        &mut self,
        parameters: &Values,
        batch: &Batch,
        losses: &LossConfig,
    ) -> Result<LossGradients, NetworkError> {
        check(batch, &self.architecture)?;
        let Self { architecture, device, .. } = &*self;
        let usual = LossConfig { value_loss: None, ..*losses }.of_value(architecture.spec.value.kind);
        if losses.illegal_move_weight > 0.0 || losses.of_value(architecture.spec.value.kind) != usual {
            let reason = "trains with masked illegal moves and the value head's own loss only; losses.illegal_move_weight and \
                          losses.value_loss are for --device cpu";
            return Err(NetworkError::Device { device: device.kind().to_string(), reason: reason.into() });
        }
        let inputs = Inputs::new(batch, architecture, device)?;
        let leaves: Vec<Tensor<2>> =
            self.parameters(parameters).into_iter().map(|tensor| tensor.autodiff().require_grad()).collect();
        let planes = inputs.planes.autodiff();
        let outputs = forward(architecture, &leaves, Mode::Batch, planes);
        let losses = Losses::new(outputs, &inputs.legal, batch, losses, device);
        let mut gradients = losses.total.backward();
        let gradients = leaves
            .iter()
            .map(|leaf| leaf.grad_remove(&mut gradients).unwrap_or_else(|| leaf.clone().inner().zeros_like()))
            .collect();
        Ok(LossGradients {
            policy_loss: scalar(losses.policy)?,
            value_loss: scalar(losses.value)?,
            illegal_move_loss: None,
            gradients: to_values(gradients)?,
            times: None,
        })
    }
}
