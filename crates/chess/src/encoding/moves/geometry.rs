//! The two squares of a move in the mover's view, shared by all move encodings, and the steps of pieces.

use shakmaty::{CastlingSide, Chess, Color, File, Move, Position, Square};

/// Origin and target (0 = a1 .. 63 = h8) of a move in the mover's view, castling as king-takes-rook.
pub(super) fn king_takes_rook_squares(position: &Chess, chess_move: Move) -> (usize, usize) {
    let from = chess_move.from().expect("chess without drops: every move has an origin");
    in_mover_view(position, from, chess_move.to())
}

/// Like [`king_takes_rook_squares`], but in White's view and with castling as in [`king_step_squares`].
pub(super) fn king_step_on_board(position: &Chess, chess_move: Move) -> (usize, usize) {
    let (from, to) = king_step_squares(position, chess_move);
    let mirror = mirror(position);
    (from ^ mirror, to ^ mirror)
}

/// Like [`king_takes_rook_squares`], but castling from the orthodox squares is the king's two-square step (`e1g1`), as
/// in UCI.
///
/// Castling from other squares (Chess960) stays king-takes-rook, because the king's step, such as f1g1, may also be a
/// legal king move. A two-square step never is.
pub(super) fn king_step_squares(position: &Chess, chess_move: Move) -> (usize, usize) {
    if let Move::Castle { king, rook } = chess_move {
        let orthodox_rook = if king < rook { File::H } else { File::A };
        if king.file() == File::E && rook.file() == orthodox_rook {
            let side = CastlingSide::from_king_side(king < rook);
            return in_mover_view(position, king, side.king_to(position.turn()));
        }
    }
    king_takes_rook_squares(position, chess_move)
}

/// True if a queen or a knight can go from one square to the other on an empty board: the pairs that legal moves use.
pub(super) fn is_queen_or_knight_step(from: usize, to: usize) -> bool {
    let files = (from % 8).abs_diff(to % 8);
    let ranks = (from / 8).abs_diff(to / 8);
    match (files, ranks) {
        (0, 0) => false,
        (0, _) | (_, 0) | (1, 2) | (2, 1) => true,
        _ => files == ranks,
    }
}

/// XOR mask that mirrors a square to the mover's view by flipping its rank bits.
fn mirror(position: &Chess) -> usize {
    if position.turn() == Color::Black { 0b111_000 } else { 0 }
}

fn in_mover_view(position: &Chess, from: Square, to: Square) -> (usize, usize) {
    let mirror = mirror(position);
    (usize::from(from) ^ mirror, usize::from(to) ^ mirror)
}

/// Files and ranks of the queen's directions, clockwise from the opponent's side: the order of lczero-training's
/// `tf/lc0_az_policy_map.py`, by which policies of planes are laid out.
pub const QUEEN_DIRECTIONS: [(i32, i32); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// Files and ranks of the knight's steps, clockwise as well.
pub const KNIGHT_STEPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The square some files and ranks away from another; `None` beyond the edge.
pub fn step_from(from: Square, files: i32, ranks: i32) -> Option<Square> {
    Some(Square::from_coords(from.file().offset(files)?, from.rank().offset(ranks)?))
}
