//! int8 quantisation: `real = (level - zero point) * scale`, for activations and weights.

mod activations;
mod weights;

pub(crate) use activations::ActivationQuantisation;
pub(crate) use weights::{QuantisedWeights, scale_weights};

/// Scale and zero point of quantised values: `real = (level - zero_point) * scale`. Has no meaning for formats that are not
/// quantised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QuantParams {
    pub(crate) scale: f32,
    pub(crate) zero_point: f32,
}

impl QuantParams {
    /// Levels that are the real values themselves.
    pub(crate) const IDENTITY: Self = Self { scale: 1.0, zero_point: 0.0 };
}

/// Ranges of the activations between layers on real positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// For each activation, the largest value worth representing, in the order of [`crate::Plan::tensors`].
    pub ranges: Vec<f32>,
}
