//! How to start an engine and how long to wait for it.

use std::{path::PathBuf, time::Duration};

/// Everything needed to start an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UciProcessConfig {
    /// The program: a path, or a name found in `PATH` or in `/usr/games`.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The directory it runs in; ours where `None`.
    pub directory: Option<PathBuf>,
    /// Options to set after the handshake, in order; `None` presses a button.
    pub options: Vec<(String, Option<String>)>,
    /// Patience.
    pub timeouts: Timeouts,
}

impl UciProcessConfig {
    /// An engine without arguments and with its own default options.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }

    /// Adds an option to set.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), Some(value.into())));
        self
    }
}

/// How long an engine may take for each kind of answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From the start to `uciok`.
    pub handshake: Duration,
    /// From `isready` to `readyok`: networks are loaded and tables cleared in that time.
    pub ready: Duration,
    /// What a search may take beyond its own time limit, and an idle or stopped engine to answer, before it counts as hanging.
    /// Whether a late move loses the game is for the caller to judge by [`super::Answer::elapsed`].
    pub margin: Duration,
    /// What a search without any limit of time (nodes, depth, mate) may take.
    pub search: Duration,
    /// From `quit` to the end of the process; then it is killed.
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
