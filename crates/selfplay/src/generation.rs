//! Records of a generation: its games and the network learned from them.

mod chained_elo;
mod statistics;

use serde::{Deserialize, Serialize};

use crate::settings::SettingError;

pub use chained_elo::{ChainedElo, chained_elo};
pub use statistics::GameStatistics;

/// A network of the run: 0 is the one it began with; any other number is the network learned after that many generations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NetworkName(pub u32);

impl std::fmt::Display for NetworkName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:05}", self.0)
    }
}

/// The end of a generation: a network was learned, and was promoted or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// Counts from 1; also the name of the network learned.
    pub number: u32,
    /// The network that played the newest games.
    pub played_by: NetworkName,
    /// Statistics of those games.
    pub games: GameStatistics,
    /// The games learned from.
    pub window: WindowSummary,
    /// The losses of the network learned, by name, on the held-out games.
    pub losses: std::collections::BTreeMap<String, f64>,
    /// Seconds that learning took.
    pub seconds: f64,
    /// The match that decided on promotion.
    pub gate: GateResult,
}

/// The window of games that a network was learned from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct WindowSummary {
    /// The first and the last generation whose games are in it.
    pub generations: [u32; 2],
    pub games: u64,
    /// Games that repeat another one move by move, and were left out.
    pub duplicates: u64,
    /// Positions, including the held-out ones.
    pub positions: u64,
    /// Games that could not be read, each with its place and the problem.
    pub skipped: Vec<String>,
}

/// A worker's name becomes part of names of objects.
///
/// # Errors
/// [`SettingError`] for anything but 1 to 60 letters, digits and hyphens.
pub fn check_worker_name(name: &str) -> Result<(), SettingError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if (1..=60).contains(&name.len()) && name.chars().all(plain) {
        return Ok(());
    }
    Err(SettingError {
        key: "name",
        found: format!("{name:?}"),
        expected: "1 to 60 letters, digits and hyphens",
    })
}

/// A match of the network learned against the current one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateResult {
    /// Games won, drawn and lost by the network learned.
    pub games: [u32; 3],
    /// Elo difference with the bounds of its 95 % interval; a bound is missing if all games ended alike.
    pub elo: Option<f64>,
    /// Lower bound of the confidence interval, if there is one.
    pub lower: Option<f64>,
    /// Upper bound of the confidence interval, if there is one.
    pub upper: Option<f64>,
    /// True if the network learned is promoted.
    pub promoted: bool,
    /// Reason for the decision, as text.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_workers_are_plain() {
        assert!(check_worker_name("box-12").is_ok());
        for name in ["", "a/b", "a b", "é", &"x".repeat(61)] {
            assert!(check_worker_name(name).is_err(), "{name:?}");
        }
    }
}
