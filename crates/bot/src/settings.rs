//! What a program starts a bot with: the settings, and the factory of the searches that play.

use std::{path::PathBuf, time::Duration};

use chess::{CastlingMode, Color, Search};

use crate::BotConfig;

/// Address of the server, and timeouts of the connection.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionSettings {
    /// Address of the server, without a slash at the end.
    pub url: String,
    /// Longest time for a request other than a stream.
    pub request: Duration,
    /// A stream that is silent for this long, without even the empty lines that Lichess sends every few seconds, is dead.
    pub silence: Duration,
    /// Pause after status 429 without a header `Retry-After`; Lichess requires a full minute.
    pub after_too_many: Duration,
    /// How long to wait for events that the server should send unrequested: the start of an accepted game,
    /// the end of a game that was given up, the end of a player's time.
    pub patience: Duration,
    /// Pause before a connection is tried again; each further pause is twice the previous one.
    pub first_pause: Duration,
    /// Upper limit of these pauses.
    pub longest_pause: Duration,
}

impl ConnectionSettings {
    /// Default of [`ConnectionSettings::url`].
    pub const URL: &str = "https://lichess.org";
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self {
            url: Self::URL.into(),
            request: Duration::from_secs(10),
            silence: Duration::from_secs(25),
            after_too_many: Duration::from_secs(61),
            patience: Duration::from_mins(1),
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_mins(1),
        }
    }
}

/// All settings with which a bot is started.
#[derive(Clone, Debug, PartialEq)]
pub struct BotSettings {
    /// Address of the server, with timeouts and pauses.
    pub connection: ConnectionSettings,
    /// The games to play, and rules of play.
    pub config: BotConfig,
    /// Folder in which finished games are saved as PGN.
    pub games: PathBuf,
}

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
