//! The interface through which the program passes its searches to the bot.

use chess::{CastlingMode, Color, Search};

/// Facts of a game before its first move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSetup {
    /// The server's name for the game.
    pub id: String,
    /// Side that the bot plays.
    pub side: Color,
    /// Standard or Chess960.
    pub castling_mode: CastlingMode,
    /// The opponent's name.
    pub opponent: String,
}

/// The search that plays one game.
pub struct GameEngine {
    /// The search, used only for this game.
    pub search: Box<dyn Search>,
    /// Maximum nodes per move, for an engine of limited strength.
    pub nodes: Option<u64>,
}

/// Factory of the searches that play games.
pub trait EngineFactory: Send + Sync {
    /// The engine of a new game.
    ///
    /// # Errors
    /// The reason as a sentence; the game is then resigned or aborted.
    fn build(&self, setup: &GameSetup) -> Result<GameEngine, String>;
}
