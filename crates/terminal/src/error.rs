//! Errors of the terminal.

use std::{io, path::PathBuf};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum TerminalError {
    #[error("cannot write to the terminal")]
    Write(#[source] io::Error),
    /// Input cannot be read.
    #[error("cannot read {what}")]
    Read { what: &'static str, source: io::Error },
    /// The game of a person cannot be saved.
    #[error("cannot keep the game in {}", file.display())]
    Keep { file: PathBuf, source: io::Error },
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] files::OutputError),
    #[error(transparent)]
    Search(#[from] chess::SearchError),
    /// A move that the rules forbid, from a search that breaks its laws.
    #[error(transparent)]
    Move(#[from] chess::GameError),
    #[error("cannot watch for Ctrl-C")]
    Interrupt(#[source] ctrlc::Error),
}
