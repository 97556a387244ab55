//! The loss of a batch and its gradients, between passes and losses.

use super::{HeadOutputs, Parameters};
use crate::architecture::PlaneArchitecture;

/// The training objective, as a function of the head outputs. It is computed on plain slices, so it is the same for
/// all kernels.
pub trait Objective {
    /// The losses of a batch and their gradients.
    fn gradients(&self, architecture: &PlaneArchitecture, outputs: HeadOutputs<'_>) -> OutputGradients;
}

/// Losses of a batch and their gradients with respect to the outputs of the heads. Both are empty for a head
/// that the network lacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputGradients {
    /// Mean over the samples, weighted by sample weight as for the other losses.
    pub policy_loss: f32,
    /// Mean over the samples with a value target.
    pub value_loss: f32,
    /// Mean over the samples, if this loss has a weight.
    pub illegal_move_loss: Option<f32>,
    /// Gradient of the weighted sum with respect to the policy's outputs, `[boards][policy_width]`.
    pub policy: Vec<f32>,
    /// Gradient of the weighted sum with respect to the value's outputs, `[boards][outputs]`.
    pub value: Vec<f32>,
}

impl OutputGradients {
    /// The losses together with the gradients of the parameters, computed from the gradients of the outputs.
    pub(crate) fn with_parameters(self, gradients: Parameters, times: Option<PassTimes>) -> LossGradients {
        let Self { policy_loss, value_loss, illegal_move_loss, .. } = self;
        LossGradients { policy_loss, value_loss, illegal_move_loss, gradients, times }
    }
}

/// The losses of a batch, and their gradient.
#[derive(Clone, Debug)]
pub struct LossGradients {
    /// Mean over the samples, weighted by sample weight.
    pub policy_loss: f32,
    /// Mean over the samples with a value target.
    pub value_loss: f32,
    /// Mean over the samples, if this loss has a weight.
    pub illegal_move_loss: Option<f32>,
    /// Gradient of the weighted sum of the losses with respect to every parameter.
    pub gradients: Parameters,
    /// Duration of each part, if they run one after another.
    pub times: Option<PassTimes>,
}

/// Duration of the parts of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassTimes {
    /// Seconds from the batch to the network's input.
    pub encode: f64,
    /// Seconds from the network's input to the losses.
    pub forward: f64,
    /// Seconds from the losses to the gradients of the parameters.
    pub backward: f64,
}
