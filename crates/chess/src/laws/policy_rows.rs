//! The laws of [`PolicyRows`].

use std::collections::BTreeSet;

use shakmaty::{Move, Square};

use super::games::{colour_flipped, files_exchanged};
use crate::{
    Game, Position,
    encoding::policy_rows::{KIND_ROWS, MOVE_ROWS, PolicyRows},
};

/// Checks the laws in the current position of every game.
///
/// # Panics
/// If a law is broken, with the law, the position and the move.
pub fn check(games: &[Game]) {
    for game in games {
        let rows = PolicyRows::new(game.position());
        let flipped = colour_flipped(game);
        let flipped = PolicyRows::new(flipped.position());
        let exchanged = files_exchanged(game.position());
        let mut seen = BTreeSet::new();
        let fen = game.fen();
        for chess_move in game.legal_moves() {
            let (row, kind) = rows.of(chess_move);
            let place = format!("{chess_move} -> ({row}, {kind}) in {fen}");
            assert!(usize::from(row) < MOVE_ROWS && usize::from(kind) < KIND_ROWS, "law 1 (range): {place}");
            assert!(seen.insert(row), "law 1 (no shared row): {place}");
            assert_eq!(
                (row, kind),
                flipped.of(chess_move.to_mirrored()),
                "law 2 (colour-flip symmetry): {place}"
            );
            if let Some(twin) = &exchanged {
                let twin_move = with_files_exchanged(chess_move);
                assert!(twin.is_legal(twin_move), "the twin has the move: {place}");
                let found = PolicyRows::new(twin).of(twin_move);
                assert_eq!((row, kind), found, "law 2 (files exchanged): {place}");
            }
        }
    }
}

fn with_files_exchanged(chess_move: Move) -> Move {
    let turn = Square::flip_horizontal;
    match chess_move {
        Move::Normal { role, from, capture, to, promotion } => {
            Move::Normal { role, from: turn(from), capture, to: turn(to), promotion }
        }
        Move::EnPassant { from, to } => Move::EnPassant { from: turn(from), to: turn(to) },
        Move::Castle { king, rook } => Move::Castle { king: turn(king), rook: turn(rook) },
        Move::Put { role, to } => Move::Put { role, to: turn(to) },
    }
}
