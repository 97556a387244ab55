//! The seam through which the page reaches opening tables: what was played how often in games that somebody has.

use std::path::PathBuf;

use chess::Chess;
use serde::Serialize;
use tempfile::NamedTempFile;
use utoipa::ToSchema;

/// Something from which a table can be made.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OpeningSource {
    /// Its name, by which it is chosen.
    pub name: String,
    /// Its length in bytes; `None` if it is a folder.
    pub bytes: Option<u64>,
}

/// A table, ready or not.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OpeningTable {
    /// By what it is chosen.
    pub id: String,
    /// The name people see.
    pub name: String,
    /// True if the table can answer queries.
    pub ready: bool,
    /// The share of its source that was read, 0 to 1, while it is being made.
    pub share: Option<f64>,
    /// Games read so far.
    pub games: u64,
    /// Games read a second, while it is being made.
    pub games_per_second: Option<f64>,
    /// Games left out because they are broken.
    pub broken: u64,
    /// Positions in it, where it is ready.
    pub positions: u64,
    /// Half-moves of each game that were read, where it is ready.
    pub plies: u16,
    /// True if the counts are weights of a book, not games.
    pub weights: bool,
    /// True if the source has changed since the table was made.
    pub stale: bool,
    /// Reason why making the table failed, if it did.
    pub problem: Option<String>,
}

/// All opening tables, and the sources for more.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OpeningsView {
    /// All tables, ready or not.
    pub tables: Vec<OpeningTable>,
    /// Sources from which tables can be made.
    pub sources: Vec<OpeningSource>,
    /// Folder in which the server looks for sources.
    pub folder: String,
}

/// A move of a table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct OpeningMove {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
    pub white: u32,
    pub draws: u32,
    pub black: u32,
    /// Games without a known result; the weight of a book's move.
    pub unknown: u32,
    /// Mean rating of those who made it, where any is known.
    pub rating: Option<u16>,
    /// First and last year in which it was played, where any is known.
    #[schema(value_type = Option<(u16, u16)>)]
    pub years: Option<(u16, u16)>,
}

/// Something that a table cannot do.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// No table or source has this name.
    #[error("{0}")]
    Unknown(String),
    /// The table cannot be read, made or deleted, or a folder cannot be listed.
    #[error("{0}")]
    Failed(String),
}

/// Opening tables.
///
/// # Laws
/// 1. Tables are made in the background; [`Openings::view`] tells how far it is.
/// 2. No name reaches a file outside the folders of tables and sources.
/// 3. Calls may come from any thread at any time.
pub trait Openings: Send + Sync {
    /// Tables and sources.
    ///
    /// # Errors
    /// [`OpeningsError::Failed`] if a folder cannot be listed.
    fn view(&self) -> Result<OpeningsView, OpeningsError>;

    /// Begins to make the table of a source.
    ///
    /// # Errors
    /// [`OpeningsError`].
    fn make(&self, source: &str) -> Result<(), OpeningsError>;

    /// The folder for a file that is being sent, which is made and rid of what a killed server left in it.
    ///
    /// # Errors
    /// [`OpeningsError::Failed`].
    fn waiting_room(&self) -> Result<PathBuf, OpeningsError>;

    /// Begins to make the table of a file that was sent, and deletes the file afterwards.
    ///
    /// # Errors
    /// [`OpeningsError`].
    fn make_of_file(&self, name: &str, file: NamedTempFile) -> Result<(), OpeningsError>;

    /// Ends the making of a table, or forgets why it failed.
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

/// A program without opening tables.
pub(crate) struct NoOpenings;

impl Openings for NoOpenings {
    fn view(&self) -> Result<OpeningsView, OpeningsError> {
        Ok(OpeningsView { tables: Vec::new(), sources: Vec::new(), folder: String::new() })
    }

    fn make(&self, source: &str) -> Result<(), OpeningsError> {
        Err(OpeningsError::Unknown(format!("there is no source {source:?}")))
    }

    fn waiting_room(&self) -> Result<PathBuf, OpeningsError> {
        Err(OpeningsError::Failed("this server keeps no opening tables".into()))
    }

    fn make_of_file(&self, _: &str, _: NamedTempFile) -> Result<(), OpeningsError> {
        Err(OpeningsError::Failed("this server keeps no opening tables".into()))
    }

    fn stop(&self, _: &str) {}

    fn delete(&self, id: &str) -> Result<(), OpeningsError> {
        Err(OpeningsError::Unknown(format!("there is no opening table {id:?}")))
    }

    fn moves(&self, id: &str, _: &Chess) -> Result<Vec<OpeningMove>, OpeningsError> {
        Err(OpeningsError::Unknown(format!("there is no opening table {id:?}")))
    }
}
