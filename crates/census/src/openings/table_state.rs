//! A table of a shelf and its progress.

use crate::openings::{ReadingProgress, TableInfo};

/// State of a table on the shelf.
#[derive(Clone, Debug, PartialEq)]
pub enum TableState {
    /// Ready for queries.
    Ready(TableInfo),
    /// Being built, or queued.
    Making(TableProgress),
    /// Not made or not readable, with the reason.
    Failed(String),
}

/// Progress of a table that is being made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct TableProgress {
    pub progress: ReadingProgress,
    /// Games per second since it began; 0 before.
    pub games_per_second: f64,
}

/// A table of the shelf, whether it is ready or not.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct ListedTable {
    /// Identifier, a plain file name.
    pub id: String,
    /// The name shown to people.
    pub name: String,
    pub state: TableState,
    /// True if its source has changed since it was made.
    pub stale: bool,
}
