//! Errors on the way from games to a table.

use std::path::PathBuf;

use chess::polyglot::BookError;
use dataset::DatasetError;
use files::OutputError;

/// An error of this crate. Broken games are not errors: they are counted.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum ExplorerError {
    /// Games or a store cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Book(#[from] BookError),
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("{} is not an opening table: found {found}, expected {expected}", path.display())]
    Format { path: PathBuf, found: String, expected: String },
    #[error("{place}: found a position that is not part of a game, expected games, whose moves are counted")]
    NoGame { place: String },
    /// A row of a store contradicts itself.
    #[error("{}: {reason}", path.display())]
    BadSample { path: PathBuf, reason: String },
    #[error("{name}: no game to count ({games} read, {broken} broken)")]
    Empty { name: String, games: u64, broken: u64 },
    /// No source of this name can be read, or no table of this name is kept.
    #[error("there is no {what} {name:?}")]
    Unknown {
        /// A source or a table.
        what: &'static str,
        name: String,
    },
    #[error("the games of {name} cannot be listed or filtered: {reason}")]
    NoGames { name: String, reason: &'static str },
    #[error(
        "found {found} games with this position, expected at most {most} to filter; choose a later position or fewer ratings"
    )]
    ManyGames { found: u64, most: u64 },
    #[error("stopped; no table was written")]
    Stopped,
}
