//! A number with its uncertainty: what every metric gives.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::distribution::NORMAL_97_5;

/// A measured value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The value.
    pub value: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
    /// Observations it rests on.
    pub samples: u64,
}

impl Measurement {
    /// The share of successes, with Wilson's interval (Journal of the American Statistical Association 22, 1927), which
    /// holds for few observations and at 0 and 1 too. `None` without observations.
    pub fn share(successes: u64, samples: u64) -> Option<Self> {
        if samples == 0 {
            return None;
        }
        let (count, value) = (samples as f64, successes as f64 / samples as f64);
        let square = NORMAL_97_5 * NORMAL_97_5;
        let middle = (value + square / (2.0 * count)) / (1.0 + square / count);
        let half = NORMAL_97_5 / (1.0 + square / count)
            * (value * (1.0 - value) / count + square / (4.0 * count * count)).sqrt();
        let (lower, upper) = ((middle - half).max(0.0), (middle + half).min(1.0));
        // At the ends rounding must not exclude the value itself.
        Some(Self { value, lower: lower.min(value), upper: upper.max(value), samples })
    }

    /// The mean of observations that come in groups (the positions of one game): mean +- 1.96 standard errors, in which
    /// only the groups count as independent (Liang and Zeger, Biometrika 73, 1986). `None` without observations;
    /// unbounded with a single group.
    pub fn grouped_mean(groups: &[Vec<f64>]) -> Option<Self> {
        let filled: Vec<&Vec<f64>> = groups.iter().filter(|group| !group.is_empty()).collect();
        let samples: usize = filled.iter().map(|group| group.len()).sum();
        if samples == 0 {
            return None;
        }
        let value = filled.iter().copied().flatten().sum::<f64>() / samples as f64;
        let clusters = filled.len() as f64;
        let squares: f64 =
            filled.iter().map(|group| group.iter().map(|one| one - value).sum::<f64>().powi(2)).sum();
        // The factor is the usual one for few groups; without it two groups would look certain.
        let error = (squares * clusters / (clusters - 1.0)).sqrt() / samples as f64;
        let half = if filled.len() > 1 { NORMAL_97_5 * error } else { f64::INFINITY };
        Some(Self { value, lower: value - half, upper: value + half, samples: samples as u64 })
    }

    /// The mean of independent observations.
    pub fn mean(values: &[f64]) -> Option<Self> {
        let groups: Vec<Vec<f64>> = values.iter().map(|&value| vec![value]).collect();
        Self::grouped_mean(&groups)
    }

    /// The same in another unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let Self { value, lower, upper, samples } = self;
        Self { value: value * factor, lower: lower * factor, upper: upper * factor, samples }
    }

    /// As a percentage with one decimal: `45.3 % (41.0 to 49.7)`.
    pub fn percent(self) -> String {
        let Self { value, lower, upper, .. } = self.scaled(100.0);
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
    fn groups_that_agree_within_themselves_count_once() {
        let independent = Measurement::mean(&[0.0, 1.0].repeat(50)).unwrap();
        assert!((independent.upper - 0.5 - 0.098_49).abs() < 1e-4, "{independent:?}");
        let grouped: Vec<Vec<f64>> = (0..10).map(|group| vec![f64::from(group % 2); 10]).collect();
        let dependent = Measurement::grouped_mean(&grouped).unwrap();
        assert_eq!((dependent.value, dependent.samples), (0.5, 100));
        assert!(dependent.upper - 0.5 > 3.0 * (independent.upper - 0.5), "{dependent:?}");
        assert_eq!(Measurement::grouped_mean(&[vec![], vec![]]), None);
        assert_eq!(Measurement::grouped_mean(&[vec![1.0, 2.0]]).unwrap().upper, f64::INFINITY);
    }
}
