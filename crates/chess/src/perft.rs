//! Counting the leaves of the tree of legal moves: the standard proof that moves are generated right.

use shakmaty::{Chess, Move, Position};

/// Number of move sequences of exactly `depth` half-moves.
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

/// [`perft`] for each legal move, in generation order: comparing these with another program's finds a wrong move. Empty
/// at depth 0 and in finished games.
pub fn divide(position: &Chess, depth: u32) -> Vec<(Move, u64)> {
    let Some(below) = depth.checked_sub(1) else { return Vec::new() };
    position
        .legal_moves()
        .into_iter()
        .map(|chess_move| {
            let mut child = position.clone();
            child.play_unchecked(chess_move);
            (chess_move, perft(&child, below))
        })
        .collect()
}
