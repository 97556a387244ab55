//! Records that are broken, and the reasons for leaving out what was read well.

use std::collections::BTreeMap;

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

/// Why a row or a game is not a record, before the place is known.
#[derive(Debug)]
pub struct Problem {
    /// Kind of the error, under which such records are counted.
    pub reason: BadReason,
    /// The finding and the expectation.
    pub detail: String,
}

impl Problem {
    pub(crate) fn new(reason: BadReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }

    /// The broken record at a place, for a problem of its first line.
    pub(crate) fn at(self, place: Place) -> BadRecord {
        BadRecord { line: place.line, start: place, reason: self.reason, detail: self.detail }
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

/// The condition that a game, or a position that is part of no game, does not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// No position has an evaluation.
    NoEvaluation,
    /// The players have no ratings, or ratings outside the filter.
    Rating,
    /// The time control is unknown, or outside the filter.
    TimeControl,
    /// The result is unknown, or outside the filter.
    Result,
    /// The game is too short.
    Length,
    /// No player has the name of the filter.
    Player,
    /// The band of the players' ratings already has its maximum number of games.
    FullBand,
    /// A position that is part of no game, where a condition on games was given.
    NoGame,
    /// No position meets the conditions on positions.
    Positions,
}

impl LeftOut {
    /// The reason as the rest of a sentence about the records, with the option or command that changes it.
    fn text(self) -> &'static str {
        match self {
            Self::NoEvaluation => "have no evaluations (`tabiya data label` makes them)",
            Self::Rating => "have no ratings or others (--min-rating, --max-rating)",
            Self::TimeControl => "have no time control or another (--time-control, --speed)",
            Self::Result => "have no result or another (--result)",
            Self::Length => "are too short (--min-plies)",
            Self::Player => "are not of the player (--player)",
            Self::FullBand => "are beyond the games of their rating band (--max-games-per-band)",
            Self::NoGame => {
                "are single positions, which have no players, times, results or moves (game filters)"
            }
            Self::Positions => "have no position that all position filters keep (--min-ply and others)",
        }
    }
}

/// Counts by reason as one line; empty without reasons.
pub(crate) fn reasons_text(counts: &BTreeMap<LeftOut, u64>) -> String {
    let parts: Vec<String> =
        counts.iter().map(|(reason, count)| format!("{count} {}", reason.text())).collect();
    parts.join("; ")
}

/// Treatment of positions of the Lichess evaluation database that break the rules of orthodox chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PositionRules {
    /// Rejects them as broken records.
    #[default]
    Strict,
    /// Castling rights without king and rook at home are dropped, more than eight pawns of a side allowed, and a king's
    /// move onto a rook that it may not castle with is a step towards it. This reproduces the data of older projects; a
    /// position of Chess960 loses its castling this way, and some of its best moves are wrong.
    Repaired,
}
