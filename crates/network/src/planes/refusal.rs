//! Networks that the kernels do not accept as towers.

/// The first layer that does not fit a tower, and the layers that towers have in its place. The kernels for towers are
/// the fastest, and the only ones with precisions other than f32. Networks that they refuse are computed layer by
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
