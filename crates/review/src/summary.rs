//! Summary of a review for one side.

use serde::{Deserialize, Serialize};

/// A side's game in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct SideSummary {
    /// Accuracy, 0 to 100.
    pub accuracy: Option<f64>,
    /// Mean loss a move in points of win percentage, forced moves left out.
    pub mean_loss: Option<f64>,
    pub inaccuracies: usize,
    pub mistakes: usize,
    pub blunders: usize,
    pub forced: usize,
}
