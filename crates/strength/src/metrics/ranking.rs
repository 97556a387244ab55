//! Separation of won from lost positions by expected scores: the area under the ROC curve.

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::statistics::{Measurement, RESAMPLES, SEED, percentile_interval};

/// A position that was won or lost.
#[derive(Clone, Copy)]
struct Decided {
    expected: f64,
    game: usize,
    is_won: bool,
}

/// The probability that a won position was given a higher expected score than a lost one, equal ones counting half (Hanley and McNeil,
/// Radiology 143, 1982); drawn positions are left out. 1/2 is chance. The interval is a bootstrap over games. `None` unless there is a
/// won and a lost position.
pub(super) fn area(games: &[&[Expectation]]) -> Option<Measurement> {
    let mut decided = Vec::new();
    for (game, positions) in games.iter().enumerate() {
        for one in positions.iter().filter(|one| one.score != 0.5) {
            decided.push(Decided { expected: one.expected, game, is_won: one.score > 0.5 });
        }
    }
    decided.sort_by(|a, b| a.expected.total_cmp(&b.expected));
    let value = weighted_area(&decided, &vec![1; games.len()])?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut resampled = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        // Weights instead of drawn positions: the positions stay sorted, so a replicate costs one pass over them.
        let mut weights = vec![0; games.len()];
        for _ in 0..games.len() {
            weights[random.random_range(..games.len())] += 1;
        }
        // A sample without a won or a lost position has no area.
        resampled.extend(weighted_area(&decided, &weights));
    }
    let samples = decided.len() as u64;
    match percentile_interval(resampled) {
        Some([lower, upper]) if lower < upper => Some(Measurement { value, lower, upper, samples }),
        // All samples agree: this many games prove no more than as many coin tosses.
        _ => Some(Measurement::wilson(value, games.len() as f64, samples)),
    }
}

/// The area with each game counted `weight` times; positions are in ascending order of the expected score.
fn weighted_area(decided: &[Decided], weights: &[u32]) -> Option<f64> {
    let (mut lost_below, mut won, mut ordered) = (0.0, 0.0, 0.0);
    for equal in decided.chunk_by(|a, b| a.expected == b.expected) {
        let (mut won_here, mut lost_here) = (0.0, 0.0);
        for one in equal {
            let weight = f64::from(weights[one.game]);
            if one.is_won {
                won_here += weight;
            } else {
                lost_here += weight;
            }
        }
        ordered += won_here * (lost_below + 0.5 * lost_here);
        lost_below += lost_here;
        won += won_here;
    }
    (won > 0.0 && lost_below > 0.0).then(|| ordered / (won * lost_below))
}

/// An expected score with what the mover then scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// The game it comes from.
    pub game_number: usize,
    /// Expected score of the mover, 0 to 1.
    pub expected: f64,
    /// Score of the mover: 0, 1/2 or 1.
    pub score: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(positions: &[(usize, f64, f64)]) -> Option<Measurement> {
        let all: Vec<Expectation> = positions
            .iter()
            .map(|&(game_number, expected, score)| Expectation { game_number, expected, score })
            .collect();
        area(&all.chunk_by(|a, b| a.game_number == b.game_number).collect::<Vec<_>>())
    }

    #[test]
    fn pairs_of_won_and_lost_positions_are_counted() {
        // Won at 0.9, 0.5; lost at 0.5, 0.2: of four pairs three are in order and one is equal. The draw does not count.
        let found =
            measured(&[(0, 0.9, 1.0), (1, 0.5, 1.0), (2, 0.5, 0.0), (3, 0.2, 0.0), (4, 0.95, 0.5)]).unwrap();
        assert_eq!((found.value, found.samples), (3.5 / 4.0, 4));
        assert!(found.lower < found.value && found.value < found.upper, "{found}");
        let reversed = measured(&[(0, 0.1, 1.0), (1, 0.8, 0.0)]).unwrap();
        assert_eq!(reversed.value, 0.0);
        assert!(reversed.upper > 0.5, "two games prove nothing: {reversed}");
        assert!(measured(&[(0, 0.9, 1.0), (1, 0.3, 0.5)]).is_none());
    }

    #[test]
    fn the_fast_count_is_that_of_all_pairs() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let positions: Vec<(usize, f64, f64)> = (0..300)
            .map(|index| {
                let expected = f64::from(random.random_range(0..20_u8)) / 20.0;
                (index / 3, expected, f64::from(u8::from(random.random::<f64>() < expected)))
            })
            .collect();
        let won = positions.iter().filter(|one| one.2 == 1.0);
        let pairs: Vec<f64> = won
            .flat_map(|won| positions.iter().filter(|one| one.2 == 0.0).map(move |lost| (won.1, lost.1)))
            .map(|(won, lost)| if won == lost { 0.5 } else { f64::from(u8::from(won > lost)) })
            .collect();
        let expected = pairs.iter().sum::<f64>() / pairs.len() as f64;
        let found = measured(&positions).unwrap();
        assert!((found.value - expected).abs() < 1e-12 && found.lower > 0.5, "{found} {expected}");
    }
}
