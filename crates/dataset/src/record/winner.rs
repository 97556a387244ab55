//! Results of games.

use chess::Color;
use serde::{Deserialize, Serialize};

use crate::GameResult;

/// Result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the variants are what their names say")]
pub enum Winner {
    White,
    Draw,
    Black,
}

impl Winner {
    /// The result seen by `color`.
    pub fn for_color(self, color: Color) -> GameResult {
        match (self, color) {
            (Self::Draw, _) => GameResult::Draw,
            (Self::White, Color::White) | (Self::Black, Color::Black) => GameResult::Win,
            (Self::White, Color::Black) | (Self::Black, Color::White) => GameResult::Loss,
        }
    }

    /// Every result with its name, for command lines.
    pub const NAMES: &[(&str, Self)] =
        &[("white", Self::White), ("draw", Self::Draw), ("black", Self::Black)];
}
