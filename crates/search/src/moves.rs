//! Moves by what they win, and positions after them: what searches that count material share.

use chess::{Chess, Move, Position, evaluator::piece_value};

/// What the king counts as an attacker: more than any other piece, so that it captures last.
const KING: i32 = 10;

/// The position after a legal move.
pub(crate) fn played(position: &Chess, chess_move: Move) -> Chess {
    let mut after = position.clone();
    after.play_unchecked(chess_move);
    after
}

/// The place of the first of the legal `moves` that mates.
pub(crate) fn mating_move(position: &Chess, moves: &[Move]) -> Option<usize> {
    moves.iter().position(|&chess_move| played(position, chess_move).is_checkmate())
}

/// Whether a move neither captures nor promotes.
pub(crate) fn is_quiet(chess_move: Move) -> bool {
    !chess_move.is_capture() && !chess_move.is_promotion()
}

/// Pawns that a move takes from the opponent or adds to the own side.
pub(crate) fn prize(chess_move: Move) -> i32 {
    chess_move.capture().map_or(0, piece_value)
        + chess_move.promotion().map_or(0, |role| piece_value(role) - piece_value(chess::Role::Pawn))
}

/// How promising a capture or promotion is: the most valuable victim first, then the least valuable attacker; 0 for quiet moves.
pub(crate) fn promise(chess_move: Move) -> i32 {
    let attacker = match chess_move.role() {
        chess::Role::King => KING,
        role => piece_value(role),
    };
    let victim = chess_move.capture().map_or(0, |victim| 10 * piece_value(victim) + 10 - attacker);
    victim + chess_move.promotion().map_or(0, |role| 10 * piece_value(role))
}

/// Sorts moves: the remembered one first, then captures and promotions by what they win, then the rest.
pub(crate) fn order(moves: &mut [Move], remembered: Option<Move>) {
    moves.sort_by_key(|&chess_move| (remembered != Some(chess_move), -promise(chess_move)));
}
