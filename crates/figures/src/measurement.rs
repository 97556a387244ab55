//! A number with its uncertainty, as every metric returns it.

use std::{fmt, ops::RangeInclusive};

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// The quantile levels at the ends of a distribution's two-sided 95 % interval.
pub const INTERVAL_95: [f64; 2] = [0.025, 0.975];

/// The 97.5 % quantile of the standard normal distribution: the half-width of a two-sided 95 % interval in standard
/// deviations.
pub const NORMAL_97_5: f64 = 1.959_963_984_540_054;

/// Observations whose variance is below this differ only by rounding.
const ALIKE: f64 = 1e-18;

/// A measured value with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Point estimate, in the unit of the measured quantity.
    pub value: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
    /// Number of observations on which it is based.
    pub samples: u64,
}

impl Measurement {
    /// The proportion of successes in independent trials. `None` without observations.
    pub fn share(successes: u64, samples: u64) -> Option<Self> {
        let value = successes as f64 / samples as f64;
        (samples > 0).then(|| Self::wilson(value, samples as f64, samples))
    }

    /// The mean of numbers within `range` that come in groups, such as the positions of one game. Only the groups are
    /// independent of each other. `None` without observations.
    ///
    /// The interval is Wilson's for the effective sample size: the number of independent observations whose mean would have
    /// the same variance as this one. The variance between groups follows Liang and Zeger (Biometrika 73, 1986), and is
    /// never less than that of independent observations. Small numbers of groups are accounted for with Student's
    /// distribution, as in Korn and Graubard (Survey Methodology 24, 1998). If all observations are equal, each group
    /// counts as one.
    pub fn grouped_mean(groups: &[Vec<f64>], range: RangeInclusive<f64>) -> Option<Self> {
        // Wilson's interval is for numbers from 0 to 1, so the values are moved there and the interval back.
        let (start, width) = (*range.start(), range.end() - range.start());
        let groups: Vec<Vec<f64>> = groups
            .iter()
            .filter(|group| !group.is_empty())
            .map(|group| group.iter().map(|value| (value - start) / width).collect())
            .collect();
        let clusters = groups.len() as f64;
        let samples: usize = groups.iter().map(Vec::len).sum();
        if samples == 0 {
            return None;
        }
        let count = samples as f64;
        let mean = groups.iter().flatten().sum::<f64>() / count;
        let within: f64 = groups.iter().flatten().map(|value| (value - mean).powi(2)).sum();
        let between: f64 =
            groups.iter().map(|group| group.iter().map(|value| value - mean).sum::<f64>().powi(2)).sum();
        let effective = match StudentsT::new(0.0, 1.0, clusters - 1.0) {
            Ok(student) if within > ALIKE * count => {
                let variance = within.max(between * clusters / (clusters - 1.0)) / (count * count);
                let spread = NORMAL_97_5 / student.inverse_cdf(INTERVAL_95[1]);
                (mean * (1.0 - mean) / variance * spread.powi(2)).max(1.0)
            }
            _ => clusters,
        };
        Some(Self::wilson(mean, effective, samples as u64).map(|unit| unit * width + start))
    }

    /// The mean of independent proportions.
    pub fn mean_share(values: &[f64]) -> Option<Self> {
        let groups: Vec<Vec<f64>> = values.iter().map(|&value| vec![value]).collect();
        Self::grouped_mean(&groups, 0.0..=1.0)
    }

    /// A proportion with the interval for `effective` independent observations (Wilson, Journal of the American
    /// Statistical Association 22, 1927), which is also valid for few observations and at 0 and 1.
    pub fn wilson(value: f64, effective: f64, samples: u64) -> Self {
        let square = NORMAL_97_5 * NORMAL_97_5;
        let middle = (value + square / (2.0 * effective)) / (1.0 + square / effective);
        let half = NORMAL_97_5 / (1.0 + square / effective)
            * (value * (1.0 - value) / effective + square / (4.0 * effective * effective)).sqrt();
        let (lower, upper) = ((middle - half).max(0.0), (middle + half).min(1.0));
        // Rounding must not exclude the value itself from the interval.
        Self { value, lower: lower.min(value), upper: upper.max(value), samples }
    }

    /// The mean of independent numbers of any range, with the interval from their sample variance, for samples large enough
    /// that the mean is approximately normal. `None` for fewer than two numbers, which have no sample variance.
    pub fn mean(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let value = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|one| (one - value).powi(2)).sum::<f64>() / (count - 1.0);
        let half = NORMAL_97_5 * (variance / count).sqrt();
        let samples = values.len() as u64;
        (samples > 1).then_some(Self { value, lower: value - half, upper: value + half, samples })
    }

    /// Pearson's correlation `value` of independent pairs, with the interval from Fisher's transformation (Metron 1, 1921):
    /// its inverse hyperbolic tangent is approximately normal with variance 1 / (n - 3). `None` for fewer than four pairs.
    pub fn correlation(value: f64, samples: u64) -> Option<Self> {
        let half = NORMAL_97_5 / (samples as f64 - 3.0).sqrt();
        // Rounding may make a correlation of 1 slightly larger than 1.
        let middle = value.clamp(-1.0, 1.0).atanh();
        let [lower, upper] = [-half, half].map(|step| (middle + step).tanh());
        (samples > 3).then_some(Self { value, lower, upper, samples })
    }

    /// The measurement transformed by an increasing function, such as the root of a mean square, or a change of unit.
    #[must_use]
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Self {
        let Self { value, lower, upper, samples } = self;
        Self { value: rising(value), lower: rising(lower), upper: rising(upper), samples }
    }

    /// As a percentage with one decimal, such as `45.3 % (41.0 to 49.7)`.
    pub fn percent(self) -> String {
        let Self { value, lower, upper, .. } = self.map(|share| 100.0 * share);
        format!("{value:.1} % ({lower:.1} to {upper:.1})")
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = formatter.precision().unwrap_or(2);
        let Self { value, lower, upper, .. } = self;
        write!(formatter, "{value:.decimals$} ({lower:.decimals$} to {upper:.decimals$})")
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn wilson_known_answer() {
        // 8 of 10: 0.4902 to 0.9433 (Wilson score without continuity correction).
        let share = Measurement::share(8, 10).unwrap();
        assert!((share.lower - 0.4902).abs() < 5e-5 && (share.upper - 0.9433).abs() < 5e-5, "{share:?}");
        let none = Measurement::share(0, 5).unwrap();
        assert_eq!((none.value, none.lower), (0.0, 0.0));
        assert!((none.upper - 0.4345).abs() < 5e-5, "{none:?}");
        assert_eq!(Measurement::share(5, 5).unwrap().upper, 1.0);
        assert_eq!(Measurement::share(0, 0), None);
    }

    #[test]
    fn means_and_correlations_known_answers() {
        // Mean 5, squared deviations 9, 1, 1, 1, 0, 0, 4, 16 with seven degrees of freedom: variance 32 / 7.
        let mean = Measurement::mean(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        let half = 1.959_964 * (32.0_f64 / 7.0 / 8.0).sqrt();
        assert_eq!((mean.value, mean.samples), (5.0, 8));
        assert!((mean.upper - 5.0 - half).abs() < 1e-6 && (5.0 - mean.lower - half).abs() < 1e-6, "{mean:?}");
        assert_eq!((Measurement::mean(&[]), Measurement::mean(&[1.0])), (None, None));
        // r = 0.5 for 28 pairs: 0.549306 -+ 1.959964 / 5 = 0.157313 and 0.941299, whose hyperbolic tangents are these.
        let r = Measurement::correlation(0.5, 28).unwrap();
        assert!((r.lower - 0.156_028).abs() < 1e-5 && (r.upper - 0.735_818).abs() < 1e-5, "{r:?}");
        assert_eq!(Measurement::correlation(0.5, 3), None);
        let exact = Measurement::correlation(-1.0, 5).unwrap();
        assert_eq!((exact.lower, exact.upper), (-1.0, -1.0));
        assert_eq!(Measurement::correlation(1.0 + f64::EPSILON, 5).unwrap().upper, 1.0);
        let root = Measurement { value: 4.0, lower: 1.0, upper: 9.0, samples: 3 }.map(f64::sqrt);
        assert_eq!(root, Measurement { value: 2.0, lower: 1.0, upper: 3.0, samples: 3 });
    }

    #[test]
    fn groups_that_agree_within_themselves_count_once() {
        let independent = Measurement::mean_share(&[0.0, 1.0].repeat(50)).unwrap();
        let wilson = Measurement::share(50, 100).unwrap();
        assert!((independent.upper - wilson.upper).abs() < 2e-3, "{independent:?}");
        let grouped: Vec<Vec<f64>> = (0..10).map(|group| vec![f64::from(group % 2); 10]).collect();
        let dependent = Measurement::grouped_mean(&grouped, 0.0..=1.0).unwrap();
        assert_eq!((dependent.value, dependent.samples), (0.5, 100));
        assert!(dependent.upper - 0.5 > 2.5 * (independent.upper - 0.5), "{dependent:?}");
        assert_eq!(Measurement::grouped_mean(&[vec![], vec![]], 0.0..=1.0), None);
    }

    /// Defects 5 and 6: 83.3 % (50.7 to 116.0), 0.0 % (0.0 to 0.0) from 6 positions, (-inf to inf).
    #[test]
    fn few_groups_have_wide_intervals_inside_the_range() {
        let of = |groups: &[Vec<f64>]| Measurement::grouped_mean(groups, 0.0..=1.0).unwrap();
        for groups in [
            vec![vec![1.0, 1.0, 0.0], vec![1.0, 1.0, 1.0]],
            vec![vec![0.0; 3], vec![0.0; 3]],
            vec![vec![0.25; 4]],
            vec![vec![1.0, 0.0]],
            vec![vec![0.1 + 0.2], vec![0.3]],
        ] {
            let found = of(&groups);
            assert!(0.0 <= found.lower && found.upper <= 1.0 && found.upper - found.lower > 0.5, "{found:?}");
            assert!(found.lower <= found.value && found.value <= found.upper, "{found:?}");
        }
        let losses = Measurement::grouped_mean(&[vec![0.0, 0.0], vec![0.0]], 0.0..=2000.0).unwrap();
        assert!(losses.lower == 0.0 && losses.upper > 100.0, "{losses:?}");
    }

    /// Coverage of the interval, for games of four positions that are partly alike.
    #[test]
    fn nineteen_of_twenty_intervals_hold_the_truth() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        for (games, truth) in [(4, 0.5), (12, 0.3), (60, 0.08)] {
            let rounds = 1000;
            let held = (0..rounds).filter(|_| {
                let game = |random: &mut Xoshiro256PlusPlus| {
                    let whole = random.random_bool(0.3).then(|| random.random_bool(truth));
                    (0..4).map(|_| f64::from(whole.unwrap_or_else(|| random.random_bool(truth)))).collect()
                };
                let groups: Vec<Vec<f64>> = (0..games).map(|_| game(&mut random)).collect();
                let found = Measurement::grouped_mean(&groups, 0.0..=1.0).unwrap();
                found.lower <= truth && truth <= found.upper
            });
            let held = held.count();
            assert!(held >= rounds * 93 / 100, "{held} of {rounds} with {games} games");
        }
    }
}
