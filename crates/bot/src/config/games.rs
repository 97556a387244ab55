//! The section `games`: limits and behaviour of games.

use serde::{Deserialize, Serialize};

/// Limits and behaviour of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameConfig {
    /// Maximum number of games in parallel.
    pub concurrent: usize,
    /// Milliseconds reserved on every move in addition to the measured latency.
    pub move_overhead_ms: u64,
    /// Seconds to wait for the opponent's first move; 0 waits forever.
    pub abort_after: u64,
    /// Claim the win when the opponent has left.
    pub claim_victory: bool,
    /// True if opponents may take back moves in casual games.
    pub takebacks: bool,
}

impl Default for GameConfig {
    fn default() -> Self {
        Self { concurrent: 1, move_overhead_ms: 100, abort_after: 60, claim_victory: true, takebacks: false }
    }
}
