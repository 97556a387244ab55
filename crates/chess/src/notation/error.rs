//! Errors of reading moves and positions.

use crate::GameError;

/// A text that is not a move or position.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum NotationError {
    #[error("{found:?} is not a SAN move: expected one like Nf3, exd5, R1a3, O-O or e8=Q")]
    SanForm { found: String },
    #[error("illegal move {found:?} in position {fen}")]
    IllegalMove { found: String, fen: String },
    #[error("ambiguous move {found:?} in position {fen}: it may be {candidates}")]
    AmbiguousMove { found: String, fen: String, candidates: String },
    #[error("{found:?} is not a UCI move: expected origin, target and promotion, like e2e4, e1g1 or e7e8q")]
    UciForm { found: String },
    #[error("invalid EPD at column {column}: {reason} in {epd:?}")]
    Epd {
        epd: String,
        /// Column of the fault in bytes, from 1.
        column: usize,
        reason: String,
    },
    #[error("invalid EPD operation {opcode}: found {found:?}, expected {expected}")]
    Operand { opcode: String, found: String, expected: &'static str },
    /// The position is illegal or its FEN is malformed.
    #[error(transparent)]
    Position(#[from] GameError),
}
