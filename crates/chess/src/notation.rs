//! Positions and moves as text: FEN, SAN and UCI moves. Every error names the text found and what was expected.

pub mod fen;
pub mod san;

use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, fen::Fen, uci::UciMove};

use crate::GameError;

pub use san::{legal_san, parse_san, print_san, read_san};

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

/// Reads a UCI move. Castling may be the king's step (`e1g1`) or king-takes-rook (`e1h1`), in orthodox chess and
/// Chess960, because engines and files mix both.
///
/// # Errors
/// [`NotationError::UciForm`] or [`NotationError::IllegalMove`].
pub fn parse_uci_move(position: &Chess, text: &str) -> Result<Move, NotationError> {
    let uci: UciMove = text.trim().parse().map_err(|_| NotationError::UciForm { found: text.into() })?;
    uci.to_move(position).map_err(|_| NotationError::IllegalMove {
        found: text.into(),
        fen: Fen::from_position(position, EnPassantMode::Legal).to_string(),
    })
}

/// Writes a move in UCI notation: castling as the king's step in orthodox chess, king-takes-rook in Chess960.
pub fn print_uci_move(chess_move: Move, castling_mode: CastlingMode) -> String {
    chess_move.to_uci(castling_mode).to_string()
}
