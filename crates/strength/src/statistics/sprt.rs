//! The sequential probability ratio test: the match continues until one of two hypotheses about the strength can be
//! rejected.
//!
//! Generalised SPRT on pairs of games. Each hypothesis fixes one number (the expected score, or normalized Elo); the
//! probabilities of the five outcomes of a pair are, under each, the most likely ones given the counts. Sources: Van den
//! Bergh, "A practical introduction to the GSPRT" (the likelihoods under a fixed mean) and "Comments on normalized Elo"
//! (under a fixed mean in deviations); the treatment of outcomes that never occurred is Fishtest's.

use serde::{Deserialize, Serialize};

use super::{elo::elo_to_score, tally::PairTally};

/// The scale of the hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtModel {
    /// Rating difference on the logistic scale.
    Logistic,
    /// Normalized Elo: equal test length whatever the drawishness of the openings.
    Normalized,
}

/// The hypothesis accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtVerdict {
    /// The difference is `elo0` rather than `elo1`.
    H0,
    /// The difference is `elo1` rather than `elo0`.
    H1,
}

/// A test of `elo0` against `elo1`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The scale of both hypotheses.
    pub model: SprtModel,
    /// Difference of strength under the null hypothesis, on the scale of the model.
    pub elo0: f64,
    /// Second hypothesis, the larger one.
    pub elo1: f64,
    /// Probability of accepting H1 if H0 is true.
    pub alpha: f64,
    /// Probability of accepting H0 if H1 is true.
    pub beta: f64,
}

/// State of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtState {
    /// Logarithm of the ratio of the likelihoods, H1 over H0.
    pub log_likelihood_ratio: f64,
    /// H0 is accepted at or below it.
    pub lower: f64,
    /// H1 is accepted at or above it.
    pub upper: f64,
    /// The decision; `None` before it is reached.
    pub verdict: Option<SprtVerdict>,
}

/// Numbers that do not make a valid test.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("an SPRT needs elo0 < elo1 and error rates between 0 and 0.5; found {found}")]
#[allow(missing_docs, reason = "the message says what the fields hold")]
pub struct SprtError {
    pub found: String,
}

/// Points of a pair on the scale 0 to 1.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Count given to an outcome that never occurred, so that no logarithm is infinite (Fishtest).
const UNSEEN: f64 = 1e-3;

/// Rounds of the iteration for normalized Elo, which converges in a few.
const ROUNDS: u32 = 20;

/// Halvings of an interval: as many as an `f64` resolves.
const BISECTIONS: u32 = 100;

impl Sprt {
    /// Default for both error rates, as in Fishtest.
    pub const ERROR_RATE: f64 = 0.05;

    /// A test with [`Sprt::ERROR_RATE`].
    ///
    /// # Errors
    /// [`SprtError`] unless both are finite and `elo0 < elo1`.
    pub fn new(model: SprtModel, elo0: f64, elo1: f64) -> Result<Self, SprtError> {
        Self { model, elo0, elo1, alpha: Self::ERROR_RATE, beta: Self::ERROR_RATE }.checked()
    }

    /// This test, if it is valid.
    ///
    /// # Errors
    /// [`SprtError`] for hypotheses in the wrong order or error rates outside (0, 0.5).
    pub fn checked(self) -> Result<Self, SprtError> {
        let rate = |rate: f64| rate > 0.0 && rate < 0.5;
        let finite = self.elo0.is_finite() && self.elo1.is_finite();
        if finite && self.elo0 < self.elo1 && rate(self.alpha) && rate(self.beta) {
            return Ok(self);
        }
        let Self { elo0, elo1, alpha, beta, .. } = self;
        Err(SprtError { found: format!("elo0 {elo0}, elo1 {elo1}, alpha {alpha}, beta {beta}") })
    }

    /// Wald's bounds of the logarithm: ln(beta / (1 - alpha)) and ln((1 - beta) / alpha).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// State of the test after these pairs.
    pub fn judge(&self, pairs: PairTally) -> SprtState {
        let (lower, upper) = self.bounds();
        let log_likelihood_ratio = self.log_likelihood_ratio(pairs);
        let verdict = if log_likelihood_ratio >= upper {
            Some(SprtVerdict::H1)
        } else if log_likelihood_ratio <= lower {
            Some(SprtVerdict::H0)
        } else {
            None
        };
        SprtState { log_likelihood_ratio, lower, upper, verdict }
    }

    /// Logarithm of the likelihood ratio; 0 without pairs.
    pub fn log_likelihood_ratio(&self, pairs: PairTally) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / total);
        let fitted = |elo: f64| match self.model {
            SprtModel::Logistic => fit_mean(&observed, elo_to_score(elo)),
            SprtModel::Normalized => {
                fit_deviations(&observed, elo * std::f64::consts::LN_10 / 800.0 * std::f64::consts::SQRT_2)
            }
        };
        let (null, alternative) = (fitted(self.elo0), fitted(self.elo1));
        (0..5).map(|outcome| counts[outcome] * (alternative[outcome] / null[outcome]).ln()).sum()
    }
}

/// The most likely probabilities with this expected score.
fn fit_mean(observed: &[f64; 5], mean: f64) -> [f64; 5] {
    tilt(observed, SCORES.map(|score| score - mean))
}

/// The most likely probabilities whose mean is this many deviations above 1/2. The condition is not linear, so it is
/// linearised at the last solution until the solution no longer changes.
fn fit_deviations(observed: &[f64; 5], deviations: f64) -> [f64; 5] {
    let mut fitted = [0.2; 5];
    for _ in 0..ROUNDS {
        let mean: f64 = (0..5).map(|outcome| fitted[outcome] * SCORES[outcome]).sum();
        let variance: f64 = (0..5).map(|outcome| fitted[outcome] * (SCORES[outcome] - mean).powi(2)).sum();
        let sigma = variance.sqrt();
        let next = tilt(
            observed,
            SCORES.map(|score| {
                score - 0.5 - 0.5 * deviations * sigma * (1.0 + ((mean - score) / sigma).powi(2))
            }),
        );
        let change = (0..5).map(|outcome| (next[outcome] - fitted[outcome]).abs()).fold(0.0, f64::max);
        fitted = next;
        if change < 1e-12 {
            break;
        }
    }
    fitted
}

/// The most likely probabilities under which `values` have the mean 0: observed / (1 + theta value), with the theta that
/// achieves it. The sum that must vanish falls with theta between the poles of its first and last term.
fn tilt(observed: &[f64; 5], values: [f64; 5]) -> [f64; 5] {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Between these poles every 1 + theta value is positive, as probabilities require.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..BISECTIONS {
        let theta = 0.5 * (low + high);
        let sum: f64 = (0..5).map(|at| observed[at] * values[at] / (1.0 + theta * values[at])).sum();
        if sum > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
    }
    let theta = 0.5 * (low + high);
    let fitted: Vec<f64> = (0..5).map(|at| observed[at] / (1.0 + theta * values[at])).collect();
    std::array::from_fn(|at| fitted[at])
}
