//! Records of sources: whole games, or single labelled positions, with everything that their labels need.

mod eco;
mod players;
mod time_control;

use std::{path::PathBuf, sync::Arc};

use chess::{Chess, Color, Move, Score, plies_before};
use serde::{Deserialize, Serialize};

use crate::{GameResult, policy::PolicyLabel};

pub use eco::Eco;
pub use players::{Identity, Players};
pub use time_control::TimeControl;

/// A line of a source file. Lines and bytes are those of the decompressed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file under the name it was opened by.
    pub file: Arc<PathBuf>,
    /// Line number, from 1.
    pub line: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file.display(), self.line)
    }
}

/// Result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the variants are what their names say")]
pub enum Winner {
    White,
    Draw,
    Black,
}

impl Winner {
    /// The result seen by `color`.
    pub fn for_color(self, color: Color) -> GameResult {
        match (self, color) {
            (Self::Draw, _) => GameResult::Draw,
            (Self::White, Color::White) | (Self::Black, Color::Black) => GameResult::Win,
            (Self::White, Color::Black) | (Self::Black, Color::White) => GameResult::Loss,
        }
    }

    /// Every result with its name, for command lines.
    pub const NAMES: &[(&str, Self)] =
        &[("white", Self::White), ("draw", Self::Draw), ("black", Self::Black)];
}

/// A move of the main line with the source's data about the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// The move that the players made.
    pub played: Move,
    /// The engine's move, where the source names another one than that played.
    pub better: Option<Move>,
    /// Evaluation of the position before the move, seen by the side to move.
    pub evaluation: Option<Score>,
    /// Seconds left on the mover's clock after the move.
    pub clock_seconds: Option<u32>,
}

/// Origin of a game or position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the variants are what their names say")]
pub enum Origin {
    Human,
    /// Engines played or analysed it.
    Engine,
    /// The network that learns from it played it.
    SelfPlay,
    Puzzle,
}

impl Origin {
    /// Every origin with its name, for command lines.
    pub const NAMES: &[(&str, Self)] = &[
        ("human", Self::Human),
        ("engine", Self::Engine),
        ("self-play", Self::SelfPlay),
        ("puzzle", Self::Puzzle),
    ];
}

/// Depth and nodes of the engine, if known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchEffort {
    /// Search depth in plies.
    pub depth: Option<u16>,
    /// Positions that it searched, as it counts them.
    pub nodes: Option<u64>,
}

/// One record of a source.
#[expect(clippy::large_enum_variant, reason = "most records are games, and one is held at a time")]
#[derive(Clone, Debug)]
pub enum Record {
    /// A whole game.
    Game(GameRecord),
    /// A position that is part of no game.
    Position(Box<PositionRecord>),
    /// A position without any label.
    Unlabelled(Box<UnlabelledPosition>),
}

/// A position that is part of no game and has no labels: a question for an engine.
#[derive(Clone, Debug)]
pub struct UnlabelledPosition {
    /// File and line, for messages.
    pub place: Place,
    /// The position; it has a legal move.
    pub position: Chess,
}

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

/// Plies before a position by its own move number.
pub fn ply(position: &Chess) -> u16 {
    u16::try_from(plies_before(position)).unwrap_or(u16::MAX)
}

/// A game with its players, result and labels.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// File and line of its beginning, for messages.
    pub place: Place,
    /// The position before the first move.
    pub start: Chess,
    /// The main line from there; variations are left out.
    pub moves: Vec<RecordedMove>,
    /// Result; `None` if the source does not know it (`*`).
    pub winner: Option<Winner>,
    /// White's rating on the scale of the source.
    pub white_rating: Option<u16>,
    /// Black's rating on the scale of the source.
    pub black_rating: Option<u16>,
    /// Main time and increment.
    pub time_control: Option<TimeControl>,
    /// The opening as the source classifies it.
    pub eco: Option<Eco>,
    /// The year in which it was played.
    pub year: Option<u16>,
    /// Origin of the game, if known.
    pub origin: Option<Origin>,
    /// Hashes that identify repeated games, in addition to their moves.
    pub identity: Identity,
    /// Names of the players, if known.
    pub players: Players,
}

impl GameRecord {
    /// A game of which nothing is known but its moves.
    pub fn of_moves(start: Chess, moves: impl IntoIterator<Item = Move>) -> Self {
        let recorded = |played| RecordedMove { played, better: None, evaluation: None, clock_seconds: None };
        Self {
            place: Place::default(),
            start,
            moves: moves.into_iter().map(recorded).collect(),
            winner: None,
            white_rating: None,
            black_rating: None,
            time_control: None,
            eco: None,
            year: None,
            origin: None,
            identity: Identity::default(),
            players: Players::default(),
        }
    }
}
