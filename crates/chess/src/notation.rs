//! Positions and moves as text: FEN, EPD, SAN and UCI moves. Every error names the text found and what was expected.

pub mod epd;
pub mod fen;
pub mod san;
pub mod uci_move;

pub use epd::{Epd, Operand, Operation};
pub use san::{parse_san, print_san};
pub use uci_move::{parse_uci_move, print_uci_move};

use crate::GameError;

/// A text that is no move or position.
#[derive(Debug, thiserror::Error)]
pub enum NotationError {
    /// The text has not the form of a SAN move.
    #[error("{found:?} is no SAN move: expected one like Nf3, exd5, R1a3, O-O or e8=Q")]
    SanForm {
        /// The text found.
        found: String,
    },
    /// No legal move is written like this.
    #[error("illegal move {found:?} in position {fen}")]
    IllegalMove {
        /// The text found.
        found: String,
        /// The position.
        fen: String,
    },
    /// More than one legal move is written like this.
    #[error("ambiguous move {found:?} in position {fen}: it may be {candidates}")]
    AmbiguousMove {
        /// The text found.
        found: String,
        /// The position.
        fen: String,
        /// The legal moves that fit, in SAN.
        candidates: String,
    },
    /// The text has not the form of a UCI move.
    #[error("{found:?} is no UCI move: expected origin, target and promotion, like e2e4, e1g1 or e7e8q")]
    UciForm {
        /// The text found.
        found: String,
    },
    /// The operations of an EPD line are malformed.
    #[error("invalid EPD at column {column}: {reason} in {epd:?}")]
    Epd {
        /// The whole line.
        epd: String,
        /// Where the fault is, counted in bytes from 1.
        column: usize,
        /// What is wrong and what was expected.
        reason: String,
    },
    /// An operand of an EPD operation does not mean what its opcode promises.
    #[error("invalid EPD operation {opcode}: found {found:?}, expected {expected}")]
    Operand {
        /// The operation.
        opcode: String,
        /// The operand found.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The position is no legal one.
    #[error(transparent)]
    Position(#[from] GameError),
}
