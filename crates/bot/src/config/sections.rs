//! The sections of the configuration but for challenges and matchmaking.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Longest text that Lichess accepts in a chat.
pub(crate) const LONGEST_CHAT: usize = 140;

/// Texts of chat messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChatConfig {
    /// Message at the start of a game; empty for none.
    pub greeting: String,
    /// Message at the end of a game; empty for none.
    pub farewell: String,
}

impl Default for ChatConfig {
    fn default() -> Self {
        Self {
            greeting: "Good luck, {opponent}! I am a neural network with a search.".into(),
            farewell: "Thank you for the game, {opponent}.".into(),
        }
    }
}

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

/// The player whose games against the bot are kept for training a network that plays like that person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PersonalConfig {
    /// The person's name on Lichess; empty for nobody.
    pub player: String,
    /// The folder of the personal games.
    pub folder: PathBuf,
}

impl Default for PersonalConfig {
    fn default() -> Self {
        Self { player: String::new(), folder: "personal".into() }
    }
}

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
