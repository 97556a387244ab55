//! Counting the leaves of the tree of legal moves: the standard test of move generation.

use shakmaty::{Chess, Move, Position};

use crate::played;

/// Number of legal move sequences of exactly `depth` plies.
///
/// # Examples
/// ```
/// use chess::{Chess, perft};
///
/// assert_eq!(perft(&Chess::default(), 3), 8_902);
/// ```
pub fn perft(position: &Chess, depth: u32) -> u64 {
    shakmaty::perft(position, depth)
}

/// [`perft`] below each legal move, in generation order, to compare with another program's and find the wrong move.
/// Empty at depth 0 and in finished games.
pub fn divide(position: &Chess, depth: u32) -> Vec<(Move, u64)> {
    let Some(below) = depth.checked_sub(1) else { return Vec::new() };
    position
        .legal_moves()
        .into_iter()
        .map(|chess_move| (chess_move, perft(&played(position, chess_move), below)))
        .collect()
}
