//! The laws of [`MoveEncoding`].

use shakmaty::Move;

use super::games::colour_flipped;
use crate::{Game, encoding::MoveEncoding};

/// One in this many games decodes all indices, not only those of legal moves, because that generates moves `size` times.
const SWEEP_EVERY: usize = 50;

/// The laws of [`MoveEncoding`] that an encoding may declare broken.
const LAWS: [u32; 3] = [1, 2, 3];

/// Checks the laws of a move encoding in the current position of every game. A law that is declared broken must be.
///
/// # Panics
/// If a law is broken, with the encoding, the law, the position and the move; or if one is declared broken and holds.
pub fn check(encoding: &dyn MoveEncoding, games: &[Game]) {
    let mut found = Found { encoding, broken: [false; LAWS.len()] };
    for (number, game) in games.iter().enumerate() {
        let indices = found.indices_in_range(game);
        found.indices_are_distinct(game, &indices);
        found.round_trip(game, &indices);
        let beyond = [encoding.size(), encoding.size() + 1, usize::MAX];
        let all = if number.is_multiple_of(SWEEP_EVERY) { encoding.size() } else { 0 };
        for index in (0..all).chain(beyond).filter(|&index| !indices.iter().any(|&(_, used)| used == index)) {
            let decoded = encoding.decode(game.position(), index);
            assert_eq!(decoded, None, "law 2 (other indices): {} {index} in {}", encoding.name(), game.fen());
        }
        found.is_symmetric(game, &indices);
    }
    for law_break in encoding.breaks() {
        let broken = LAWS.iter().zip(found.broken).any(|(&law, broken)| law == law_break.law && broken);
        assert!(broken, "law {} holds, but {} declares it broken", law_break.law, encoding.name());
    }
}

/// Laws that an encoding was found to break.
struct Found<'a> {
    encoding: &'a dyn MoveEncoding,
    broken: [bool; LAWS.len()],
}

impl Found<'_> {
    /// Records a broken law; fails if the encoding does not declare it.
    fn breaks(&mut self, law: u32, place: impl Fn() -> String) {
        let declared = self.encoding.breaks().iter().any(|law_break| law_break.law == law);
        assert!(declared, "law {law} {}", place());
        self.broken[law as usize - 1] = true;
    }

    fn place(&self, game: &Game, chess_move: Move, index: usize) -> String {
        format!("{} {chess_move} -> {index} in {}", self.encoding.name(), game.fen())
    }

    /// The part of law 1 that no encoding may break.
    fn indices_in_range(&self, game: &Game) -> Vec<(Move, usize)> {
        let indices =
            game.legal_moves().into_iter().map(|one| (one, self.encoding.index(game.position(), one)));
        let indices: Vec<(Move, usize)> = indices.collect();
        for &(chess_move, index) in &indices {
            assert!(index < self.encoding.size(), "law 1 (range): {}", self.place(game, chess_move, index));
        }
        indices
    }

    /// Law 1.
    fn indices_are_distinct(&mut self, game: &Game, indices: &[(Move, usize)]) {
        for (number, &(chess_move, index)) in indices.iter().enumerate() {
            if indices[..number].iter().any(|&(_, earlier)| earlier == index) {
                let place = self.place(game, chess_move, index);
                self.breaks(1, || format!("(no shared index): {place}"));
            }
        }
    }

    /// Law 2. If another move comes back, it must still have the same index.
    fn round_trip(&mut self, game: &Game, indices: &[(Move, usize)]) {
        for &(chess_move, index) in indices {
            let decoded = self.encoding.decode(game.position(), index);
            if decoded != Some(chess_move) {
                let place = self.place(game, chess_move, index);
                self.breaks(2, || format!("(round trip): {place} -> {decoded:?}"));
                assert!(
                    decoded.is_some_and(|decoded| indices.contains(&(decoded, index))),
                    "law 2 (a move of this index): {place}"
                );
            }
        }
    }

    /// Law 3.
    fn is_symmetric(&mut self, game: &Game, indices: &[(Move, usize)]) {
        let flipped = colour_flipped(game);
        for &(chess_move, index) in indices {
            if self.encoding.index(flipped.position(), chess_move.to_mirrored()) != index {
                let place = self.place(game, chess_move, index);
                self.breaks(3, || format!("(colour-flip symmetry): {place}"));
            }
        }
    }
}
