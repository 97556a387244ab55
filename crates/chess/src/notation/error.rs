//! Errors of reading moves and positions.

use crate::GameError;

/// A text that is not a move or position.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum NotationError {
    /// The text does not have the form of a SAN move.
    #[error("{found:?} is not a SAN move: expected one like Nf3, exd5, R1a3, O-O or e8=Q")]
    SanForm { found: String },
    /// The notation matches no legal move.
    #[error("illegal move {found:?} in position {fen}")]
    IllegalMove { found: String, fen: String },
    /// The notation matches more than one legal move.
    #[error("ambiguous move {found:?} in position {fen}: it may be {candidates}")]
    AmbiguousMove {
        found: String,
        fen: String,
        /// The legal moves that it matches, in SAN.
        candidates: String,
    },
    /// The text does not have the form of a UCI move.
    #[error("{found:?} is not a UCI move: expected origin, target and promotion, like e2e4, e1g1 or e7e8q")]
    UciForm { found: String },
    /// The operations of an EPD line are malformed.
    #[error("invalid EPD at column {column}: {reason} in {epd:?}")]
    Epd {
        epd: String,
        /// Column of the fault in bytes, from 1.
        column: usize,
        /// The problem and the expectation.
        reason: String,
    },
    /// An operand of an EPD operation has the wrong type for its opcode.
    #[error("invalid EPD operation {opcode}: found {found:?}, expected {expected}")]
    Operand {
        /// The opcode, such as `ce`.
        opcode: String,
        found: String,
        /// The type of operand that the opcode needs.
        expected: &'static str,
    },
    /// The position is illegal or its FEN is malformed.
    #[error(transparent)]
    Position(#[from] GameError),
}
