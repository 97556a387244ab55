//! Phases of the game and legality of the stored positions.

use dataset::{Phase, Sample};
use serde::{Deserialize, Serialize};

/// Samples by the part of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Phases {
    pub opening: u64,
    pub middlegame: u64,
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
