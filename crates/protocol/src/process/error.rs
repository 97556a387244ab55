//! Errors of an engine process.

use std::{fmt, io, path::Path, time::Duration};

use crate::OptionError;

/// Why an engine could not be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum UciProcessError {
    #[error("cannot start the engine {command:?}: {source}{}", hint(command, source))]
    Spawn { command: String, source: io::Error },
    #[error("{engine} gave no {waiting_for} within {} ms{last_words}", after.as_millis())]
    Timeout { engine: String, waiting_for: Waiting, after: Duration, last_words: LastWords },
    #[error("{engine} ended ({status}) before it sent {waiting_for}{last_words}")]
    Ended { engine: String, waiting_for: Waiting, status: String, last_words: LastWords },
    #[error("{engine} has no option {name:?}; it has: {known}")]
    UnknownOption {
        engine: String,
        name: String,
        /// The options it declared, separated by commas.
        known: String,
    },
    /// The engine does not allow this value.
    #[error("{engine}: {source}")]
    Option { engine: String, source: OptionError },
    #[error("{engine} played the illegal move {found} in position {fen}")]
    IllegalMove {
        engine: String,
        /// The move in UCI notation.
        found: String,
        fen: String,
    },
    #[error("{engine} answered {found:?}, which is not a move, in position {fen}")]
    UnreadableMove { engine: String, found: String, fen: String },
    #[error("{engine} found no move in position {fen}")]
    NoMove { engine: String, fen: String },
    #[error(
        "{engine}: found limits that never end (infinite or ponder), expected limits under which a search ends"
    )]
    Endless { engine: String },
}

/// A message that an engine must send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum Waiting {
    UciOk,
    ReadyOk,
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

/// The last lines of an engine's output and error output, oldest first; usually they say why it ended.
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

/// Advice for a missing program.
fn hint(command: &str, source: &io::Error) -> &'static str {
    let name = Path::new(command).file_name();
    match (source.kind(), name) {
        (io::ErrorKind::NotFound, Some(name)) if name == "stockfish" => {
            " (to install it on Debian and Ubuntu: apt install stockfish; elsewhere: https://stockfishchess.org/download/)"
        }
        (io::ErrorKind::NotFound, _) if command.contains(' ') => {
            " (expected a path, or the name of a program in PATH or /usr/games; its arguments are given one by one, as in uci=PROGRAM,arg=ARGUMENT)"
        }
        (io::ErrorKind::NotFound, _) => " (expected a path, or the name of a program in PATH or /usr/games)",
        _ => "",
    }
}
