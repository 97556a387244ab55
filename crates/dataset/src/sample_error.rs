//! Errors in the bytes of a sample.

use crate::packed_position::UnpackError;

/// Bytes of a sample that are not a position, a move or a history.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// The position cannot be unpacked.
    #[error(transparent)]
    Position(#[from] UnpackError),
    /// The move is not legal in the position.
    #[error("move {bits:#06x} is not legal in its position")]
    Move {
        /// The move as [`crate::packed_move::PackedMove`] stores it.
        bits: u16,
    },
    /// The history cannot be decoded.
    #[error("history: {0}")]
    History(String),
}
