//! Calibration: an engine's expected scores against its actual scores.

use serde::Serialize;
use utoipa::ToSchema;

/// An engine's expected score in a position of a game played here, with its actual score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// The game, by its own number; positions of one game are adjacent.
    pub game: usize,
    /// Expected score of the engine, 0 to 1.
    pub expected: f64,
    /// Its score: 0, 1/2 or 1.
    pub score: f64,
}

// Field by field the same as `strength::statistics::Measurement`, which this crate may not import.
/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Interval {
    /// Point estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
    /// Number of observations.
    pub samples: u64,
}

/// Expected scores of a range with what was scored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct CalibrationBin {
    /// Lower end of the expected scores in it.
    pub from: f64,
    /// Upper end of the range.
    pub to: f64,
    /// Mean expected score in the range, 0 to 1.
    pub expected: f64,
    /// Mean score; games, not positions, count as independent.
    pub scored: Interval,
}

/// Agreement of expected scores with results.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct CalibrationCurve {
    /// The player whose expectations are compared with results.
    pub player: String,
    /// The ranges that hold positions, lowest first.
    pub bins: Vec<CalibrationBin>,
    /// Mean of (expected - scored)^2.
    pub brier: Interval,
    /// Mean distance of expected and scored over the bins, weighted by positions.
    pub error: Interval,
}
