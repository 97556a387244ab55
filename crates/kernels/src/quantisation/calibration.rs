/// Ranges of the activations between layers on real positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// For each activation, the largest value worth representing, in the order of [`crate::Plan::tensors`].
    pub ranges: Vec<f32>,
}
