//! The section `draws`: when draws are offered, accepted and claimed.

use serde::{Deserialize, Serialize};

/// Conditions for offering, accepting and claiming draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct DrawConfig {
    pub offer: bool,
    pub accept: bool,
    /// Number of the first move at which it offers or accepts a draw.
    pub from_move: u32,
    /// Number of moves in a row that must be level.
    pub moves: usize,
    /// Largest distance of a level move's expected score from 0.5.
    pub margin: f32,
    /// Claim draws that the rules allow.
    pub claim: bool,
}

impl Default for DrawConfig {
    fn default() -> Self {
        Self { offer: true, accept: true, from_move: 35, moves: 6, margin: 0.03, claim: true }
    }
}
