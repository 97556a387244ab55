//! Which networks the kernels do not compute.

/// The first layer that the kernels do not compute, and what they would.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the kernels do not compute layer {layer} ({found}); they compute {expected} there")]
pub struct Refusal {
    /// Its name.
    pub layer: String,
    /// What it is.
    pub found: String,
    /// What the kernels compute at its place.
    pub expected: &'static str,
}
