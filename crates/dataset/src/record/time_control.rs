//! Time controls.

use chess::Speed;
use serde::{Deserialize, Serialize};

/// A time control as the PGN tag `TimeControl` writes the commonest kind: `180+2`, base time and increment in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimeControl {
    /// Time for the whole game.
    pub base_seconds: u32,
    /// Time added for each move.
    pub increment_seconds: u32,
}

impl TimeControl {
    /// Reads `BASE+INCREMENT` or `BASE`; anything else (`-`, `40/7200:3600`) is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        Some(Self { base_seconds: base.parse().ok()?, increment_seconds: increment.parse().ok()? })
    }

    /// The class in which Lichess files such a game: expected duration is base + 40 increments
    /// (<https://lichess.org/faq#time-controls>).
    pub fn speed(self) -> Speed {
        match self.base_seconds.saturating_add(self.increment_seconds.saturating_mul(40)) {
            0..=29 => Speed::UltraBullet,
            30..=179 => Speed::Bullet,
            180..=479 => Speed::Blitz,
            480..=1499 => Speed::Rapid,
            _ => Speed::Classical,
        }
    }
}
