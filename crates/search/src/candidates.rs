//! The root moves that a search considers.

use chess::{Game, Limits, Move, SearchError, Tablebases};

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

/// The wanted moves that are best by the tablebases; `None` if the position is not covered.
pub(crate) fn known_best(tables: &Tablebases, game: &Game, wanted: &[Move]) -> Option<Vec<Move>> {
    let best = tables.best_moves(game)?;
    let kept: Vec<Move> = wanted.iter().copied().filter(|chess_move| best.contains(chess_move)).collect();
    (!kept.is_empty()).then_some(kept)
}
