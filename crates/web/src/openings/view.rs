//! Opening tables as the page shows them.

use serde::Serialize;
use utoipa::ToSchema;

/// Something from which a table can be made.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OpeningSource {
    /// Name in requests.
    pub name: String,
    /// Its length in bytes; `None` if it is a folder.
    pub bytes: Option<u64>,
}

/// A table, ready or not.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OpeningTable {
    /// Id in requests.
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
