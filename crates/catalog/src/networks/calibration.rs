//! Calibration of a network's values, by the metric of `tabiya metrics value`.

use strength::{metrics, statistics::Measurement};
use web::{CalibrationBin, CalibrationCurve, Expectation, Interval};

/// The curve of the expectations, then that of their mean score; empty without expectations.
pub(super) fn curves(player: &str, expectations: &[Expectation]) -> Vec<CalibrationCurve> {
    let mean = expectations.iter().map(|one| one.score).sum::<f64>() / expectations.len().max(1) as f64;
    let curve = |name: &str, expected: &dyn Fn(&Expectation) -> f64| {
        let measured: Vec<metrics::Expectation> = expectations
            .iter()
            .map(|one| metrics::Expectation {
                game_number: one.game,
                expected: expected(one),
                score: one.score,
            })
            .collect();
        metrics::ValueCalibration::new(name, &measured).map(view)
    };
    let all = [curve(player, &|one| one.expected), curve("always the mean", &|_| mean)];
    all.into_iter().flatten().collect()
}

fn view(curve: metrics::ValueCalibration) -> CalibrationCurve {
    let bins = curve.bins.iter().map(|bin| CalibrationBin {
        from: bin.from,
        to: bin.to,
        expected: bin.expected,
        scored: interval(bin.scored),
    });
    CalibrationCurve {
        bins: bins.collect(),
        player: curve.player,
        brier: interval(curve.brier),
        error: interval(curve.error),
    }
}

fn interval(Measurement { value, lower, upper, samples }: Measurement) -> Interval {
    Interval { value, lower, upper, samples }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_games_give_two_bins_and_the_mean_as_baseline() {
        let of = |game, expected, score| Expectation { game, expected, score };
        let found = curves("net", &[of(0, 0.65, 1.0), of(0, 0.67, 1.0), of(1, 0.32, 0.0)]);
        let [own, mean] = &found[..] else { panic!("{found:?}") };
        let bins: Vec<(f64, u64)> =
            own.bins.iter().map(|bin| (bin.scored.value, bin.scored.samples)).collect();
        assert_eq!(bins, [(0.0, 1), (1.0, 2)]);
        assert!((own.bins[1].expected - 0.66).abs() < 1e-9);
        assert_eq!((mean.player.as_str(), mean.bins.len()), ("always the mean", 1));
        assert!(own.brier.value < mean.brier.value);
        assert!(curves("net", &[]).is_empty());
    }
}
