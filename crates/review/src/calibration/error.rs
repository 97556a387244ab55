//! Errors of reviews.

use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum ReviewError {
    #[error(transparent)]
    Source(#[from] dataset::DatasetError),
    #[error(
        "{}: found no game with moves and two ratings{}", place.display(),
        if *of_speeds { " at one of the speeds asked for" } else { "" }
    )]
    NoGames {
        place: PathBuf,
        /// True if only some speeds were requested.
        of_speeds: bool,
    },
    #[error(transparent)]
    Search(#[from] chess::SearchError),
    #[error("interrupted; a measurement counts only as a whole")]
    Interrupted,
    /// The file of reviews cannot be read or written.
    #[error(transparent)]
    File(#[from] files::OutputError),
    #[error("{place}: {problem}")]
    Kept {
        /// The file, with the line if one is broken.
        place: String,
        problem: String,
        source: Option<serde_json::Error>,
    },
    #[error("--fit: found {found} sides of games rated {from} to {to}, expected at least {least}")]
    TooFew {
        found: usize,
        /// The lowest rating included.
        from: u16,
        to: u16,
        least: usize,
    },
}
