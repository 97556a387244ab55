//! The steps of pieces in the order of lczero-training's `tf/lc0_az_policy_map.py`, by which policies of planes are laid out.

use shakmaty::Square;

/// Files and ranks of the queen's directions, clockwise from the opponent's side.
pub const QUEEN_DIRECTIONS: [(i32, i32); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// Files and ranks of the knight's steps, clockwise as well.
pub const KNIGHT_STEPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The square some files and ranks away from another; `None` beyond the edge.
pub fn step_from(from: Square, files: i32, ranks: i32) -> Option<Square> {
    Some(Square::from_coords(from.file().offset(files)?, from.rank().offset(ranks)?))
}
