//! The captures that a quiescence search looks at, and the order in which searches try them.

use shakmaty::{Chess, Move, MoveList, Position as _, Rank, Role};

use crate::evaluator::piece_value;

/// The moves of a quiescence search: captures, and promotions only to a queen.
pub fn captures(position: &Chess) -> MoveList {
    let mut moves = position.capture_moves();
    if position.our(Role::Pawn).intersects(position.turn().relative_rank(Rank::Seventh)) {
        moves.extend(position.promotion_moves().into_iter().filter(|chess_move| !chess_move.is_capture()));
        moves.retain(|chess_move| chess_move.promotion().is_none_or(|role| role == Role::Queen));
    }
    moves
}

/// Ordering score of a capture or promotion: most valuable victim first, then least valuable attacker
/// ([MVV-LVA](https://www.chessprogramming.org/MVV-LVA)); 0 for quiet moves.
pub fn mvv_lva(chess_move: Move) -> i32 {
    // A king captures last: its loss would cost more than any other piece's.
    let attacker = match chess_move.role() {
        Role::King => 10,
        role => piece_value(role),
    };
    let victim = chess_move.capture().map_or(0, |victim| 10 * piece_value(victim) + 10 - attacker);
    victim + chess_move.promotion().map_or(0, |role| 10 * piece_value(role))
}
