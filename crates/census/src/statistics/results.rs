//! Games and samples by result.

use dataset::{GameResult, record::Winner};
use serde::{Deserialize, Serialize};

/// Distinct games by result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct GameResults {
    pub white: u64,
    pub draw: u64,
    pub black: u64,
    pub unknown: u64,
}

/// Samples by result, seen by the side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct PositionResults {
    pub win: u64,
    pub draw: u64,
    pub loss: u64,
    pub unknown: u64,
}

impl GameResults {
    pub(super) fn add(&mut self, winner: Option<Winner>) {
        *match winner {
            Some(Winner::White) => &mut self.white,
            Some(Winner::Draw) => &mut self.draw,
            Some(Winner::Black) => &mut self.black,
            None => &mut self.unknown,
        } += 1;
    }
}

impl PositionResults {
    pub(super) fn add(&mut self, result: Option<GameResult>) {
        *match result {
            Some(GameResult::Win) => &mut self.win,
            Some(GameResult::Draw) => &mut self.draw,
            Some(GameResult::Loss) => &mut self.loss,
            None => &mut self.unknown,
        } += 1;
    }
}
