//! The section `personal`: whose games are kept.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

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
