//! What captures win by force: material that a static evaluation of the position may have missed.

use chess::{Chess, Move, Position, Role, evaluator::material_balance};

use crate::alpha_beta::order;

/// Half-moves of captures that are looked at; longer exchanges are rare and judged as they stand.
const MAX_PLIES: u32 = 8;
/// Material of a side that is mated: more than a board holds.
const MATED: i32 = -200;

/// Pawns (1-3-3-5-9) that the side to move gains when both sides do nothing but capture and queen, each free to stop
/// whenever it likes. Not negative, but in check, where every move is tried and none may be good.
pub(crate) fn gain(position: &Chess) -> i32 {
    quiet_balance(position, (2 * MATED, -2 * MATED), MAX_PLIES) - material_balance(position)
}

/// The material balance for the side to move after the captures, by alpha-beta.
fn quiet_balance(position: &Chess, (mut alpha, beta): (i32, i32), plies: u32) -> i32 {
    let in_check = position.is_check();
    let balance = material_balance(position);
    if plies == 0 {
        return balance;
    }
    let mut best = if in_check { MATED } else { balance };
    alpha = alpha.max(best);
    if alpha >= beta {
        return best;
    }
    for chess_move in moves(position, in_check) {
        let mut after = position.clone();
        after.play_unchecked(chess_move);
        best = best.max(-quiet_balance(&after, (-beta, -alpha), plies - 1));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// Captures and promotions to a queen; in check every move.
fn moves(position: &Chess, in_check: bool) -> Vec<Move> {
    let mut moves: Vec<Move> = if in_check {
        position.legal_moves().into_iter().collect()
    } else {
        let mut captures = position.capture_moves();
        captures.extend(position.promotion_moves().into_iter().filter(|chess_move| !chess_move.is_capture()));
        let is_queen = |chess_move: &Move| chess_move.promotion().is_none_or(|role| role == Role::Queen);
        captures.into_iter().filter(is_queen).collect()
    };
    order(&mut moves, None);
    moves
}

#[cfg(test)]
mod tests {
    use chess::{CastlingMode, Game};
    use proptest::prelude::*;

    use super::*;

    fn position(fen: &str) -> Chess {
        Game::from_fen(fen, CastlingMode::Standard).unwrap().position().clone()
    }

    /// The same without bounds and order.
    fn plain(position: &Chess, plies: u32) -> i32 {
        let in_check = position.is_check();
        if plies == 0 {
            return material_balance(position);
        }
        let replies = moves(position, in_check).into_iter().map(|chess_move| {
            let mut after = position.clone();
            after.play_unchecked(chess_move);
            -plain(&after, plies - 1)
        });
        let stand = if in_check { MATED } else { material_balance(position) };
        replies.fold(stand, i32::max)
    }

    #[test]
    fn captures_are_counted_to_their_end() {
        for (fen, pawns) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
            // A rook takes a hanging queen; the same queen guarded is worth the difference; a guarded pawn nothing.
            ("4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1", 9),
            ("4k3/8/2p5/3q4/8/8/8/3RK3 w - - 0 1", 4),
            ("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", 0),
            // A pawn queens; so it does by taking a rook.
            ("8/P6k/8/8/8/8/8/4K3 w - - 0 1", 8),
            ("1r6/P6k/8/8/8/8/8/4K3 w - - 0 1", 13),
            // The king in check must move away from its queen.
            ("4k3/8/8/8/8/8/4K2q/7Q w - - 0 1", 9),
            ("6k1/8/8/8/8/8/4K1Qq/8 b - - 0 1", 9),
        ] {
            assert_eq!(gain(&position(fen)), pawns, "{fen}");
        }
        assert!(gain(&position("7k/8/8/8/8/5n2/8/4Q1K1 w - - 0 1")) < 0, "a fork of king and queen");
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
                prop_assert_eq!(quiet_balance(position, (2 * MATED, -2 * MATED), plies), plain(position, plies));
            }
        }
    }
}
