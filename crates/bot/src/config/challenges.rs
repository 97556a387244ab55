//! The section `challenges`: which challenges are accepted.

use chess::Speed;
use serde::{Deserialize, Serialize};

use crate::variant::Variant;

/// Which challenges are accepted; the others are declined with a reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key of the file that people switch on and off")]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct ChallengeConfig {
    /// False declines every challenge; the other keys then have no effect.
    pub accept: bool,
    pub variants: Vec<Variant>,
    #[serde(with = "crate::speed")]
    pub speeds: Vec<Speed>,
    pub rated: bool,
    pub casual: bool,
    pub people: bool,
    pub bots: bool,
    /// Lowest rating of the challenger.
    pub min_rating: u32,
    /// Highest rating of the challenger.
    pub max_rating: u32,
    /// Minimum seconds on the clock.
    pub min_initial: u32,
    /// Maximum seconds on the clock.
    pub max_initial: u32,
    /// Minimum seconds added after a move.
    pub min_increment: u32,
    /// Maximum seconds added after a move.
    pub max_increment: u32,
    /// Names that are always declined.
    pub blocked: Vec<String>,
    /// Unless empty, the only names accepted.
    pub only: Vec<String>,
    /// Number of challenges that may wait for a game to end.
    pub queue: usize,
}

impl Default for ChallengeConfig {
    fn default() -> Self {
        Self {
            accept: true,
            variants: vec![Variant::Standard, Variant::Chess960, Variant::FromPosition],
            speeds: vec![Speed::Bullet, Speed::Blitz, Speed::Rapid, Speed::Classical],
            rated: true,
            casual: true,
            people: true,
            bots: true,
            min_rating: 0,
            max_rating: 4000,
            min_initial: 0,
            max_initial: 1800,
            min_increment: 0,
            max_increment: 20,
            blocked: Vec::new(),
            only: Vec::new(),
            queue: 2,
        }
    }
}
