//! What can be wrong with the bytes of a sample.

use crate::packed_position::UnpackError;

/// Why the bytes of a sample cannot be a position, a move or a history.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// The position.
    #[error(transparent)]
    Position(#[from] UnpackError),
    /// A move.
    #[error("move {bits:#06x} is not legal in its position")]
    Move {
        /// The stored bits.
        bits: u16,
    },
    /// The history.
    #[error("history: {0}")]
    History(String),
}
