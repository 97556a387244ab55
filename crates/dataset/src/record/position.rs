//! Positions that are part of no game.

use chess::{CastlingMode, Chess, Move, Score};

use super::{LabelDoubts, Origin, Place, SearchEffort};
use crate::policy::PolicyLabel;

/// A labelled position that is part of no game.
#[derive(Clone, Debug)]
pub struct PositionRecord {
    /// File and line, for messages.
    pub place: Place,
    /// The position; it has a legal move.
    pub position: Chess,
    /// Whether the rules and the notation of castling are those of Chess960.
    pub castling_mode: CastlingMode,
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
    /// Labels that the source has and that were left out.
    pub doubts: LabelDoubts,
}

/// A position that is part of no game and has no labels: a question for an engine.
#[derive(Clone, Debug)]
pub struct UnlabelledPosition {
    /// File and line, for messages.
    pub place: Place,
    /// The position; it has a legal move.
    pub position: Chess,
    /// Whether the rules and the notation of castling are those of Chess960.
    pub castling_mode: CastlingMode,
}
