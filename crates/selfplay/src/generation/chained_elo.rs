//! Strength over a whole run.

use super::{GateResult, Generation};

/// The strength of each generation against the network that the run began with, by adding up the matches of the promoted
/// networks: Elo differences add, and so do the variances of independent matches.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
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
    use crate::generation::{GameStatistics, NetworkName, WindowSummary};

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
