//! Events of the bot for logs, and the observer that receives them.

use std::{
    fmt::{self, Write as _},
    path::PathBuf,
    time::Duration,
};

use chess::printable;

/// Receives events. Called from several threads.
pub trait LogObserver: Send + Sync {
    /// Called once for each event, on the thread in which it happened.
    fn report(&self, event: &LogEvent);
}

/// Something that happened. The text of each event is one line without secrets; [`crate::Token`] cannot get into it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum LogEvent {
    Connected {
        name: String,
    },
    /// The stream of events is open, for the first time or again.
    Listening,
    /// A stream ended or broke and is opened again.
    StreamLost {
        path: String,
        reason: String,
        /// Time before the next attempt.
        pause: Duration,
    },
    /// A line of a stream was left out.
    BadLine {
        path: String,
        reason: String,
    },
    RequestFailed {
        /// The request and its error.
        reason: String,
    },
    Accepted {
        id: String,
        /// Challenger and conditions in words.
        challenge: String,
    },
    Declined {
        id: String,
        /// Challenger and conditions in words.
        challenge: String,
        /// Reason, as a key of Lichess.
        reason: &'static str,
    },
    Challenged {
        opponent: String,
    },
    /// A game started, or was resumed after a restart.
    GameStarted {
        id: String,
        players: String,
    },
    GameOver {
        id: String,
        result: String,
        /// The file of the game; `None` if it cannot be written, which is reported separately, or if nobody moved.
        file: Option<PathBuf>,
    },
    /// Something in a game went wrong.
    GameProblem {
        id: String,
        reason: String,
    },
    /// No new games; the bot ends after the running ones.
    Ending {
        games: usize,
    },
}

impl fmt::Display for LogEvent {
    /// Always one line, because control characters in the server's names are escaped.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.describe(&mut text)?;
        formatter.write_str(&printable(&text, &[]))
    }
}

impl LogEvent {
    fn describe(&self, formatter: &mut String) -> fmt::Result {
        match self {
            Self::Connected { name } => write!(formatter, "account {name}"),
            Self::Listening => write!(formatter, "waiting for challenges"),
            Self::StreamLost { path, reason, pause } => {
                write!(formatter, "{path}: {reason} (next attempt in {:.1} s)", pause.as_secs_f64())
            }
            Self::BadLine { path, reason } => write!(formatter, "{path}: left out {reason}"),
            Self::RequestFailed { reason } => formatter.write_str(reason),
            Self::Accepted { id, challenge } => write!(formatter, "challenge {id} accepted: {challenge}"),
            Self::Declined { id, challenge, reason } => {
                write!(formatter, "challenge {id} declined ({reason}): {challenge}")
            }
            Self::Challenged { opponent } => write!(formatter, "challenged {opponent}"),
            Self::GameStarted { id, players } => write!(formatter, "game {id}: {players}"),
            Self::GameOver { id, result, file } => {
                let kept = file.as_ref().map(|file| format!(", saved in {}", file.display()));
                write!(formatter, "game {id} is over: {result}{}", kept.unwrap_or_default())
            }
            Self::GameProblem { id, reason } => write!(formatter, "game {id}: {reason}"),
            Self::Ending { games } => write!(formatter, "no new games; {games} still running"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Defect N8: names with ESC, BEL and newlines printed colours and forged lines of the log.
    #[test]
    fn a_report_is_one_line_of_printable_text() {
        let players = "Bot - \u{1b}[31mEVIL\u{7}\nforged log line\u{202e}".to_owned();
        let name = players.clone();
        let reports = [
            LogEvent::GameStarted { id: "gameAAAA".into(), players },
            LogEvent::Connected { name: name.clone() },
            LogEvent::Challenged { opponent: name.clone() },
            LogEvent::Accepted { id: name.clone(), challenge: name },
        ];
        for report in reports {
            let text = report.to_string();
            assert!(text.contains("EVIL") && !text.contains(|letter: char| letter.is_control()), "{text:?}");
            assert!(!text.contains('\u{202e}'), "{text:?}");
        }
    }
}
