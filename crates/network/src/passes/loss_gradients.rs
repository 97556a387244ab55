use super::Parameters;

/// The losses of a batch and their gradient.
#[derive(Clone, Debug)]
pub struct LossGradients {
    /// Mean over the samples by their weights.
    pub policy_loss: f32,
    /// Mean over the samples with a value target.
    pub value_loss: f32,
    /// Mean over the samples, if it has a weight.
    pub illegal_move_loss: Option<f32>,
    /// Gradient of the losses' weighted sum with respect to every parameter.
    pub gradients: Parameters,
    /// Duration of each part, if the device works on one after another.
    pub times: Option<PassTimes>,
}

/// Seconds of the parts of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassTimes {
    /// Seconds from the batch to the network's input.
    pub encode: f64,
    /// Seconds from the network's input to the losses.
    pub forward: f64,
    /// Seconds from the losses to the gradients of the parameters.
    pub backward: f64,
}
