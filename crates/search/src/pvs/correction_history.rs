//! Mean errors of static values by the pieces on the board: searches of similar positions correct the evaluator (correction
//! history; Stockfish 17 and others).
//!
//! Each place holds an exponential mean of (searched - static), in 1/64 of a unit; deep searches move it more. Positions share a
//! place if the same kind of pieces stands on the same squares, and any two may if their hashes collide. There is no key to tell
//! them apart: a mean over two kinds of positions is a worse correction, not a wrong result.

use chess::{Chess, Position as _, shakmaty::Bitboard};

use super::numbers::{
    CORRECTION_PARTS, CORRECTION_PLACES, CORRECTION_WEIGHTS, LARGEST_CORRECTION, MOST_CORRECTION_WEIGHT,
};

/// Kinds of pieces that the tables distinguish: pawns, White's other pieces, Black's.
const KINDS: usize = 3;

/// Errors by side to move and by the squares of one kind of pieces.
pub(super) struct CorrectionHistory(Vec<i16>);

impl Default for CorrectionHistory {
    fn default() -> Self {
        Self(vec![0; 2 * KINDS * CORRECTION_PLACES])
    }
}

impl CorrectionHistory {
    /// The error to expect, to be added to the static value.
    pub(super) fn of(&self, position: &Chess) -> i32 {
        let sum: i32 = places(position).iter().map(|&place| i32::from(self.0[place])).sum();
        sum / (KINDS as i32 * CORRECTION_PARTS)
    }

    /// Records the error of a static value, found by a search of this depth.
    pub(super) fn note(&mut self, position: &Chess, error: i32, depth: i32) {
        let weight = (depth + 1).min(MOST_CORRECTION_WEIGHT);
        let error = (error * CORRECTION_PARTS).clamp(-LARGEST_CORRECTION, LARGEST_CORRECTION);
        for place in places(position) {
            let before = i32::from(self.0[place]);
            self.0[place] =
                ((before * (CORRECTION_WEIGHTS - weight) + error * weight) / CORRECTION_WEIGHTS) as i16;
        }
    }
}

/// The place of each kind of pieces in the tables.
fn places(position: &Chess) -> [usize; KINDS] {
    let board = position.board();
    let side = usize::from(position.turn().is_white()) * KINDS;
    let pawns = board.pawns();
    let squares = [
        [pawns & board.white(), pawns & board.black()],
        pieces(board.white() & !pawns, position),
        pieces(board.black() & !pawns, position),
    ];
    let mut places = [0; KINDS];
    for (kind, [one, other]) in squares.into_iter().enumerate() {
        places[kind] = (side + kind) * CORRECTION_PLACES + hash(one, other);
    }
    places
}

/// Pieces that move straight or as a king, and those that move diagonally or as a knight; a queen is among both.
fn pieces(of: Bitboard, position: &Chess) -> [Bitboard; 2] {
    let board = position.board();
    [of & (board.rooks_and_queens() | board.kings()), of & (board.bishops_and_queens() | board.knights())]
}

/// Multiplications by the constants of MurmurHash3's finaliser (Austin Appleby), which spread every bit upwards.
fn hash(one: Bitboard, other: Bitboard) -> usize {
    let mixed = (one.0.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ other.0).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (mixed >> (64 - CORRECTION_PLACES.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use chess::CastlingMode;
    use chess::Game;

    use super::*;

    fn position(fen: &str) -> Chess {
        Game::from_fen(fen, CastlingMode::Standard).unwrap().position().clone()
    }

    #[test]
    fn errors_are_met_again_with_the_same_pieces_and_side() {
        let mut corrections = CorrectionHistory::default();
        let noted = position("4k3/pp6/8/8/8/8/PPP5/4K3 w - - 0 1");
        assert_eq!(corrections.of(&noted), 0);
        for _ in 0..1_000 {
            corrections.note(&noted, 50, 8);
        }
        let found = corrections.of(&noted);
        assert!((45..=50).contains(&found), "{found}");
        assert_eq!(
            corrections.of(&position("4k3/pp6/8/8/8/8/PPP5/4K3 b - - 0 1")),
            0,
            "another side to move"
        );
        let pawns = corrections.of(&position("3qk3/pp6/8/8/8/8/PPP5/3QK3 w - - 0 1"));
        assert!((1..found).contains(&pawns), "of the same pawns alone: {pawns}");
    }

    #[test]
    fn errors_stay_within_their_range() {
        let mut corrections = CorrectionHistory::default();
        let noted = position("4k3/pp6/8/8/8/8/PPP5/4K3 w - - 0 1");
        for _ in 0..10_000 {
            corrections.note(&noted, 30_000, 100);
        }
        assert!(corrections.of(&noted) <= LARGEST_CORRECTION / CORRECTION_PARTS);
    }
}
