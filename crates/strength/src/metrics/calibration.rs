//! Calibration of expected scores: of the positions in which a player expects 70 %, does the mover score 70 %?

use std::fmt;

use chess::{EvaluationRequest, Evaluator as _, MaterialEvaluator};
use figures::Percent;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::{
    positions::PlayedPosition,
    ranking::{self, Expectation},
};
use crate::statistics::{Measurement, RESAMPLES, SEED, grouped, mean, percentile_interval};

/// Bins of the curve: ten of equal width.
pub const BINS: usize = 10;

/// One point of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Lower end of the expected scores in it.
    pub from: f64,
    /// Upper end.
    pub to: f64,
    /// Mean expected score.
    pub expected: f64,
    /// Mean score; the interval counts games, not positions, as independent.
    pub scored: Measurement,
}

/// The curve of one player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueCalibration {
    /// Name of the player whose expectations these are.
    pub player: String,
    /// The bins that hold positions, lowest first.
    pub bins: Vec<CalibrationBin>,
    /// Mean of (expected - scored)^2, Brier's score (Monthly Weather Review 78, 1950) for three ordered results.
    pub brier: Measurement,
    /// Mean distance between expected and actual score over the bins, weighted by positions (Naeini, Cooper
    /// and Hauskrecht, AAAI 2015); the interval is a bootstrap over games. It is positive by chance alone: a
    /// perfectly calibrated player has about the half-widths of the bins.
    pub error: Measurement,
    /// The root of the mean squared difference: [`ValueCalibration::brier`] in the unit of scores. Absent in older results.
    #[serde(default)]
    pub rmse: Option<Measurement>,
    /// Share of pairs in which a won position has a higher expected score than a lost one; absent unless there are both.
    #[serde(default)]
    pub auc: Option<Measurement>,
}

impl ValueCalibration {
    /// The curve of expectations that are grouped by game. `None` without any.
    pub fn new(player: &str, expectations: &[Expectation]) -> Option<Self> {
        let games: Vec<&[Expectation]> =
            expectations.chunk_by(|one, other| one.game_number == other.game_number).collect();
        let bins = (0..BINS).filter_map(|bin| of_bin(bin, expectations)).collect();
        let squares =
            grouped(expectations, |one| one.game_number, |one| Some((one.expected - one.score).powi(2)));
        let brier = Measurement::grouped_mean(&squares, 0.0..=1.0)?;
        let rmse = Measurement {
            value: brier.value.sqrt(),
            lower: brier.lower.max(0.0).sqrt(),
            upper: brier.upper.sqrt(),
            ..brier
        };
        Some(Self {
            player: player.into(),
            bins,
            brier,
            error: error(&games)?,
            rmse: Some(rmse),
            auc: ranking::area(&games),
        })
    }

    /// Baselines: the mean score, and material ([`MaterialEvaluator`]).
    pub fn baselines(positions: &[PlayedPosition]) -> Vec<Self> {
        let average = mean(positions.iter().filter_map(|position| position.facts.score)).unwrap_or(0.0);
        let constant = Self::baseline("always the mean", positions, |_| Some(average));
        constant.into_iter().chain(Self::baseline("material", positions, material)).collect()
    }

    /// The calibration of `expected`; positions without an expectation are left out.
    fn baseline(
        name: &str,
        positions: &[PlayedPosition],
        expected: impl Fn(&PlayedPosition) -> Option<f64>,
    ) -> Option<Self> {
        let mut expectations = Vec::new();
        for position in positions {
            if let (Some(expected), Some(score)) = (expected(position), position.facts.score) {
                expectations.push(Expectation { game_number: position.game_number, expected, score });
            }
        }
        Self::new(name, &expectations)
    }
}

/// The expected score by material.
fn material(position: &PlayedPosition) -> Option<f64> {
    let legal_moves = position.game.legal_moves();
    let request = EvaluationRequest { game: &position.game, legal_moves: &legal_moves };
    let evaluation = MaterialEvaluator.evaluate(&[request]).ok()?.pop()?;
    Some(f64::from(evaluation.wdl.expected_score()))
}

fn bin_of(expected: f64) -> usize {
    ((expected * BINS as f64) as usize).min(BINS - 1)
}

fn of_bin(bin: usize, expectations: &[Expectation]) -> Option<CalibrationBin> {
    let scores = grouped(
        expectations,
        |one| one.game_number,
        |one| (bin_of(one.expected) == bin).then_some(one.score),
    );
    let scored = Measurement::grouped_mean(&scores, 0.0..=1.0)?;
    let inside = expectations.iter().filter(|one| bin_of(one.expected) == bin);
    let expected = inside.map(|one| one.expected).sum::<f64>();
    let width = 1.0 / BINS as f64;
    let (from, to) = (bin as f64 * width, (bin + 1) as f64 * width);
    Some(CalibrationBin { from, to, expected: expected / scored.samples as f64, scored })
}

/// What the error needs of the positions of a bin.
#[derive(Clone, Copy, Default)]
struct Sum {
    positions: f64,
    /// Sum of expected less actual scores.
    excess: f64,
}

/// The sums of one game, by bin.
fn sums_of(game: &[Expectation]) -> [Sum; BINS] {
    let mut sums = [Sum::default(); BINS];
    for one in game {
        let sum = &mut sums[bin_of(one.expected)];
        sum.positions += 1.0;
        sum.excess = sum.excess + one.expected - one.score;
    }
    sums
}

/// Mean distance between expected and actual score over the bins of these games, weighted by positions.
fn mean_distance<'a>(games: impl Iterator<Item = &'a [Sum; BINS]>) -> f64 {
    let mut all = [Sum::default(); BINS];
    for game in games {
        for (sum, part) in all.iter_mut().zip(game) {
            sum.positions += part.positions;
            sum.excess += part.excess;
        }
    }
    let positions: f64 = all.iter().map(|sum| sum.positions).sum();
    all.iter().map(|sum| sum.excess.abs()).sum::<f64>() / positions
}

/// The calibration error.
///
/// The replicates draw games, because the positions of a game share its result: drawn one by one, they would count as
/// independent observations, and the interval would be too narrow. The sums of each game are computed once, so that a replicate costs additions only.
/// A replicate adds the noise of a second draw to that of the first, and the error counts noise in either direction, so
/// replicates lie above the measured error, just as that lies above the true one; the lower end of their interval may exceed
/// the measured error and is then lowered to it.
fn error(games: &[&[Expectation]]) -> Option<Measurement> {
    let samples: usize = games.iter().map(|game| game.len()).sum();
    if samples == 0 {
        return None;
    }
    let sums: Vec<[Sum; BINS]> = games.iter().map(|game| sums_of(game)).collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut resampled = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let drawn = (0..sums.len()).map(|_| &sums[random.random_range(..sums.len())]);
        resampled.push(mean_distance(drawn));
    }
    let value = mean_distance(sums.iter());
    let [lower, upper] = percentile_interval(resampled)?;
    // Resampling identical games shows no spread; Wilson's interval counts games as samples.
    if lower == upper {
        return Some(Measurement::wilson(value, games.len() as f64, samples as u64));
    }
    Some(Measurement { value, lower: lower.min(value), upper, samples: samples as u64 })
}

impl fmt::Display for ValueCalibration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}: squared error {:.4}, calibration error {:.3}, {} positions",
            self.player, self.brier, self.error, self.brier.samples
        )?;
        if let Some(rmse) = &self.rmse {
            write!(formatter, ", RMSE {rmse:.3}")?;
        }
        if let Some(auc) = &self.auc {
            write!(formatter, ", AUC {auc:.3} ({} decided)", auc.samples)?;
        }
        for bin in &self.bins {
            write!(
                formatter,
                "\n  expected {:>3.0}-{:<3.0} %: mean {:>6.1}, scored {:>24}, {:>6} positions",
                100.0 * bin.from,
                100.0 * bin.to,
                Percent(bin.expected),
                bin.scored.percent(),
                bin.scored.samples
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::positions::PositionFacts;

    /// Games of two positions; `truth` maps the expected score to the mover's mean score.
    fn expectations(games: usize, truth: impl Fn(f64) -> f64) -> Vec<Expectation> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
        (0..2 * games)
            .map(|index| {
                let expected = random.random::<f64>();
                let score = f64::from(u8::from(random.random::<f64>() < truth(expected)));
                Expectation { game_number: index / 2, expected, score }
            })
            .collect()
    }

    #[test]
    fn a_true_player_has_a_diagonal_curve_and_a_bold_one_has_not() {
        let honest = ValueCalibration::new("honest", &expectations(4000, |expected| expected)).unwrap();
        assert_eq!(honest.bins.len(), BINS);
        let covered = honest
            .bins
            .iter()
            .filter(|bin| bin.scored.lower <= bin.expected && bin.expected <= bin.scored.upper);
        assert!(covered.count() >= 8, "{:?}", honest.bins);
        // (expected - score)^2 of an honest player with uniform expectations is the mean of p (1 - p), 1/6.
        assert!((honest.brier.value - 1.0 / 6.0).abs() < 0.01, "{}", honest.brier);
        assert!(honest.error.value < 0.03, "{}", honest.error);
        assert!((honest.rmse.unwrap().value - (1.0_f64 / 6.0).sqrt()).abs() < 0.01);
        // Won positions are expected at density 2p, lost ones at 2 (1 - p): P(won > lost) = 5/6.
        assert!((honest.auc.unwrap().value - 5.0 / 6.0).abs() < 0.02, "{:?}", honest.auc);
        let bold =
            ValueCalibration::new("bold", &expectations(4000, |expected| 0.25 + 0.5 * expected)).unwrap();
        // It is off by |p - 1/2| / 2, on average 1/8.
        assert!((bold.error.value - 0.125).abs() < 0.02, "{}", bold.error);
        assert!(bold.error.lower < 0.125 && 0.125 < bold.error.upper + 0.02);
        assert!(bold.bins[0].scored.lower > bold.bins[0].to);
    }

    #[test]
    fn ends_and_empty_bins() {
        let sure = |game_number, expected, score| Expectation { game_number, expected, score };
        let curve = ValueCalibration::new("x", &[sure(0, 1.0, 1.0), sure(1, 0.0, 0.0)]).unwrap();
        assert_eq!(curve.bins.iter().map(|bin| bin.from).collect::<Vec<_>>(), [0.0, 0.9]);
        assert_eq!((curve.brier.value, curve.error.value), (0.0, 0.0));
        assert!(ValueCalibration::new("x", &[]).is_none());
        let single = ValueCalibration::new("x", &[sure(0, 0.3, 1.0)]).unwrap();
        assert!(single.error.upper - single.error.lower > 0.7, "one game proves nothing: {}", single.error);
        assert!(curve.error.upper > 0.5, "nor do two: {}", curve.error);
    }

    #[test]
    fn baselines_know_material_and_the_mean() {
        let position = |fen: &str, number: usize, score: f64| {
            let game = chess::Game::from_fen(fen, chess::CastlingMode::Standard).unwrap();
            let played = game.legal_moves()[0];
            PlayedPosition {
                game_number: number,
                facts: PositionFacts { score: Some(score), ..PositionFacts::default() },
                game,
                played,
            }
        };
        let up = "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1";
        let positions = [position(up, 0, 1.0), position(&up.replace('w', "b"), 1, 0.0)];
        let tables = ValueCalibration::baselines(&positions);
        assert_eq!(
            tables.iter().map(|one| one.player.as_str()).collect::<Vec<_>>(),
            ["always the mean", "material"]
        );
        assert_eq!(tables[0].brier.value, 0.25);
        assert!(tables[1].brier.value < 0.01);
    }
}
