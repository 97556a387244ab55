//! Positions that break the rules of chess.

use serde::{Deserialize, Serialize};

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
