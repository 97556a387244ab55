use std::collections::HashSet;

use chess::encoding::MOVES;
use chess::{CastlingMode, Game};

use super::*;
use crate::synthetic;

/// Positions with castling, en passant and every promotion, for both sides.
const SPECIAL: [&str; 4] = [
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "1n1n3k/P1P1P3/8/3pP3/8/8/8/4K3 w - d6 0 1",
    "4k3/8/8/8/3Pp3/8/p1p1p3/1N1N3K b - d3 0 1",
];

#[test]
fn every_legal_move_has_a_logit_of_its_own() {
    let mut games = synthetic::positions(300, 5);
    games.extend(SPECIAL.map(|fen| Game::from_fen(fen, CastlingMode::Standard).unwrap()));
    for encoding in MOVES.iter().filter(|encoding| encoding.breaks().is_empty()) {
        for map in [PolicyMap::dense(*encoding), PolicyMap::planes(*encoding)] {
            for game in &games {
                let mut slots = HashSet::new();
                for chess_move in game.legal_moves() {
                    let slot = map.slot(encoding.index(game.position(), chess_move));
                    let slot = slot
                        .unwrap_or_else(|| panic!("{}: {chess_move:?} in {}", encoding.name(), game.fen()));
                    assert!((slot as usize) < map.width());
                    assert!(slots.insert(slot), "{}: {chess_move:?} in {}", encoding.name(), game.fen());
                }
            }
        }
    }
}

#[test]
fn planes_are_read_at_the_square_a_move_starts_from() {
    let lc0 = chess::encoding::moves::move_encoding("lc0-1858").unwrap();
    let map = PolicyMap::planes(lc0);
    let game = Game::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", CastlingMode::Standard).unwrap();
    for chess_move in game.legal_moves() {
        let slot = map.slot(lc0.index(game.position(), chess_move)).unwrap() as usize;
        assert_eq!(slot / POLICY_PLANES, usize::from(chess_move.from().unwrap()), "{chess_move:?}");
    }
}
