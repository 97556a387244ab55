//! Evaluations as tables write them: in pawns or moves to mate, White's view.

use chess::{Color, Score};

/// Numbers beyond this many centipawns are not evaluations.
const MAX_CENTIPAWNS: f64 = 1e6;

/// An evaluation in White's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WhiteScore(pub(super) Score);

impl WhiteScore {
    /// `1.23`, `-0.5` (pawns), `#3`, `#-2` (moves to mate); `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix('#') {
            Some(moves) => Self::mate(moves.parse::<i16>().ok()?.into()),
            None => Self::centipawns(text.parse::<f64>().ok()? * 100.0),
        }
    }

    /// The nearest whole number of centipawns.
    pub(super) fn centipawns(centipawns: f64) -> Option<Self> {
        let is_evaluation = centipawns.abs() <= MAX_CENTIPAWNS;
        is_evaluation.then(|| Self(Score::Centipawns(centipawns.round() as i32)))
    }

    /// Mate in this many moves, by Black if negative. None in 0: it names no side, and a position with a move is not mate.
    pub(super) fn mate(moves: i32) -> Option<Self> {
        i16::try_from(moves).ok().filter(|&moves| moves != 0).map(|_| Self(Score::Mate(moves)))
    }

    /// The score seen by the side to move.
    pub(super) fn for_mover(self, turn: Color) -> Score {
        if turn.is_white() { self.0 } else { self.0.flipped() }
    }
}
