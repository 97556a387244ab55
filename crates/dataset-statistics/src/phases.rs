//! Samples by the part of the game.

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

impl Phases {
    pub(super) fn add(&mut self, sample: &Sample) {
        *match Phase::of(&sample.position, sample.ply) {
            Phase::Opening => &mut self.opening,
            Phase::Middlegame => &mut self.middlegame,
            Phase::Endgame => &mut self.endgame,
        } += 1;
    }
}
