//! A game of a network against itself, with the findings of its searches: the unit of the replay store.

mod wire;

use chess::{Ending, Game, Move, Wdl};
use serde::{Deserialize, Serialize};

pub use dataset::record::Winner;
pub use wire::{BadGame, FORMAT, VERSION};

/// A game of self-play with the findings of its searches, as workers store it and learners read it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct SelfPlayGame {
    /// Name of the game in the run: generation, worker, number.
    pub id: GameId,
    /// Version and commit of the program that played it.
    pub program: String,
    /// The seed of all its random choices.
    pub seed: u64,
    /// FEN of the first position.
    pub start: String,
    /// The moves, beginning with those of the opening.
    pub moves: Vec<PlayedMove>,
    pub winner: Winner,
    pub end: GameEnd,
    /// The point at which a side would have resigned, in a game that was played on to check whether that would have been right.
    pub doubted: Option<Resignation>,
    /// Positions that the network evaluated.
    pub evaluations: u64,
    /// Seconds that the game took.
    pub seconds: f64,
}

/// The name of a game in its run; no two games have the same name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct GameId {
    /// The generation whose network played.
    pub generation: u32,
    pub worker: String,
    /// Number of games that the worker had started before in this generation.
    pub number: u32,
}

impl std::fmt::Display for GameId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:05}/{}-{:06}", self.generation, self.worker, self.number)
    }
}

/// A move with the search that chose it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct PlayedMove {
    pub chess_move: Move,
    /// Result of the search; `None` for moves of the opening.
    pub search: Option<SearchFinding>,
}

/// Result of a search, from the point of view of the side to move.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct SearchFinding {
    pub value: Wdl,
    /// Weight of each move in the policy target, in order of preference: visits, or shares of 10,000 if the search improves
    /// the policy by other means. Empty after a quick search, which is not learned from.
    pub policy: Vec<(Move, u32)>,
    /// Kullback-Leibler divergence of that policy from the network's priors, in nats: how much the search improved on them.
    pub surprise: Option<f64>,
}

/// Why a game ended: rules of chess, or a rule that only self-play has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameEnd {
    /// Checkmate, stalemate or a draw by the rules of chess.
    Rules(Ending),
    /// A side gave up.
    Resignation,
    /// It became too long and counts as a draw.
    Length,
}

impl GameEnd {
    /// The name under which generations count it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules(ending) => ending.name(),
            Self::Resignation => "resignation",
            Self::Length => "length",
        }
    }
}

/// A point at which a side would have resigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resignation {
    /// Half-moves of the game before this point.
    pub ply: u32,
    /// True if White would have resigned.
    pub white: bool,
}

impl SelfPlayGame {
    /// The game at its start.
    ///
    /// # Errors
    /// [`chess::GameError`] if the FEN is invalid.
    pub fn begin(&self) -> Result<Game, chess::GameError> {
        Game::from_any_fen(&self.start)
    }

    /// Half-moves played, including those of the opening.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }
}
