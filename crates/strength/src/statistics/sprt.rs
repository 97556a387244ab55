//! The sequential probability ratio test: the match continues until one of two hypotheses about the strength can be
//! rejected.
//!
//! Generalised SPRT on pairs of games. Each hypothesis fixes one number (the expected score, or normalized Elo); the
//! probabilities of the five outcomes of a pair are, under each, the most likely ones given the counts. Sources: Van den
//! Bergh, "A practical introduction to the GSPRT" (the likelihoods under a fixed mean) and "Comments on normalized Elo"
//! (under a fixed mean in deviations); the treatment of outcomes that never occurred is Fishtest's.

use serde::{Deserialize, Serialize};

use super::{elo::elo_to_score, tally::PairTally};

mod likely_shares;

use likely_shares::Shares;

/// The scale of the hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtModel {
    /// Rating difference on the logistic scale.
    Logistic,
    /// Normalized Elo: the length of the test does not depend on the drawishness of the openings.
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
#[error("sequential test: found {found}, expected {}", Sprt::EXPECTED)]
#[allow(missing_docs, reason = "the message says what the fields hold")]
pub struct SprtError {
    pub found: String,
}

/// Count given to an outcome that never occurred, so that no logarithm is infinite (Fishtest).
const UNSEEN: f64 = 1e-3;

impl Sprt {
    /// Default for both error rates, as in Fishtest.
    pub const ERROR_RATE: f64 = 0.05;

    /// Largest absolute value of a hypothesis, in Elo of either model. Chosen: a score of 99.999 %, or 8
    /// deviations, beyond which no match can distinguish two hypotheses.
    pub const LIMIT: f64 = 2000.0;

    /// Smallest distance of the hypotheses. Chosen: such a test takes a thousand million games.
    pub const LEAST_GAP: f64 = 0.01;

    /// Both limits in words.
    pub const EXPECTED: &str =
        "elo0 and elo1 from -2000 to 2000, elo1 at least 0.01 above elo0, and error rates between 0 and 0.5";

    /// A test with [`Sprt::ERROR_RATE`].
    ///
    /// # Errors
    /// [`SprtError`] for hypotheses outside the range or too close to each other.
    pub fn new(model: SprtModel, elo0: f64, elo1: f64) -> Result<Self, SprtError> {
        Self { model, elo0, elo1, alpha: Self::ERROR_RATE, beta: Self::ERROR_RATE }.checked()
    }

    /// This test, if it is valid.
    ///
    /// # Errors
    /// [`SprtError`] for hypotheses outside the range, in the wrong order or too close, or error rates outside (0, 0.5).
    pub fn checked(self) -> Result<Self, SprtError> {
        let are_rates = [self.alpha, self.beta].iter().all(|&rate| rate > 0.0 && rate < 0.5);
        // A difference in decimals, such as 0.03 - 0.02, may be smaller by rounding.
        let is_apart = self.elo1 - self.elo0 >= Self::LEAST_GAP * (1.0 - 1e-9);
        let is_inside = [self.elo0, self.elo1].iter().all(|elo| elo.abs() <= Self::LIMIT);
        if is_inside && is_apart && are_rates {
            return Ok(self);
        }
        let Self { elo0, elo1, alpha, beta, .. } = self;
        Err(SprtError { found: format!("elo0 {elo0}, elo1 {elo1}, alpha {alpha}, beta {beta}") })
    }

    /// State of the test after these pairs. The bounds are Wald's.
    pub fn judge(&self, pairs: PairTally) -> SprtState {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
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
        total * (self.likelihood(&observed, self.elo1) - self.likelihood(&observed, self.elo0))
    }

    /// Logarithm of the likelihood per pair of the hypothesis `elo`. A hypothesis fixes one number of the five shares. The
    /// others are free and get their most likely values, so the test assumes nothing about how often games are drawn.
    fn likelihood(&self, observed: &Shares, elo: f64) -> f64 {
        let fitted = match self.model {
            SprtModel::Logistic => likely_shares::with_mean(observed, elo_to_score(elo)),
            SprtModel::Normalized => likely_shares::with_deviations(
                observed,
                // The deviation of a pair's mean is that of one game divided by the root of 2.
                elo * std::f64::consts::LN_10 / 800.0 * std::f64::consts::SQRT_2,
            ),
        };
        likely_shares::likelihood(observed, &fitted)
    }
}
