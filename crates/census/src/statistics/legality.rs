//! Stored samples that contradict the rules of chess.

use std::fmt;

use dataset::Sample;
use serde::{Deserialize, Serialize};

/// Samples that contradict the rules of chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Legality {
    /// Samples whose position is illegal.
    pub illegal_positions: u64,
    /// Samples whose best move is illegal in their position.
    pub illegal_moves: u64,
}

impl Legality {
    pub(super) fn add(&mut self, sample: &Sample) {
        match sample.chess() {
            Err(_) => self.illegal_positions += 1,
            Ok(position) => self.illegal_moves += u64::from(sample.best_move.unpack(&position).is_none()),
        }
    }
}

impl fmt::Display for Legality {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { illegal_positions, illegal_moves } = self;
        write!(formatter, "{illegal_positions} illegal positions, {illegal_moves} illegal moves")
    }
}
