//! How much a network multiplies.

/// Multiply-adds of one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// As the definition of the layers has them: every weight of a convolution for every square.
    pub nominal: u64,
    /// Those in matrix products, as they are carried out: fewer with Winograd's algorithm and without the stem, whose
    /// products depend on the position; more where channels are padded.
    pub executed: u64,
}
