//! The root moves that a search considers.

use chess::{Game, Limits, Move, SearchError};

/// The root moves that the limits allow, in generation order.
pub(crate) fn candidates(game: &Game, limits: &Limits) -> Result<Vec<Move>, SearchError> {
    let wanted = &limits.search_moves;
    let chosen: Vec<Move> = game
        .legal_moves()
        .iter()
        .copied()
        .filter(|chess_move| wanted.is_empty() || wanted.contains(chess_move))
        .collect();
    if chosen.is_empty() {
        return Err(SearchError::NoLegalMove { fen: game.fen() });
    }
    Ok(chosen)
}
