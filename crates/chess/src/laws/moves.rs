//! The laws of [`MoveEncoding`].

use std::collections::HashMap;

use super::games::colour_flipped;
use crate::{Game, encoding::MoveEncoding};

/// All indices, rather than those of legal moves, are decoded in one of this many games: that generates moves `size` times.
const SWEEP_EVERY: usize = 50;

/// Checks the laws of a move encoding in the current position of every game.
///
/// # Panics
/// If a law is broken, with the encoding, the law, the position and the move.
pub fn check(encoding: &dyn MoveEncoding, games: &[Game]) {
    for (number, game) in games.iter().enumerate() {
        let indices = indices_are_distinct(encoding, game);
        for (&index, &chess_move) in &indices {
            let decoded = encoding.decode(game.position(), index);
            assert_eq!(
                decoded,
                Some(chess_move),
                "law 2 (round trip): {} in {}",
                encoding.name(),
                game.fen()
            );
        }
        let beyond = [encoding.size(), encoding.size() + 1, usize::MAX];
        let all = if number.is_multiple_of(SWEEP_EVERY) { encoding.size() } else { 0 };
        for index in (0..all).chain(beyond).filter(|index| !indices.contains_key(index)) {
            let decoded = encoding.decode(game.position(), index);
            assert_eq!(decoded, None, "law 2 (other indices): {} {index} in {}", encoding.name(), game.fen());
        }
        is_symmetric(encoding, game, &indices);
    }
}

/// Law 1.
fn indices_are_distinct(encoding: &dyn MoveEncoding, game: &Game) -> HashMap<usize, shakmaty::Move> {
    let mut indices = HashMap::new();
    for chess_move in game.legal_moves() {
        let index = encoding.index(game.position(), chess_move);
        let place = || format!("{} {chess_move} -> {index} in {}", encoding.name(), game.fen());
        assert!(index < encoding.size(), "law 1 (range): {}", place());
        let other = indices.insert(index, chess_move);
        assert_eq!(other, None, "law 1 (no shared index): {}", place());
    }
    indices
}

/// Law 3.
fn is_symmetric(encoding: &dyn MoveEncoding, game: &Game, indices: &HashMap<usize, shakmaty::Move>) {
    let flipped = colour_flipped(game);
    for (&index, chess_move) in indices {
        let mirrored = encoding.index(flipped.position(), chess_move.to_mirrored());
        assert_eq!(
            index,
            mirrored,
            "law 3 (colour-flip symmetry): {} {chess_move} in {}",
            encoding.name(),
            game.fen()
        );
    }
}
