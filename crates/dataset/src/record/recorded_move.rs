//! Moves of recorded games, and the effort of the engine that judged them.

use chess::{Move, Score};
use serde::{Deserialize, Serialize};

/// A move of the main line with the source's data about the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// The move that the players made.
    pub played: Move,
    /// The engine's move, where the source names another one than that played.
    pub better: Option<Move>,
    /// Evaluation of the position before the move, seen by the side to move.
    pub evaluation: Option<Score>,
    /// Depth in plies of the search that gave the evaluation.
    pub depth: Option<u16>,
    /// Seconds left on the mover's clock after the move.
    pub clock_seconds: Option<u32>,
}

impl From<Move> for RecordedMove {
    /// A move without annotations.
    fn from(played: Move) -> Self {
        Self { played, better: None, evaluation: None, depth: None, clock_seconds: None }
    }
}

/// Depth and nodes of the engine, if known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchEffort {
    /// Search depth in plies.
    pub depth: Option<u16>,
    /// Positions that it searched, as it counts them.
    pub nodes: Option<u64>,
}
