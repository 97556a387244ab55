//! Quiescence search: the material that captures win by force, which a static evaluation of the position may have missed.

use chess::{
    Chess, Window,
    evaluator::material_balance,
    quiescence::{captures, mvv_lva},
};

use crate::moves::{captured_value, played};

/// The material balance for the side to move after the captures, by alpha-beta: exact inside the window, an upper bound at or
/// below it, a lower bound above it. Checks are ignored.
pub(super) fn quiet_balance(position: &Chess, Window { mut alpha, beta }: Window, plies: u32) -> i32 {
    let balance = material_balance(position);
    let mut best = balance;
    alpha = alpha.max(best);
    if alpha >= beta || plies == 0 {
        return best;
    }
    let mut moves = captures(position);
    moves.sort_by_key(|&chess_move| -mvv_lva(chess_move));
    for chess_move in moves {
        // The opponent may stand pat right after it, so the move gains at most the captured value.
        let at_most = balance + captured_value(chess_move);
        if at_most <= alpha {
            best = best.max(at_most);
            continue;
        }
        let window = Window { alpha, beta }.reversed();
        best = best.max(-quiet_balance(&played(position, chess_move), window, plies - 1));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use chess::{CastlingMode, Game, Move, Position as _, Role};
    use proptest::prelude::*;

    use super::*;
    use crate::material::numbers::{MAX_PLIES, UNBOUNDED};

    const WHOLE: Window = Window { alpha: -UNBOUNDED, beta: UNBOUNDED };

    fn position(fen: &str) -> Chess {
        Game::from_fen(fen, CastlingMode::Standard).unwrap().position().clone()
    }

    /// Reference implementation of [`quiet_balance`] without bounds.
    fn plain(position: &Chess, plies: u32) -> i32 {
        let balance = material_balance(position);
        if plies == 0 {
            return balance;
        }
        let captures = position.legal_moves().into_iter().filter(|chess_move| {
            chess_move.promotion().map_or(chess_move.is_capture(), |role| role == Role::Queen)
        });
        captures.map(|capture| -plain(&played(position, capture), plies - 1)).fold(balance, i32::max)
    }

    #[test]
    fn captures_are_counted_to_their_end() {
        for (fen, pawns) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
            // A rook takes a hanging queen; the same queen guarded is worth the difference; a guarded pawn is worth
            // nothing.
            ("4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1", 9),
            ("4k3/8/2p5/3q4/8/8/8/3RK3 w - - 0 1", 4),
            ("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", 0),
            // A pawn queens; so it does by taking a rook.
            ("8/P6k/8/8/8/8/8/4K3 w - - 0 1", 8),
            ("1r6/P6k/8/8/8/8/8/4K3 w - - 0 1", 13),
        ] {
            let position = position(fen);
            let gain = quiet_balance(&position, WHOLE, MAX_PLIES) - material_balance(&position);
            assert_eq!(gain, pawns, "{fen}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn bounds_change_nothing(choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..80)) {
            let mut game = Game::default();
            for choice in choices {
                let legal: Vec<Move> = game.legal_moves().into_iter().collect();
                if legal.is_empty() {
                    break;
                }
                game.play_unchecked(*choice.get(&legal));
            }
            let position = game.position();
            for plies in 0..=4 {
                let expected = plain(position, plies);
                prop_assert_eq!(quiet_balance(position, WHOLE, plies), expected);
                for alpha in expected - 3..expected + 3 {
                    let found = quiet_balance(position, Window { alpha, beta: alpha + 1 }, plies);
                    prop_assert_eq!(found <= alpha, expected <= alpha);
                    let bounds = if found <= alpha { found >= expected } else { found <= expected };
                    prop_assert!(bounds, "{} found, {} expected, window from {}", found, expected, alpha);
                }
            }
        }
    }
}
