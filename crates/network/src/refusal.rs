//! Networks that are not towers to the kernels.

/// The first layer that no tower has at its place, and what towers have there. The kernels of towers are the fastest, and the only ones
/// with other precisions than f32; what they refuse is computed layer by layer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a tower: layer {layer} ({found}); towers have {expected} there")]
pub struct Refusal {
    /// Name of the layer.
    pub layer: String,
    /// Description of the layer.
    pub found: String,
    /// The layers that a tower has at this place.
    pub expected: &'static str,
}
