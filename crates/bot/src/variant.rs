//! Variants of chess.

use serde::{Deserialize, Serialize};

/// The variants that can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the variants are what their names say")]
pub enum Variant {
    Standard,
    /// Chess with shuffled back ranks.
    Chess960,
    FromPosition,
}

impl Variant {
    /// The variant with this name in the API; `None` for variants that are other games.
    pub(crate) fn from_key(key: &str) -> Option<Self> {
        match key {
            "standard" => Some(Self::Standard),
            "chess960" => Some(Self::Chess960),
            "fromPosition" => Some(Self::FromPosition),
            _ => None,
        }
    }
}
