//! Records of a generation: its games and the network trained on them.

mod statistics;

use serde::{Deserialize, Serialize};

use crate::settings::SettingError;

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
#[allow(missing_docs, reason = "self-explanatory fields")]
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
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_plain && (1..=60).contains(&name.len()) {
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

/// The strength of each generation against the network that the run began with, by adding up the matches of the promoted
/// networks: Elo differences add, and so do the variances of independent matches.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ChainedElo {
    pub number: u32,
    /// Elo above the start.
    pub elo: f64,
    /// Half-width of the 95 % interval.
    pub margin: f64,
}

/// The chain of the promoted generations; it ends at a match without a finite interval.
pub fn chained_elo(generations: &[Generation]) -> Vec<ChainedElo> {
    let (mut elo, mut variance) = (0.0, 0.0);
    let mut chain = Vec::new();
    for generation in generations.iter().filter(|generation| generation.gate.promoted) {
        let GateResult { elo: Some(gain), lower: Some(lower), upper: Some(upper), .. } = generation.gate
        else {
            break;
        };
        elo += gain;
        // In half-widths instead of deviations: all are the same multiple, so the root is a half-width again.
        variance += ((upper - lower) / 2.0).powi(2);
        chain.push(ChainedElo { number: generation.number, elo, margin: variance.sqrt() });
    }
    chain
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

    #[test]
    fn elo_adds_up_over_the_networks_that_took_over() {
        let generation = |number, promoted, elo: Option<f64>| Generation {
            number,
            played_by: NetworkName(0),
            games: GameStatistics::default(),
            window: WindowSummary::default(),
            losses: std::collections::BTreeMap::default(),
            seconds: 0.0,
            gate: GateResult {
                games: [0; 3],
                elo,
                lower: elo.map(|elo| elo - 30.0),
                upper: elo.map(|elo| elo + 30.0),
                promoted,
                reason: String::new(),
            },
        };
        let run = [
            generation(1, true, Some(100.0)),
            generation(2, false, Some(-50.0)),
            generation(3, true, Some(40.0)),
        ];
        let chain = chained_elo(&run);
        assert_eq!(chain.iter().map(|link| link.number).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(chain[1].elo, 140.0);
        assert!((chain[1].margin - 1800f64.sqrt()).abs() < 1e-9);
        assert_eq!(chained_elo(&[generation(1, true, None)]), []);
    }
}
