//! Settings of a bot other than its token and engine.

use std::{path::PathBuf, time::Duration};

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
    /// First and longest pause before a connection is tried again; each pause is twice the previous one.
    pub pauses: (Duration, Duration),
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
            pauses: (Duration::from_millis(500), Duration::from_mins(1)),
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
