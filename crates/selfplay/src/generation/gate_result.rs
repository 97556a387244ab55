//! The match that decides whether a network is promoted.

use serde::{Deserialize, Serialize};

/// A match of the network learned against the current one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateResult {
    /// Games won, drawn and lost by the network learned.
    pub games: [u32; 3],
    /// Elo difference with the bounds of its 95 % interval; a bound is missing if all games ended alike.
    pub elo: Option<f64>,
    /// Lower bound of the confidence interval, if there is one.
    pub lower: Option<f64>,
    /// Upper bound of the confidence interval, if there is one.
    pub upper: Option<f64>,
    /// True if the network learned is promoted.
    pub promoted: bool,
    /// Reason for the decision, as text.
    pub reason: String,
}
