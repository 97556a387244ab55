//! The calibration of a network's values in the games played here, by the metric of `tabiya metrics value`.

use axum::extract::{Path, State};
use serde::Serialize;
use strength::{
    metrics::{Expectation, ValueCalibration},
    statistics::Measurement,
};
use utoipa::ToSchema;

use super::Answer;
use crate::{app::App, error::Refusal};

/// Calibration of a network's values in the games that it finished here.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CalibrationView {
    /// Finished games without hints or moves taken back.
    games: usize,
    /// Games that cannot be read, whatever network played them.
    unreadable: usize,
    /// The network's curve, then that of the mean score; none without games.
    curves: Vec<CalibrationCurve>,
}

/// Agreement of expected scores with results.
#[derive(Debug, Serialize, ToSchema)]
struct CalibrationCurve {
    /// The player whose expectations are compared with results.
    player: String,
    /// The ranges that hold positions, lowest first.
    bins: Vec<CalibrationBin>,
    /// Mean of (expected - scored)^2.
    brier: Interval,
    /// Mean difference of expected and actual score over the bins, weighted by positions.
    error: Interval,
}

/// Expected scores in a range, and the scores that followed.
#[derive(Debug, Serialize, ToSchema)]
struct CalibrationBin {
    /// Lower end of the range.
    from: f64,
    /// Upper end of the range.
    to: f64,
    /// Mean expected score in the range, 0 to 1.
    expected: f64,
    /// Mean score; games, not positions, count as independent.
    scored: Interval,
}

/// A value with its 95 % interval.
#[derive(Debug, Serialize, ToSchema)]
struct Interval {
    /// Point estimate.
    value: f64,
    /// Lower end of the interval.
    lower: f64,
    /// Upper end of the interval.
    upper: f64,
    /// Number of observations.
    samples: u64,
}

/// Calibration of a network's values in the games played here
#[utoipa::path(
    get, path = "/networks/{id}/calibration", tag = "insights",
    params(("id" = String, Path, description = "The network's id")),
    responses((status = 200, body = CalibrationView), (status = 404, body = Refusal))
)]
pub(crate) async fn calibration(State(app): State<App>, Path(id): Path<String>) -> Answer<CalibrationView> {
    app.answer(move |app| {
        let network = app.engines.network(&id)?.summary;
        let (expectations, unreadable) = app.games.expectations(&network.id)?;
        let games = expectations.chunk_by(|one, other| one.game_number == other.game_number).count();
        Ok(CalibrationView { games, unreadable, curves: curves(&network.name, &expectations) })
    })
    .await
}

/// The curve of the expectations, then that of their mean score; empty without expectations.
fn curves(player: &str, expectations: &[Expectation]) -> Vec<CalibrationCurve> {
    let mean = expectations.iter().map(|one| one.score).sum::<f64>() / expectations.len().max(1) as f64;
    let means: Vec<Expectation> =
        expectations.iter().map(|one| Expectation { expected: mean, ..*one }).collect();
    let all = [(player, expectations), ("always the mean", &means[..])];
    let curves = all.into_iter().filter_map(|(name, expected)| ValueCalibration::new(name, expected));
    curves.map(CalibrationCurve::from).collect()
}

impl From<ValueCalibration> for CalibrationCurve {
    fn from(curve: ValueCalibration) -> Self {
        let bins = curve.bins.iter().map(|bin| CalibrationBin {
            from: bin.from,
            to: bin.to,
            expected: bin.expected,
            scored: bin.scored.into(),
        });
        let (brier, error) = (curve.brier.into(), curve.error.into());
        Self { bins: bins.collect(), player: curve.player, brier, error }
    }
}

impl From<Measurement> for Interval {
    fn from(Measurement { value, lower, upper, samples }: Measurement) -> Self {
        Self { value, lower, upper, samples }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_games_give_two_bins_and_the_mean_as_baseline() {
        let of = |game_number, expected, score| Expectation { game_number, expected, score };
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
