//! The result of a game as PGN writes it.

use std::fmt;

use shakmaty::Color;

use crate::Outcome;

/// The result of a game in PGN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PgnResult {
    /// `1-0`.
    WhiteWins,
    /// `0-1`.
    BlackWins,
    /// `1/2-1/2`.
    Draw,
    /// `*`: unfinished or unknown.
    #[default]
    Unknown,
}

impl PgnResult {
    /// The win of `winner`; a draw for `None`.
    pub fn won_by(winner: Option<Color>) -> Self {
        match winner {
            Some(Color::White) => Self::WhiteWins,
            Some(Color::Black) => Self::BlackWins,
            None => Self::Draw,
        }
    }

    /// The text of the tag `Result` and of the termination marker.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }
}

impl From<Outcome> for PgnResult {
    fn from(outcome: Outcome) -> Self {
        Self::won_by(outcome.winner)
    }
}

impl fmt::Display for PgnResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
