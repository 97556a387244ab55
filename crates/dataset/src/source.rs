//! Sources of games and positions: iterators of records. A broken record is an item and does not end the
//! iteration.

mod epd;
mod evaluation_parquet;
mod evaluation_row;
mod evaluations;
mod game_headings;
mod game_rows;
mod game_table;
pub mod input;
pub mod lines;
mod move_table;
pub mod opening_names;
mod parquet;
pub mod pgn;
mod ply_table;
pub mod position_graph;
mod positions;
pub mod puzzles;
mod rows;
mod scores;
mod table;

use std::path::Path;

use crate::DatasetError;

use self::{input::Input, parquet::ParquetFile, table::has_columns};

pub use crate::bad_record::{BadReason, BadRecord, PositionRules, Problem};
pub use input::{InputProgress, Location};
pub use pgn::PgnSource;
pub use rows::Source;
pub use table::{Columns, Row};

/// A kind of file that is read.
pub struct Format {
    /// Name of the format, for messages.
    pub name: &'static str,
    reading: Reading,
}

enum Reading {
    /// Text, recognised by how it begins.
    Text { recognises: fn(&str) -> bool, open: fn(Input, PositionRules) -> Box<dyn Source> },
    /// A table as text, recognised by its columns.
    Table { columns: &'static [&'static str], open: fn(Input, PositionRules) -> Box<dyn Source> },
    /// Parquet, recognised by its columns.
    Parquet { recognises: fn(&ParquetFile) -> bool, open: fn(ParquetFile, PositionRules) -> Box<dyn Source> },
}

// The order matters: what is recognised last accepts most. PGN has no heading, and a game may begin with a move, so it comes after EPD and
// all tables.

/// Every format. A text is read by the first that recognises how it begins, a Parquet file by the first that recognises its
/// columns; the name of the file plays no part.
pub const SOURCES: &[Format] = &[
    Format {
        name: "Lichess evaluations as Parquet",
        reading: Reading::Parquet {
            recognises: evaluation_parquet::recognises,
            open: evaluation_parquet::open,
        },
    },
    text("Lichess evaluations as JSON lines", evaluations::recognises, evaluations::open),
    table("Lichess evaluations as CSV", &evaluation_row::COLUMNS, evaluation_row::open),
    text("Lichess puzzles as CSV", puzzles::recognises, |input, _| puzzles::open(input)),
    table("Lichess games as CSV", game_table::COLUMNS, |input, _| game_table::open(input)),
    table("Lichess half-moves as CSV", ply_table::COLUMNS, |input, _| ply_table::open(input)),
    table("moves of games as CSV", move_table::COLUMNS, |input, _| move_table::open(input)),
    text("World Championship games as CSV", game_headings::recognises, |input, _| game_headings::open(input)),
    table("a graph of positions as CSV", position_graph::COLUMNS, |input, _| position_graph::open(input)),
    table("ECO openings as CSV", &opening_names::ECO_COLUMNS, |input, _| opening_names::open(input)),
    text("EPD positions", epd::recognises, |input, _| epd::open(input)),
    text("PGN games", pgn::recognises, |input, _| pgn::open(input)),
];

/// A format that is read as text.
const fn text(
    name: &'static str,
    recognises: fn(&str) -> bool,
    open: fn(Input, PositionRules) -> Box<dyn Source>,
) -> Format {
    Format { name, reading: Reading::Text { recognises, open } }
}

/// A format that is a table as text.
const fn table(
    name: &'static str,
    columns: &'static [&'static str],
    open: fn(Input, PositionRules) -> Box<dyn Source>,
) -> Format {
    Format { name, reading: Reading::Table { columns, open } }
}

/// Opens a file, plain or compressed, or the one file in a folder or zip archive, with the source that reads its
/// format.
///
/// # Errors
/// As [`open_at`]; also if there are several files.
pub fn open(path: &Path) -> Result<Box<dyn Source>, DatasetError> {
    match &Location::all(path)?[..] {
        [location] => open_at(location),
        several => Err(DatasetError::bad_source(path, format!("{} files in it", several.len()), "one")),
    }
}

/// Opens a file or text with the source that reads its format.
///
/// # Errors
/// [`DatasetError`] when it cannot be opened, is empty, or is of no known format.
pub fn open_at(location: &Location) -> Result<Box<dyn Source>, DatasetError> {
    open_with(location, PositionRules::Strict)
}

/// Opens a source with given rules for positions.
///
/// # Errors
/// As [`open_at`].
pub fn open_with(location: &Location, rules: PositionRules) -> Result<Box<dyn Source>, DatasetError> {
    if let Some(file) = ParquetFile::open(location)? {
        return open_parquet(file, rules);
    }
    let input = Input::open(location)?;
    for format in SOURCES {
        return match format.reading {
            Reading::Text { recognises, open } if recognises(input.beginning()) => Ok(open(input, rules)),
            Reading::Table { columns, open } if has_columns(input.beginning(), columns) => {
                Ok(open(input, rules))
            }
            _ => continue,
        };
    }
    let shown: String = input.beginning().trim_start().chars().take(60).take_while(|c| *c != '\n').collect();
    Err(unknown(input.path(), format!("a text that begins with {shown:?}")))
}

fn open_parquet(file: ParquetFile, rules: PositionRules) -> Result<Box<dyn Source>, DatasetError> {
    for format in SOURCES {
        if let Reading::Parquet { recognises, open } = format.reading
            && recognises(&file)
        {
            return Ok(open(file, rules));
        }
    }
    Err(unknown(file.path(), format!("a Parquet file with the columns {}", file.columns().join(", "))))
}

fn unknown(path: &Path, found: String) -> DatasetError {
    // The usual format, the last to be tried, is named first.
    let names: Vec<&str> = SOURCES.iter().rev().map(|format| format.name).collect();
    DatasetError::bad_source(path, found, format!("one of: {}", names.join(", ")))
}
