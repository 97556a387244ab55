//! Command line, options and timeouts of an engine process.

use std::{path::PathBuf, time::Duration};

/// The configuration of an engine process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UciProcessConfig {
    /// The program: a path, or a name found in `PATH` or in `/usr/games`.
    pub command: String,
    /// Arguments of the program, passed on without a shell.
    pub arguments: Vec<String>,
    /// Working directory; `None` inherits this process's.
    pub directory: Option<PathBuf>,
    /// Options to set after the handshake, in order; `None` presses a button.
    pub options: Vec<(String, Option<String>)>,
    /// Timeouts by kind of answer.
    pub timeouts: Timeouts,
}

impl UciProcessConfig {
    /// An engine without arguments and with its default options.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }

    /// Adds an option to set after the handshake.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), Some(value.into())));
        self
    }
}

/// Longest wait for each kind of answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From the start to `uciok`.
    pub handshake: Duration,
    /// From `isready` to `readyok`; engines load networks and clear tables in that time.
    pub ready: Duration,
    /// Grace beyond a search's own time limit, and for a stopped engine to answer, before it counts as hanging. The caller
    /// decides by `Answer::elapsed` whether a late move loses the game.
    pub margin: Duration,
    /// For a search without a time limit (nodes, depth, mate).
    pub search: Duration,
    /// From `quit` to the end of the process, before it is killed.
    pub quit: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(20),
            ready: Duration::from_mins(1),
            margin: Duration::from_secs(5),
            search: Duration::from_mins(10),
            quit: Duration::from_secs(2),
        }
    }
}
