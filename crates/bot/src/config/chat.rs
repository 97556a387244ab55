//! The section `chat`: the bot's messages.

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
