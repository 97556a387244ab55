//! Where games come from: every source is an iterator of records in which a broken game is an item, not the end.

pub mod input;
pub mod pgn;

use serde::{Deserialize, Serialize};

use crate::{
    DatasetError,
    record::{GameRecord, Place},
};

pub use input::Progress;
pub use pgn::PgnSource;

/// A stream of games.
///
/// # Laws
/// 1. A broken game is `Ok(Err(_))`, and the iteration goes on with the next game.
/// 2. `Err(_)` means that the rest of the source cannot be read; it is the last item.
/// 3. Memory does not grow with the length of the source.
pub trait Source: Iterator<Item = Result<Result<GameRecord, BadGame>, DatasetError>> {
    /// How much of the source was read.
    fn progress(&self) -> Progress;
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
