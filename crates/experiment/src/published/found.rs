//! A number of a result, in the unit in which it is shown.

use strength::statistics::{Measurement, Rating, Tally};
use training::{Metric, Metrics};

use super::source::SAMPLES;

pub(super) struct Found {
    pub(super) value: f64,
    /// The ends of the 95 % interval, if it is known.
    pub(super) interval: Option<[f64; 2]>,
    /// Number of observations, and what they are.
    pub(super) samples: u64,
    pub(super) of: &'static str,
    /// The value of a trivial predictor on the same observations, and its name.
    pub(super) trivial: Option<(&'static str, f64)>,
}

impl Found {
    pub(super) fn of(Measurement { value, lower, upper, samples }: Measurement, of: &'static str) -> Self {
        Self { value, interval: Some([lower, upper]), samples, of, trivial: None }
    }

    /// A number without observations.
    pub(super) fn alone(value: f64) -> Self {
        Self { value, interval: None, samples: 0, of: "", trivial: None }
    }

    pub(super) fn of_validation(metrics: &Metrics, metric: Metric) -> Option<Self> {
        let value = metrics.value(metric)?;
        let all = if metric.is_of_policy() { metrics.policy_positions } else { metrics.value_positions };
        let interval = metrics.interval(metric);
        let trivial = metrics.trivial(metric).map(|(predictor, value)| match predictor {
            "uniform" => ("equal probabilities", value),
            _ => ("a constant", value),
        });
        Some(Self {
            value,
            interval: interval.map(|found| [found.lower, found.upper]),
            samples: interval.map_or(all, |found| found.samples),
            of: "positions",
            trivial,
        })
    }

    /// A share of the games of a match, with Wilson's interval, which treats games as independent.
    pub(super) fn of_games(games: Tally, metric: &str) -> Option<Self> {
        let all = games.games();
        let measured = match metric {
            "won" => Measurement::share(games.wins, all),
            "drawn" => Measurement::share(games.draws, all),
            "lost" => Measurement::share(games.losses, all),
            _ => (all > 0).then(|| Measurement::wilson(games.share(), all as f64, all)),
        };
        measured.map(|measured| Self::of(measured, "games"))
    }

    /// A rating; `None` if only a bound is known.
    pub(super) fn of_rating(rating: &Rating) -> Option<Self> {
        let interval = rating.lower.zip(rating.upper).map(<[f64; 2]>::from);
        Some(Self { value: rating.elo?, interval, samples: rating.games, of: "games", trivial: None })
    }

    /// A share as a percentage.
    pub(super) fn percent(self) -> Self {
        Self {
            value: 100.0 * self.value,
            interval: self.interval.map(|ends| ends.map(|end| 100.0 * end)),
            trivial: self.trivial.map(|(predictor, value)| (predictor, 100.0 * value)),
            ..self
        }
    }
}

/// A number in a unit with as many digits as are worth reading.
pub(super) fn number(value: f64, unit: &str) -> String {
    match unit {
        SAMPLES => grouped(value as u64),
        "Elo" => format!("{value:.0}"),
        "%" => format!("{value:.1}"),
        _ if value.abs() < 0.1 => format!("{value:.4}"),
        _ => format!("{value:.3}"),
    }
}

/// A whole number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_of_their_unit() {
        let texts = [
            (0.0507, "Huber value"),
            (2.018, "pawns"),
            (98.53, "%"),
            (1357.2, "Elo"),
            (1_040_000_000.0, "samples"),
        ]
        .map(|(value, unit)| number(value, unit));
        assert_eq!(texts, ["0.0507", "2.018", "98.5", "1357", "1,040,000,000"]);
        assert_eq!([0, 999, 1000].map(grouped), ["0", "999", "1,000"]);
    }
}
