//! Multiply-add counts of a network.

/// Multiply-adds of one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// The nominal count: every weight of a convolution for every square.
    pub nominal: u64,
    /// The count executed in GEMMs: fewer with Winograd's algorithm and without the stem, whose products depend on the position,
    /// more with padded channels.
    pub executed: u64,
}
