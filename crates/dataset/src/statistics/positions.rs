//! What stands on the boards, and whether it can.

use serde::{Deserialize, Serialize};

use crate::{packed_position::PackedPosition, sample::Sample};

/// Pieces besides kings and pawns of both sides, in pawns, up to which a position is an endgame: 13 a side (J. Speelman,
/// Endgame Preparation, 1981).
const ENDGAME_PIECES: u8 = 26;

/// Half-moves in which the opening ends.
const OPENING_PLIES: u16 = 20;

/// A part of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first ten moves of each side.
    Opening,
    /// What is neither.
    Middlegame,
    /// Positions with pieces of no more than 26 pawns beside kings and pawns, whenever.
    Endgame,
}

/// Samples by the part of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phases {
    /// Those of [`Phase::Opening`].
    pub opening: u64,
    /// Those of [`Phase::Middlegame`].
    pub middlegame: u64,
    /// Those of [`Phase::Endgame`].
    pub endgame: u64,
}

/// Samples that contradict the rules of chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Legality {
    /// Samples whose position is illegal.
    pub illegal_positions: u64,
    /// Samples whose move to learn is illegal in their position.
    pub illegal_moves: u64,
}

impl Phase {
    /// The part of the game that a position with this number of half-moves before it belongs to.
    pub fn of(position: &PackedPosition, ply: u16) -> Self {
        if pieces(position) <= ENDGAME_PIECES {
            Self::Endgame
        } else if ply < OPENING_PLIES {
            Self::Opening
        } else {
            Self::Middlegame
        }
    }

    /// `opening`, `middlegame` or `endgame`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Middlegame => "middlegame",
            Self::Endgame => "endgame",
        }
    }
}

impl Phases {
    pub(super) fn add(&mut self, sample: &Sample) {
        *match Phase::of(&sample.position, sample.ply) {
            Phase::Opening => &mut self.opening,
            Phase::Middlegame => &mut self.middlegame,
            Phase::Endgame => &mut self.endgame,
        } += 1;
    }
}

impl Legality {
    pub(super) fn add(&mut self, sample: &Sample) {
        match sample.chess() {
            Err(_) => self.illegal_positions += 1,
            Ok(position) => self.illegal_moves += u64::from(sample.best_move.unpack(&position).is_none()),
        }
    }
}

fn pieces(position: &PackedPosition) -> u8 {
    position.material() - position.pawns()
}
