//! Anything that plays a game of chess: a search, a UCI engine, and the simple movers with which every figure is
//! compared.

#[cfg(feature = "laws")]
pub mod laws;
mod movers;
mod search;
mod uci;

use std::time::Duration;

use chess::{Game, Limits, Move, Score, SearchError, StopSignal, Wdl};

pub(crate) use movers::{Baselines, chance_of};
pub use movers::{FIRST, MATERIAL, MOVERS, Mover, RANDOM};
pub use search::SearchPlayer;
pub use uci::{UciPlayer, program_hash};

/// A player's remarks on a move it chose, for game records and adjudication.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MoveInfo {
    /// Evaluation for the side that moved.
    pub score: Option<Score>,
    /// Win, draw and loss for the side that moved.
    pub wdl: Option<Wdl>,
    /// Depth reached, in plies.
    pub depth: Option<u32>,
    /// Positions searched.
    pub nodes: Option<u64>,
}

/// A move, with the player's report on its search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The move. The caller must check that it is legal.
    pub chess_move: Move,
    /// The player's remarks on it.
    pub info: MoveInfo,
}

/// Failures of a player to return a playable move. Each loses the game for the player.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum PlayerError {
    #[error("{player} did not start: {reason}")]
    Start { player: String, reason: String },
    #[error("{player} played {found:?}, which is not a legal move in {fen}")]
    IllegalMove {
        player: String,
        /// The move as the player wrote it.
        found: String,
        fen: String,
    },
    #[error("{player} answered {found:?}, which is not a move, in {fen}")]
    UnreadableMove {
        player: String,
        /// The answer as the player wrote it.
        found: String,
        fen: String,
    },
    #[error("{player} crashed: {reason}")]
    Crashed { player: String, reason: String },
    /// The player did not answer and ignored the stop signal.
    #[error("{player} gave no answer within {} s", .waited.as_secs_f32())]
    Unresponsive { player: String, waited: Duration },
    /// The player's search failed, or the game was finished.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// Plays moves.
///
/// # Laws (`laws::check`)
/// 1. The name never changes and is not empty.
/// 2. A choice is legal in the game's current position.
/// 3. A game without a legal move is refused with [`PlayerError::Search`]`(NoLegalMove)`.
/// 4. With `stop` signalled, before or during the call, a choice comes back at once (within 50 ms of evaluator time).
/// 5. For players that claim determinism: after [`Player::new_game`] with equal seeds, equal positions and limits that
///    do not depend on time give equal choices.
///
/// After any error except that of law 3 the player is unusable: it is dropped and built again.
pub trait Player: Send {
    /// Name of the player in game records.
    fn name(&self) -> &str;

    /// Sets how long a match waits for a move: `patience` without a limit of time, `overrun` beyond one. Called before the first game.
    /// It matters only to players that give up a search by themselves.
    fn be_patient(&mut self, _patience: Duration, _overrun: Duration) {}

    /// Forgets everything learnt in earlier games. The player's random choices follow `seed`. A player without memory or chance ignores
    /// the call.
    ///
    /// # Errors
    /// [`PlayerError`] if the player does not get ready.
    fn new_game(&mut self, _seed: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    /// Chooses a move in the current position of `game` within `limits`. Players that do not think ignore the limits.
    ///
    /// # Errors
    /// [`PlayerError`] without a playable answer.
    fn choose(&mut self, game: &Game, limits: &Limits, stop: &StopSignal) -> Result<Choice, PlayerError>;
}

/// Builds fresh copies of one player: one for each thread of a match, and another after a crash. It fails with
/// [`PlayerError::Start`] and the reason.
pub type PlayerFactory = dyn Fn() -> Result<Box<dyn Player>, PlayerError> + Send + Sync;

fn no_legal_move(game: &Game) -> PlayerError {
    PlayerError::Search(SearchError::NoLegalMove { fen: game.fen() })
}
