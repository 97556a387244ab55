//! The section `matchmaking`: challenges that the bot sends.

use serde::{Deserialize, Serialize};

/// Challenges that the bot sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatchmakingConfig {
    /// Challenge others while no game is in progress.
    pub enabled: bool,
    /// Names to challenge in turn; if empty, bots that are online are challenged.
    pub opponents: Vec<String>,
    /// Minutes without a game before the next challenge.
    pub idle_minutes: f64,
    /// Seconds on each clock at the start.
    pub initial: u32,
    /// Seconds added after each move.
    pub increment: u32,
    /// Rated games; false for casual ones.
    pub rated: bool,
}

impl Default for MatchmakingConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            opponents: Vec::new(),
            idle_minutes: 10.0,
            initial: 180,
            increment: 2,
            rated: false,
        }
    }
}
