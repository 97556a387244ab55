//! Where games and positions come from: every source is an iterator of records in which a broken record is an item, not
//! the end.

mod epd;
mod evaluations;
mod game_table;
pub mod input;
mod lines;
pub mod pgn;
mod positions;
mod puzzles;
mod rows;
mod table;

use std::path::Path;

use crate::{DatasetError, record::Record};

use self::input::{Input, Location};

pub use crate::bad_record::{BadReason, BadRecord};
pub use input::Progress;
pub use pgn::PgnSource;

/// A kind of text that is read.
pub struct Format {
    /// Its name, for messages.
    pub name: &'static str,
    /// Whether a text that begins so is of this format.
    recognises: fn(&str) -> bool,
    open: fn(Input) -> Box<dyn Source>,
}

/// Every format. A text is read by the first that recognises how it begins; the name of its file plays no part.
pub const SOURCES: &[Format] = &[
    Format {
        name: "Lichess evaluations as JSON lines",
        recognises: evaluations::recognises,
        open: evaluations::open,
    },
    Format { name: "Lichess puzzles as CSV", recognises: puzzles::recognises, open: puzzles::open },
    Format { name: "Lichess games as CSV", recognises: game_table::recognises, open: game_table::open },
    Format { name: "EPD positions", recognises: epd::recognises, open: epd::open },
    Format { name: "PGN games", recognises: pgn::recognises, open: pgn::open },
];

/// Opens a file, plain or compressed, or the one file in a folder or zip archive, with the source that reads its format.
///
/// # Errors
/// As [`open_at`]; also where there are several files.
pub fn open(path: &Path) -> Result<Box<dyn Source>, DatasetError> {
    match &Location::all(path)?[..] {
        [location] => open_at(location),
        several => Err(DatasetError::BadSource {
            path: path.into(),
            offset: 0,
            found: format!("{} files in it", several.len()),
            expected: "one".into(),
        }),
    }
}

/// Opens a text with the source that reads its format.
///
/// # Errors
/// [`DatasetError`] when the text cannot be opened, is empty, or is of no known format.
pub fn open_at(location: &Location) -> Result<Box<dyn Source>, DatasetError> {
    let input = Input::open(location)?;
    if let Some(format) = SOURCES.iter().find(|format| (format.recognises)(input.beginning())) {
        return Ok((format.open)(input));
    }
    let shown: String = input.beginning().trim_start().chars().take(60).take_while(|c| *c != '\n').collect();
    let names: Vec<&str> = SOURCES.iter().map(|format| format.name).collect();
    Err(DatasetError::BadSource {
        path: input.path().into(),
        offset: 0,
        found: format!("a text that begins with {shown:?}"),
        expected: names.join(" or "),
    })
}

/// A stream of records.
///
/// # Laws
/// 1. A broken record is `Ok(Err(_))`, and the iteration goes on with the next one.
/// 2. `Err(_)` means that the rest of the source cannot be read; it is the last item.
/// 3. Memory does not grow with the length of the source.
pub trait Source: Iterator<Item = Result<Result<Record, BadRecord>, DatasetError>> {
    /// How much of the source was read.
    fn progress(&self) -> Progress;

    /// XXH3 of the bytes of the file read so far; of the whole file when the iteration is over.
    fn digest(&self) -> String;
}
