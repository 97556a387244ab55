//! Statistics of match results: pure functions from counts to Elo differences with intervals.
//!
//! Every rating difference has an interval. A score of 100 % or 0 %, whose difference would be infinite,
//! gives a one-sided bound.

mod elo;
mod pool;
mod rating;
mod sprt;
mod tally;

use figures::INTERVAL_95;

pub use elo::{
    EloEstimate, EloText, IntervalMethod, NORMAL_MIN_SAMPLES, NormalizedElo, elo_from_games, elo_from_pairs,
    elo_from_standing, elo_range, elo_to_score, normalized_elo, score_to_elo,
};
pub use figures::Measurement;
pub use pool::{PoolRating, PoolResult, rate_pool};
pub use rating::{Observation, Rating, likely_elo, rate};
pub use sprt::{Sprt, SprtError, SprtModel, SprtState, SprtVerdict};
pub use tally::{PairTally, Standing, Tally};

/// Replicates behind the interval of a rating, which depends on few sums. Chosen.
const BOOTSTRAP_SAMPLES: usize = 1000;

/// Replicates if each costs a pass over all games. Chosen.
pub(crate) const RESAMPLES: usize = 400;

/// Seed of replicates and samples, so that a report is reproducible.
pub(crate) const SEED: u64 = 1;

/// The percentile bootstrap (Efron, Annals of Statistics 7, 1979): the 95 % interval of a figure from its value in each
/// replicate; `None` without replicates. Identical replicates give an interval of width 0, in place of which callers use a
/// different interval.
pub(crate) fn percentile_interval(mut replicates: Vec<f64>) -> Option<[f64; 2]> {
    replicates.sort_by(f64::total_cmp);
    let last = replicates.len().checked_sub(1)?;
    Some(INTERVAL_95.map(|share| replicates[(last as f64 * share).round() as usize]))
}

/// The arithmetic mean; `None` without values.
pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The values of neighbouring items with equal keys, one list for each key: those of one game, say, which are not independent
/// observations. Items without a value are left out.
pub(crate) fn grouped<T, K: PartialEq>(
    items: &[T],
    key: impl Fn(&T) -> K,
    value: impl Fn(&T) -> Option<f64>,
) -> Vec<Vec<f64>> {
    let groups = items.chunk_by(|one, other| key(one) == key(other));
    groups.map(|group| group.iter().filter_map(&value).collect()).collect()
}

/// The place between `low` and `high` up to which `is_below` holds, found by halving the interval `steps` times.
fn bisect(mut low: f64, mut high: f64, steps: u32, is_below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..steps {
        let middle = 0.5 * (low + high);
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_leave_out_a_fortieth_on_each_side_whatever_the_order() {
        let replicates: Vec<f64> = (0..=1000).rev().map(f64::from).collect();
        assert_eq!(percentile_interval(replicates), Some([25.0, 975.0]));
        assert_eq!(percentile_interval(vec![3.0]), Some([3.0, 3.0]));
        assert_eq!(percentile_interval(Vec::new()), None);
    }

    #[test]
    fn replicates_may_be_infinite() {
        let replicates = vec![f64::INFINITY, 1.0, f64::NEG_INFINITY];
        assert_eq!(percentile_interval(replicates), Some([f64::NEG_INFINITY, f64::INFINITY]));
    }
}
