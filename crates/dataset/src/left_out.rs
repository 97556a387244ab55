//! Reasons for leaving out what was read well: a store's manifest counts them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
