//! The interface of the page to opening tables: counts of the moves played in a set of games.

mod none;
mod view;

use std::path::PathBuf;

use chess::Chess;
use tempfile::NamedTempFile;

pub(crate) use none::NoOpenings;
pub use view::{OpeningMove, OpeningSource, OpeningTable, OpeningsView};

/// An operation that a table cannot perform.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// No table or source has this name.
    #[error("{0}")]
    Unknown(String),
    /// The table cannot be read, built or deleted, or a folder cannot be listed.
    #[error("{0}")]
    Failed(String),
}

/// Opening tables.
///
/// # Laws
/// 1. Tables are built in the background; [`Openings::view`] reports the progress.
/// 2. No name reaches a file outside the folders of tables and sources.
/// 3. Calls may come from any thread at any time.
pub trait Openings: Send + Sync {
    /// Tables and sources.
    ///
    /// # Errors
    /// [`OpeningsError::Failed`] if a folder cannot be listed.
    fn view(&self) -> Result<OpeningsView, OpeningsError>;

    /// Starts making the table of a source.
    ///
    /// # Errors
    /// [`OpeningsError`].
    fn make(&self, source: &str) -> Result<(), OpeningsError>;

    /// The folder for a file that is being sent. It is created, and leftovers of a killed server are removed from it.
    ///
    /// # Errors
    /// [`OpeningsError::Failed`].
    fn waiting_room(&self) -> Result<PathBuf, OpeningsError>;

    /// Starts making the table of a file that was sent, and deletes the file afterwards.
    ///
    /// # Errors
    /// [`OpeningsError`].
    fn make_of_file(&self, name: &str, file: NamedTempFile) -> Result<(), OpeningsError>;

    /// Stops making a table, or forgets why it failed.
    fn stop(&self, id: &str);

    /// Deletes a table.
    ///
    /// # Errors
    /// [`OpeningsError`].
    fn delete(&self, id: &str) -> Result<(), OpeningsError>;

    /// The moves of a position, most games first.
    ///
    /// # Errors
    /// [`OpeningsError`].
    fn moves(&self, id: &str, position: &Chess) -> Result<Vec<OpeningMove>, OpeningsError>;
}
