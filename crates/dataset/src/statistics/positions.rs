//! What stands on the boards, and whether it can.

use serde::{Deserialize, Serialize};

use crate::{packed_position::PackedPosition, sample::Sample};

/// Pieces besides kings and pawns of both sides, in pawns, up to which a position is an endgame: 13 a side (J. Speelman,
/// Endgame Preparation, 1981).
const ENDGAME_PIECES: u8 = 26;

/// Half-moves in which the opening ends.
const OPENING_PLIES: u16 = 20;

/// Samples by the part of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phases {
    /// The first ten moves of each side.
    pub opening: u64,
    /// What is neither.
    pub middlegame: u64,
    /// Positions with pieces of no more than 26 pawns beside kings and pawns, whenever.
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

impl Phases {
    pub(super) fn add(&mut self, sample: &Sample) {
        *if pieces(&sample.position) <= ENDGAME_PIECES {
            &mut self.endgame
        } else if sample.ply < OPENING_PLIES {
            &mut self.opening
        } else {
            &mut self.middlegame
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
