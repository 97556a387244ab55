//! What can go wrong with an engine process.

use std::{fmt, io, time::Duration};

use crate::OptionError;

/// Why an engine could not be used.
#[derive(Debug, thiserror::Error)]
pub enum UciProcessError {
    /// The program could not be started.
    #[error("cannot start the engine {command:?}: {source}")]
    Spawn {
        /// The program.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// The engine did not answer in time.
    #[error("{engine} gave no {waiting_for} within {} ms{last_words}", after.as_millis())]
    Timeout {
        /// The engine.
        engine: String,
        /// The answer awaited.
        waiting_for: Waiting,
        /// How long it was awaited.
        after: Duration,
        /// What the engine wrote last.
        last_words: LastWords,
    },
    /// The engine ended or closed its output.
    #[error("{engine} ended ({status}) while {waiting_for} was awaited{last_words}")]
    Ended {
        /// The engine.
        engine: String,
        /// The answer awaited.
        waiting_for: Waiting,
        /// Its exit status, in words.
        status: String,
        /// What the engine wrote last.
        last_words: LastWords,
    },
    /// The engine has no such option.
    #[error("{engine} has no option {name:?}; it has: {known}")]
    UnknownOption {
        /// The engine.
        engine: String,
        /// The name asked for.
        name: String,
        /// The options it declared.
        known: String,
    },
    /// The engine does not allow this value.
    #[error("{engine}: {source}")]
    Option {
        /// The engine.
        engine: String,
        /// What it allows.
        source: OptionError,
    },
    /// The engine's move breaks the rules.
    #[error("{engine} played the illegal move {found} in position {fen}")]
    IllegalMove {
        /// The engine.
        engine: String,
        /// The move as written.
        found: String,
        /// The position.
        fen: String,
    },
    /// The engine answered with a `bestmove` that is no move.
    #[error("{engine} answered {found:?}, which is no move, in position {fen}")]
    UnreadableMove {
        /// The engine.
        engine: String,
        /// The line.
        found: String,
        /// The position.
        fen: String,
    },
    /// The engine said that there is no move.
    #[error("{engine} found no move in position {fen}")]
    NoMove {
        /// The engine.
        engine: String,
        /// The position.
        fen: String,
    },
    /// The limits asked for would never end the search.
    #[error("{engine} was asked for a move under limits that never end (infinite or ponder)")]
    Endless {
        /// The engine.
        engine: String,
    },
}

/// The answer that was awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// `uciok`.
    UciOk,
    /// `readyok`.
    ReadyOk,
    /// `bestmove`.
    BestMove,
}

impl fmt::Display for Waiting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::UciOk => "uciok (is it a UCI engine?)",
            Self::ReadyOk => "readyok",
            Self::BestMove => "bestmove",
        })
    }
}

/// The last lines an engine wrote to its output and error output, oldest first: mostly the reason of its death.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastWords(pub Vec<String>);

impl fmt::Display for LastWords {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return formatter.write_str("; it wrote nothing");
        }
        write!(formatter, "; its last words: {}", self.0.join(" | "))
    }
}
