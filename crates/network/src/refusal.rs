//! Networks that are not towers to the kernels.

/// The first layer that does not fit a tower, and the layers that towers have in its place. The kernels of towers are
/// the fastest, and the only ones with other precisions than f32; networks that they refuse are computed layer by
/// layer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a tower: layer {layer} ({found}); towers have {expected} there")]
#[allow(missing_docs, reason = "the message says what the fields hold")]
pub struct Refusal {
    pub layer: String,
    pub found: String,
    /// The layers that a tower has at this place.
    pub expected: &'static str,
}
