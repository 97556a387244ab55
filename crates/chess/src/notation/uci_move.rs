//! Moves in the notation of the UCI protocol: origin, target, promotion.

use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, fen::Fen, uci::UciMove};

use super::error::NotationError;

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
