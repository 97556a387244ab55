//! Policy rows obey the laws; promotions, castling, en passant, captures, checks and exchanges are in them.

use std::collections::BTreeSet;

use chess::{
    CastlingMode, Game,
    encoding::policy_rows::{KIND_ROWS, MOVE_ROWS, PolicyRows},
    laws, parse_uci_move,
};

#[test]
fn the_rows_obey_the_laws() {
    laws::policy_rows::check(&laws::sample_games(41, 1200));
}

#[test]
fn the_sizes_are_those_of_the_description() {
    let steps = 110 + 336 + 560 + 896 + 1456 + 420;
    assert_eq!((MOVE_ROWS, KIND_ROWS), (2 * (steps + 88 + 2 + 8), 144));
}

fn row(fen: &str, uci: &str) -> (u16, u16) {
    let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
    PolicyRows::new(game.position()).of(parse_uci_move(game.position(), uci).unwrap())
}

/// Moving role, captured role or none, check, good exchange.
fn kind(fen: &str, uci: &str) -> (u16, u16, bool, bool) {
    let (_, kind) = row(fen, uci);
    (kind / 24, kind / 4 % 6, kind / 2 % 2 == 1, kind % 2 == 1)
}

#[test]
fn kinds_say_what_a_move_does() {
    let fen = "r3k2r/pppq2pp/2n2p2/3pp3/3PP3/2N2N2/PPP2PPP/R2QK2R w KQkq - 0 1";
    assert_eq!(kind(fen, "d4e5"), (0, 1, false, true), "a pawn takes a pawn");
    assert_eq!(kind(fen, "f3e5"), (1, 1, false, false), "a knight for a pawn is a bad exchange");
    assert_eq!(kind(fen, "e1g1"), (5, 0, false, true), "castling");
    assert_eq!(kind("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "a1a8"), (4, 0, true, true), "check by a queen");
    assert_eq!(kind("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), (0, 1, false, true), "en passant");
    assert_eq!(kind("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), (0, 0, true, true), "promotion with check");
    assert_eq!(kind("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8b"), (0, 0, false, true), "to a bishop");
}

#[test]
fn promotions_and_castling_are_distinct() {
    let promotions = ["a7a8q", "a7a8r", "a7a8b", "a7a8n"];
    let found: BTreeSet<u16> =
        promotions.iter().map(|uci| row("8/P7/8/8/8/8/6k1/4K3 w - - 0 1", uci).0).collect();
    assert_eq!(found.len(), 4);
    let both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    assert_ne!(row(both, "e1g1").0, row(both, "e1c1").0);
    // The view decides which side is which: on the mirrored board, the short side lies towards file a.
    assert_eq!(row("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8"), row(both, "e1g1"));
}

#[test]
fn a_row_is_split_by_the_exchange() {
    let safe = row("1k6/8/8/4p3/8/8/4R3/2K5 w - - 0 1", "e2e5");
    let bad = row("1k6/8/3p4/4p3/8/8/4R3/2K5 w - - 0 1", "e2e5");
    assert_eq!(usize::from(safe.0 - bad.0), MOVE_ROWS / 2);
    assert_eq!(safe.1 - bad.1, 1);
}
