//! The events reported while games are read.

use chess::{Chess, Move};
use dataset::{record::Winner, source::BadRecord};
use serde::{Deserialize, Serialize};

use crate::openings::ExplorerError;

/// A move of a game with the facts that tables and books count.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct ReadMove<'a> {
    /// The position before it.
    pub position: &'a Chess,
    pub chess_move: Move,
    /// The result of the game; `None` if it is not known.
    pub winner: Option<Winner>,
    /// Rating of the player who made the move.
    pub rating: Option<u16>,
    pub year: Option<u16>,
    /// True if the position occurred before in this game.
    pub is_repetition: bool,
}

/// Games read so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameCounts {
    /// Games with a known result.
    pub games: u64,
    /// Games without a known result.
    pub without_result: u64,
    /// Games that break the rules of chess or of their format.
    pub broken: u64,
}

/// How far the sources have been read, for a progress bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct ReadingProgress {
    pub counts: GameCounts,
    /// The share of the input that has been read, 0 to 1; 0 if its length is not known.
    pub share: f64,
}

/// Receives the moves of the sources one by one while they are read.
pub trait Listener {
    /// A move, in the order of the game.
    ///
    /// # Errors
    /// Any error that ends the reading.
    fn played(&mut self, played: &ReadMove<'_>) -> Result<(), ExplorerError>;

    /// A game that was left out because it is broken.
    fn broken(&mut self, _: &BadRecord) {}

    /// Reports progress, every few hundred games.
    ///
    /// # Errors
    /// [`ExplorerError::Stopped`] to end the reading.
    fn progress(&mut self, progress: &ReadingProgress) -> Result<(), ExplorerError>;
}
