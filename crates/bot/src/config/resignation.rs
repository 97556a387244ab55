//! The section `resignation`: when a game is resigned.

use serde::{Deserialize, Serialize};

/// Conditions for resigning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct ResignationConfig {
    pub enabled: bool,
    /// Number of the first move at which it resigns.
    pub from_move: u32,
    /// Number of moves in a row that must be lost.
    pub moves: usize,
    /// Highest expected score of a lost move.
    pub score: f32,
}

impl Default for ResignationConfig {
    fn default() -> Self {
        Self { enabled: false, from_move: 20, moves: 4, score: 0.02 }
    }
}
