//! Where games and positions come from: every source is an iterator of records in which a broken record is an item, not
//! the end.

pub mod evaluations;
pub mod input;
mod lines;
pub mod pgn;
mod positions;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{
    DatasetError,
    record::{Place, Record},
};

use self::input::Input;

pub use input::Progress;
pub use pgn::PgnSource;

/// A kind of file that is read.
pub struct Format {
    /// Its name, for messages.
    pub name: &'static str,
    /// Whether a text that begins so is of this format.
    recognises: fn(&str) -> bool,
    open: fn(Input) -> Box<dyn Source>,
}

/// Every format. A file is read by the first that recognises how its text begins; its name plays no part.
pub const SOURCES: &[Format] = &[
    Format {
        name: "Lichess evaluations (JSON lines)",
        recognises: evaluations::recognises,
        open: evaluations::open,
    },
    Format { name: "PGN games", recognises: |_| true, open: pgn::open },
];

/// Opens a file, plain or compressed, with the source that reads its format.
///
/// # Errors
/// [`DatasetError`] when the file cannot be opened, is empty, or is of no known format.
pub fn open(path: &Path) -> Result<Box<dyn Source>, DatasetError> {
    let input = input::open(path)?;
    let beginning = input.beginning.trim_start_matches('\u{feff}');
    let format = SOURCES.iter().find(|format| (format.recognises)(beginning));
    match format {
        Some(format) => Ok((format.open)(input)),
        None => Err(DatasetError::BadSource {
            path: path.into(),
            offset: 0,
            found: format!("{:?}", beginning.chars().take(40).collect::<String>()),
            expected: "games or positions in a known format",
        }),
    }
}

/// A stream of records.
///
/// # Laws
/// 1. A broken record is `Ok(Err(_))`, and the iteration goes on with the next one.
/// 2. `Err(_)` means that the rest of the source cannot be read; it is the last item.
/// 3. Memory does not grow with the length of the source.
pub trait Source: Iterator<Item = Result<Result<Record, BadGame>, DatasetError>> {
    /// How much of the source was read.
    fn progress(&self) -> Progress;

    /// XXH3 of the bytes of the file read so far; of the whole file when the iteration is over.
    fn digest(&self) -> String;
}

/// A game that a source could not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGame {
    /// Where the game starts.
    pub game: Place,
    /// The line of the finding.
    pub line: u64,
    /// The kind of finding.
    pub reason: BadGameReason,
    /// What was found and expected.
    pub detail: String,
}

impl std::fmt::Display for BadGame {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}: ", self.game.file.display(), self.line)?;
        write!(formatter, "{}: {} (game from line {})", self.reason.name(), self.detail, self.game.line)
    }
}

/// Why a game was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BadGameReason {
    /// A move that cannot be played.
    IllegalMove,
    /// A starting position that cannot be read or breaks the rules.
    BadFen,
    /// An `[%eval]` or `[%clk]` that cannot be read.
    BadAnnotation,
    /// Text that is no PGN, such as a tag without an end.
    BadSyntax,
    /// A variant other than standard chess and Chess960.
    UnsupportedVariant,
    /// No termination marker after the moves: the game is cut off.
    Unterminated,
    /// The tag `Result` and the termination marker contradict each other.
    ConflictingResult,
    /// A game without moves.
    NoMoves,
    /// More moves than a store can number.
    TooLong,
}

impl BadGameReason {
    /// The name under which the reason is counted.
    pub fn name(self) -> &'static str {
        match self {
            Self::IllegalMove => "illegal_move",
            Self::BadFen => "bad_fen",
            Self::BadAnnotation => "bad_annotation",
            Self::BadSyntax => "bad_syntax",
            Self::UnsupportedVariant => "unsupported_variant",
            Self::Unterminated => "unterminated",
            Self::ConflictingResult => "conflicting_result",
            Self::NoMoves => "no_moves",
            Self::TooLong => "too_long",
        }
    }
}
