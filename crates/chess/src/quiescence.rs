//! Quiescence search: continues captures until the position is quiet, where a static value, which counts pieces as they stand, is
//! reliable.
//!
//! The side to move may stand pat: the static value is a lower bound if some move is at least as good as doing nothing. That
//! fails in zugzwang, where quiet positions are misjudged anyway, and in check, where doing nothing is not legal: there all
//! evasions are searched and nothing stands. At the last half-move even a check is judged as it stands, which bounds the search;
//! a test compares every bound with a search without bounds.

use shakmaty::{Chess, Move, MoveList, Position as _, Rank, Role};

use crate::{Window, evaluator::piece_value, played, static_exchange::StaticExchange};

/// Maximum plies of captures and evasions, in labelling and in play of the networks trained on these labels.
/// Eight instead of six change r with searches of 3,000 nodes in the fourth digit
/// (`docs/experiments/nnue-labels.md`).
pub const PLIES: usize = 6;

/// The value of a mate on the board; one half-move earlier it is one unit less. Evaluators clamp static
/// values to 20,000, so a value near this one is always a mate's.
pub const MATE: i32 = 31_000;

/// The window of all values.
pub const WHOLE: Window = Window { alpha: -MATE, beta: MATE };

/// Static values of positions along a line of moves.
pub trait StaticValues {
    /// Called once for each position, before `value`; `ply` counts from the root. Accumulators are updated here. Does nothing by
    /// default.
    fn enter(&mut self, _ply: usize, [_before, _after]: [&Chess; 2]) {}

    /// Value for the side to move.
    fn value(&mut self, ply: usize, position: &Chess) -> i32;
}

/// The value for the side to move of a position that was entered at `ply`: the better of its static value and captures that do not
/// lose material, or in check the best of all evasions, at most `plies` half-moves deep. Exact inside the window, else a bound: at
/// or below alpha the true value is at most this, at or above beta it is at least this.
pub fn value(
    values: &mut dyn StaticValues,
    position: &Chess,
    ply: usize,
    Window { mut alpha, beta }: Window,
    plies: usize,
) -> i32 {
    // Standing pat is a claim that some quiet move is at least as good as nothing, which in check is no legal claim. At the horizon it
    // is made all the same: otherwise a series of checks would have no end.
    let is_check = position.is_check() && plies > 0;
    let mut best = if is_check { ply as i32 - MATE } else { values.value(ply, position) };
    if best >= beta || plies == 0 {
        return best;
    }
    alpha = alpha.max(best);
    let mut moves = if is_check { position.legal_moves() } else { captures(position) };
    moves.sort_by_key(|chess_move| -mvv_lva(*chess_move));
    let exchanges = StaticExchange::new(position);
    for chess_move in moves {
        if !is_check && !exchanges.is_safe(chess_move) {
            continue;
        }
        let child = played(position, chess_move);
        // Before every search of a child, not once per line: siblings share the accumulator of their half-move, and the one
        // before has left it wherever its own captures ended.
        values.enter(ply + 1, [position, &child]);
        let window = Window { alpha, beta }.reversed();
        best = best.max(-value(values, &child, ply + 1, window, plies - 1));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

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

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;
    use crate::{evaluator::material_balance, laws};

    struct Material;

    impl StaticValues for Material {
        fn value(&mut self, _ply: usize, position: &Chess) -> i32 {
            100 * material_balance(position)
        }
    }

    fn value_of(fen: &str, window: Window, plies: usize) -> i32 {
        let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        value(&mut Material, &position, 0, window, plies)
    }

    /// Counts material and mobility, so that few positions are worth the same, and checks that positions are entered in order.
    struct Line(Vec<Chess>);

    impl StaticValues for Line {
        fn enter(&mut self, ply: usize, [before, after]: [&Chess; 2]) {
            self.0.truncate(ply);
            assert_eq!(self.0.last(), Some(before));
            self.0.push(after.clone());
        }

        fn value(&mut self, ply: usize, position: &Chess) -> i32 {
            assert_eq!(self.0.get(ply), Some(position));
            standing(position)
        }
    }

    fn standing(position: &Chess) -> i32 {
        100 * material_balance(position) + position.legal_moves().len() as i32
    }

    /// Reference implementation of [`value`] without bounds, over [`standing`].
    fn plain(position: &Chess, ply: usize, plies: usize) -> i32 {
        let is_check = position.is_check() && plies > 0;
        let best = if is_check { ply as i32 - MATE } else { standing(position) };
        if plies == 0 {
            return best;
        }
        let exchanges = StaticExchange::new(position);
        let is_tried = |chess_move: &Move| {
            let is_capture = match chess_move.promotion() {
                Some(role) => role == Role::Queen,
                None => chess_move.is_capture(),
            };
            is_check || is_capture && exchanges.is_safe(*chess_move)
        };
        let tried = position.legal_moves().into_iter().filter(is_tried);
        tried.map(|chess_move| -plain(&played(position, chess_move), ply + 1, plies - 1)).fold(best, i32::max)
    }

    #[test]
    fn bounds_change_nothing() {
        for game in laws::sample_games(51, 90) {
            let position = game.position();
            for plies in 0..=4 {
                let expected = plain(position, 0, plies);
                let found = |window| value(&mut Line(vec![position.clone()]), position, 0, window, plies);
                assert_eq!(found(WHOLE), expected, "{}, {plies} plies", game.fen());
                for (distance, width) in
                    (-300..=300).step_by(50).flat_map(|at| [(at, 1), (at, 120), (at - 1, 2)])
                {
                    let window = Window { alpha: expected + distance, beta: expected + distance + width };
                    let found = found(window);
                    let is_right = if expected <= window.alpha {
                        (expected..=window.alpha).contains(&found)
                    } else if expected >= window.beta {
                        (window.beta..=expected).contains(&found)
                    } else {
                        found == expected
                    };
                    assert!(is_right, "{}, {plies} plies, {window:?}: {found}, not {expected}", game.fen());
                }
            }
        }
    }

    #[test]
    fn captures_are_played_out_and_losing_ones_are_not_made() {
        // The pawn takes the queen: the static value is that of a queen for a pawn.
        assert_eq!(value_of("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", WHOLE, 0), -800);
        assert_eq!(value_of("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", WHOLE, 6), 100);
        // The queen does not take the protected pawn.
        assert_eq!(value_of("4k3/2p5/3p4/8/8/3Q4/8/4K3 w - - 0 1", WHOLE, 6), 700);
        // The bound suffices: what the capture wins is not looked at.
        assert_eq!(value_of("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", Window { beta: -900, ..WHOLE }, 6), -800);
    }

    #[test]
    fn in_check_every_evasion_counts_and_none_is_mate() {
        assert_eq!(value_of("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", WHOLE, 6), 0);
        assert_eq!(value_of("4k3/8/8/8/8/8/r7/1r2K3 w - - 0 1", WHOLE, 6), -MATE);
    }
}
