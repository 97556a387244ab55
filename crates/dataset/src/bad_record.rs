//! Records that a source could not read, with the reasons: a store's manifest counts them.

use serde::{Deserialize, Serialize};

use crate::record::Place;

/// A record that a source could not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// File and line of the record's start.
    pub start: Place,
    /// The line of the finding.
    pub line: u64,
    /// Kind of the error, under which such records are counted.
    pub reason: BadReason,
    /// The finding and the expectation.
    pub detail: String,
}

impl std::fmt::Display for BadRecord {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { start, line, reason, detail } = self;
        write!(formatter, "{}:{line}: {}: {detail}", start.file.display(), reason.name())?;
        if start.line == *line { Ok(()) } else { write!(formatter, " (game from line {})", start.line) }
    }
}

/// The reason for rejecting a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BadReason {
    /// A move that cannot be played.
    IllegalMove,
    /// A starting position that cannot be read or breaks the rules.
    BadFen,
    /// An evaluation or clock that cannot be read. Nothing gives this reason since version 0.2.0, because the record is kept without the
    /// label; manifests of earlier stores count it.
    BadAnnotation,
    /// Text that is not in the source's format, such as a tag without an end or a word that is not a move.
    BadSyntax,
    /// A variant that the source does not read.
    UnsupportedVariant,
    /// Another number of moves than the source says: the game is cut off.
    Unterminated,
    /// The tag `Result` and the termination marker contradict each other.
    ConflictingResult,
    /// A game without moves, or a position without a best move.
    NoMoves,
    /// More moves than a store can number, or a line that is too long.
    TooLong,
}

impl BadReason {
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
