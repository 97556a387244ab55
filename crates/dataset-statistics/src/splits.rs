//! Sizes of the splits of a store.

use serde::{Deserialize, Serialize};

/// Sizes of the training and the validation split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Splits {
    pub train: SplitSize,
    pub validation: SplitSize,
}

/// The training or the validation split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitSize {
    /// Distinct games.
    pub games: u64,
    /// Samples.
    pub positions: u64,
}
