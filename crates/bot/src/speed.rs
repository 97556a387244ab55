//! Classes of time controls.

use serde::{Deserialize, Serialize};

/// Classes of time controls as Lichess files them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Speed {
    /// Under 30 seconds.
    UltraBullet,
    /// Under 3 minutes.
    Bullet,
    /// Under 8 minutes.
    Blitz,
    /// Under 25 minutes.
    Rapid,
    /// 25 minutes and more.
    Classical,
}

impl Speed {
    /// The class of this name in the API.
    pub(crate) fn from_key(key: &str) -> Option<Self> {
        match key {
            "ultraBullet" => Some(Self::UltraBullet),
            "bullet" => Some(Self::Bullet),
            "blitz" => Some(Self::Blitz),
            "rapid" => Some(Self::Rapid),
            "classical" => Some(Self::Classical),
            _ => None,
        }
    }
}
