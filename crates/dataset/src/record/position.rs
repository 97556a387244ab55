//! Positions that are part of no game.

use chess::{Chess, Move, Score};

use super::{Origin, Place, SearchEffort};
use crate::policy::PolicyLabel;

/// A labelled position that is part of no game.
#[derive(Clone, Debug)]
pub struct PositionRecord {
    /// File and line, for messages.
    pub place: Place,
    /// The position; it has a legal move.
    pub position: Chess,
    /// The move to learn: the engine's, or the first one of a puzzle's solution.
    pub best_move: Move,
    /// Known data of several moves.
    pub policy: PolicyLabel,
    /// Evaluation, seen by the side to move.
    pub evaluation: Option<Score>,
    /// Depth and nodes of the engine, if known.
    pub effort: SearchEffort,
    /// Origin of the position, if known.
    pub origin: Option<Origin>,
}

/// A position that is part of no game and has no labels: a question for an engine.
#[derive(Clone, Debug)]
pub struct UnlabelledPosition {
    /// File and line, for messages.
    pub place: Place,
    /// The position; it has a legal move.
    pub position: Chess,
}
