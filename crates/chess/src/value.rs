//! Values with their point of view in the type: every [`Wdl`] and [`Score`] is seen by the side to move.

use serde::{Deserialize, Serialize};

/// Win, draw and loss probability for the side to move; the three add up to one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wdl {
    /// Probability that the side to move wins.
    pub win: f32,
    /// Probability of a draw.
    pub draw: f32,
    /// Probability that the side to move loses.
    pub loss: f32,
}

impl Wdl {
    /// The side to move has won.
    pub const WIN: Self = Self { win: 1.0, draw: 0.0, loss: 0.0 };
    /// The game is drawn.
    pub const DRAW: Self = Self { win: 0.0, draw: 1.0, loss: 0.0 };
    /// The side to move has lost (checkmated).
    pub const LOSS: Self = Self { win: 0.0, draw: 0.0, loss: 1.0 };

    /// Expected result on the scale -1 (loss) to 1 (win): the Q of tree search.
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// Expected score on the scale 0 (loss) to 1 (win): what Elo formulas take.
    pub fn expected_score(self) -> f32 {
        self.win + 0.5 * self.draw
    }

    /// The same value seen by the other side.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { win: self.loss, draw: self.draw, loss: self.win }
    }

    /// The same value seen by White, given who is to move.
    #[must_use]
    pub fn for_white(self, turn: shakmaty::Color) -> Self {
        if turn.is_white() { self } else { self.flipped() }
    }
}

/// An engine's evaluation for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// Hundredths of a pawn; positive is better for the side to move.
    Centipawns(i32),
    /// Mate in this many moves: positive when the side to move mates, negative when it is mated, zero when it is
    /// checkmated now.
    Mate(i32),
}

impl Score {
    /// The same score seen by the other side. `Mate(0)` (checkmated) has no counterpart and is returned as it is.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Centipawns(centipawns) => Self::Centipawns(-centipawns),
            Self::Mate(moves) => Self::Mate(-moves),
        }
    }
}
