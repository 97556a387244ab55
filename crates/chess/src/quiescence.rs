//! Quiescence search: captures are played on until the position is quiet, so that a static value, which counts pieces as they
//! stand, can be trusted.

use shakmaty::{Chess, Position as _};

use crate::{
    exchange::{Exchanges, captures, mvv_lva},
    played,
};

/// The value of a mate on the board; one half-move earlier it is one unit less. Static values lie far within it:
/// evaluators clamp theirs to 20,000, so that a value near this one is a mate's.
pub const MATE: i32 = 31_000;

/// Values of positions as they stand, along a line of moves.
pub trait StaticValues {
    /// Called before anything else is asked of the position `after` a move, which lies `ply` half-moves below the first one. Does
    /// nothing by default; accumulators are brought up to date here.
    fn enter(&mut self, _ply: usize, [_before, _after]: [&Chess; 2]) {}

    /// Value for the side to move.
    fn value(&mut self, ply: usize, position: &Chess) -> i32;
}

/// Bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Values up to this are equally bad.
    pub alpha: i32,
    /// Values from this on are equally good.
    pub beta: i32,
    /// Half-moves that are searched at most.
    pub plies: usize,
}

/// The value for the side to move of a position that was entered at `ply`: the better of its static value and captures that do not
/// lose material, or in check the best of all evasions. Exact inside the window, else a bound.
pub fn value(
    values: &mut dyn StaticValues,
    position: &Chess,
    ply: usize,
    Window { mut alpha, beta, plies }: Window,
) -> i32 {
    let is_check = position.is_check() && plies > 0;
    let mut best = if is_check { ply as i32 - MATE } else { values.value(ply, position) };
    if best >= beta || plies == 0 {
        return best;
    }
    alpha = alpha.max(best);
    let mut moves = if is_check { position.legal_moves() } else { captures(position) };
    moves.sort_by_key(|chess_move| -mvv_lva(*chess_move));
    let exchanges = Exchanges::new(position);
    for chess_move in moves {
        if !is_check && !exchanges.is_safe(chess_move) {
            continue;
        }
        let child = played(position, chess_move);
        values.enter(ply + 1, [position, &child]);
        let window = Window { alpha: -beta, beta: -alpha, plies: plies - 1 };
        best = best.max(-value(values, &child, ply + 1, window));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;
    use crate::evaluator::material_balance;

    struct Material;

    impl StaticValues for Material {
        fn value(&mut self, _ply: usize, position: &Chess) -> i32 {
            100 * material_balance(position)
        }
    }

    fn value_of(fen: &str, (alpha, beta): (i32, i32), plies: usize) -> i32 {
        let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        value(&mut Material, &position, 0, Window { alpha, beta, plies })
    }

    #[test]
    fn captures_are_played_out_and_losing_ones_are_not_made() {
        let all = (-MATE, MATE);
        // The pawn takes the queen: the static value is that of a queen for a pawn.
        assert_eq!(value_of("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", all, 0), -800);
        assert_eq!(value_of("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", all, 6), 100);
        // The queen does not take the protected pawn.
        assert_eq!(value_of("4k3/2p5/3p4/8/8/3Q4/8/4K3 w - - 0 1", all, 6), 700);
        // The bound suffices: what the capture wins is not looked at.
        assert_eq!(value_of("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", (-MATE, -900), 6), -800);
    }

    #[test]
    fn in_check_every_evasion_counts_and_none_is_mate() {
        assert_eq!(value_of("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", (-MATE, MATE), 6), 0);
        assert_eq!(value_of("4k3/8/8/8/8/8/r7/1r2K3 w - - 0 1", (-MATE, MATE), 6), -MATE);
    }
}
