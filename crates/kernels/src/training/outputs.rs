//! The outputs of a forward pass.

/// The outputs of a forward pass.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingOutputs {
    /// `[boards][policy_width]`, before softmax.
    pub policy: Vec<f32>,
    /// `[boards][outputs]`, before softmax or tanh.
    pub value: Vec<f32>,
    /// The mean and variance used by every normalisation, `[2][channels]`.
    pub statistics: Vec<Vec<f32>>,
}
