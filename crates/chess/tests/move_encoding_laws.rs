//! Every listed move encoding obeys the laws; no promotion and no castling is lost.

use std::collections::BTreeSet;

use chess::{
    CastlingMode, Chess, Game, Move, Position,
    encoding::{
        LawBreak, MOVES, MoveEncoding,
        moves::{FromTo4096, move_encoding},
    },
    laws, parse_uci_move,
};
use proptest::{prelude::any, prop_assert_eq, proptest};

#[test]
fn every_listed_encoding_obeys_the_laws() {
    let games = laws::sample_games(5, 600);
    for encoding in MOVES {
        laws::moves::check(*encoding, &games);
        assert_eq!(move_encoding(encoding.name()).unwrap().name(), encoding.name());
    }
}

/// The games of the law suite contain castling, promotions and en passant.
#[test]
fn the_sample_has_promotions_castling_and_en_passant() {
    let games = laws::sample_games(5, 600);
    let count = |wanted: fn(Move) -> bool| {
        games.iter().flat_map(Game::legal_moves).filter(|&chess_move| wanted(chess_move)).count()
    };
    assert!(count(Move::is_promotion) > 100);
    assert!(count(Move::is_castle) > 20);
    assert!(count(Move::is_en_passant) > 5);
    assert!(games.iter().any(|game| game.turn().is_black()));
    assert!(games.iter().any(|game| game.castling_mode() == CastlingMode::Chess960));
}

#[test]
fn all_four_promotions_are_distinct() {
    for fen in ["nnn4k/PPP5/8/8/8/8/8/K7 w - - 0 1", "k7/8/8/8/8/8/5ppp/K4NNN b - - 0 1"] {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        let promotions: Vec<Move> = game.legal_moves().into_iter().filter(|m| m.is_promotion()).collect();
        assert_eq!(promotions.len() % 4, 0);
        for encoding in MOVES.iter().filter(|encoding| encoding.breaks().iter().all(|found| found.law != 1)) {
            let indices: BTreeSet<usize> =
                promotions.iter().map(|&m| encoding.index(game.position(), m)).collect();
            assert_eq!(indices.len(), promotions.len(), "{} in {fen}", encoding.name());
        }
    }
}

#[test]
fn castling_has_the_index_of_its_notation() {
    let game = Game::from_fen("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", CastlingMode::Standard).unwrap();
    let castling = parse_uci_move(game.position(), "e8g8").unwrap();
    for (name, same_as) in [("lc0-1858", "e1h1"), ("uci-1968", "e1g1"), ("from-to-4096", "e1g1")] {
        let encoding = move_encoding(name).unwrap();
        // A queen's move between the same squares has the index of castling in this notation.
        let position = Game::from_fen("k7/8/8/8/8/8/8/K3Q3 w - - 0 1", CastlingMode::Standard).unwrap();
        let like = parse_uci_move(position.position(), same_as).unwrap();
        assert_eq!(
            encoding.index(game.position(), castling),
            encoding.index(position.position(), like),
            "{name}"
        );
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_known_ones() {
    let error = move_encoding("lc0-1859").err().unwrap().to_string();
    assert_eq!(
        error,
        "unknown move encoding \"lc0-1859\"; expected one of lc0-1858, uci-1968, from-to-4096, \
         aichess-1968, cogs188-4096, mlx-4096, knights-4096, lc0-1858-canonical"
    );
}

proptest! {
    /// Any index in any position: a legal move with that index, or nothing.
    #[test]
    fn decoding_any_index_is_safe(seed in any::<u64>(), index in 0..5_000_usize) {
        laws::parsers::check_move_index(&laws::sample_games(seed, 3)[2], index);
    }

    #[test]
    fn the_index_does_not_depend_on_clocks(seed in any::<u64>()) {
        let game = &laws::sample_games(seed, 8)[7];
        let fen: Vec<String> = game.fen().split(' ').take(4).map(String::from).collect();
        let without = Game::from_fen(&fen.join(" "), game.castling_mode()).unwrap();
        for chess_move in game.legal_moves() {
            for encoding in MOVES {
                prop_assert_eq!(
                    encoding.index(game.position(), chess_move),
                    encoding.index(without.position(), chess_move)
                );
            }
        }
    }
}

/// Each of these breaks one law; the suite must refuse it.
mod the_laws_refuse {
    use super::*;

    /// Ignores the promotion piece, like from-to vectors.
    struct LosesPromotions;

    impl MoveEncoding for LosesPromotions {
        fn name(&self) -> &'static str {
            "loses-promotions"
        }

        fn size(&self) -> usize {
            4096
        }

        fn index(&self, position: &Chess, chess_move: Move) -> usize {
            match chess_move {
                Move::Normal { role, from, capture, to, promotion: Some(_) } => {
                    let queen = Some(chess::Role::Queen);
                    FromTo4096.index(position, Move::Normal { role, from, capture, to, promotion: queen })
                }
                other => FromTo4096.index(position, other),
            }
        }
    }

    #[test]
    #[should_panic(expected = "law 1 (no shared index)")]
    fn one_that_loses_promotions() {
        laws::moves::check(&LosesPromotions, &laws::sample_games(6, 60));
    }

    /// Uses White's view for both sides.
    struct WhitesView;

    impl MoveEncoding for WhitesView {
        fn name(&self) -> &'static str {
            "whites-view"
        }

        fn size(&self) -> usize {
            4096 * 7
        }

        fn index(&self, _position: &Chess, chess_move: Move) -> usize {
            let from = usize::from(chess_move.from().unwrap());
            let promotion = chess_move.promotion().map_or(0, |role| role as usize);
            promotion * 4096 + from * 64 + usize::from(chess_move.to())
        }
    }

    #[test]
    #[should_panic(expected = "law 3 (colour-flip symmetry)")]
    fn one_that_is_not_the_movers_view() {
        laws::moves::check(&WhitesView, &laws::sample_games(6, 60));
    }

    /// An encoding that declares shared indices but has none.
    struct ConfessesInVain;

    impl MoveEncoding for ConfessesInVain {
        fn name(&self) -> &'static str {
            "confesses-in-vain"
        }

        fn size(&self) -> usize {
            4096
        }

        fn breaks(&self) -> &'static [LawBreak] {
            &[LawBreak { law: 1, reason: "none" }]
        }

        fn index(&self, position: &Chess, chess_move: Move) -> usize {
            FromTo4096.index(position, chess_move)
        }
    }

    #[test]
    #[should_panic(expected = "law 1 holds, but confesses-in-vain declares it broken")]
    fn one_that_declares_a_break_it_does_not_have() {
        laws::moves::check(&ConfessesInVain, &laws::sample_games(6, 60));
    }

    /// Decodes by index arithmetic, without asking whether the move is legal.
    struct DecodesAnything;

    impl MoveEncoding for DecodesAnything {
        fn name(&self) -> &'static str {
            "decodes-anything"
        }

        fn size(&self) -> usize {
            4096
        }

        fn index(&self, position: &Chess, chess_move: Move) -> usize {
            FromTo4096.index(position, chess_move)
        }

        fn decode(&self, position: &Chess, index: usize) -> Option<Move> {
            FromTo4096.decode(position, index).or_else(|| position.legal_moves().first().copied())
        }
    }

    #[test]
    #[should_panic(expected = "law 2 (other indices)")]
    fn one_that_decodes_illegal_indices() {
        laws::moves::check(&DecodesAnything, &laws::sample_games(6, 60));
    }
}
