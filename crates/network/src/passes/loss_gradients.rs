use super::Parameters;

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
