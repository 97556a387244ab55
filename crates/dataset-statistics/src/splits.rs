//! Sizes of the splits of a store.

use serde::{Deserialize, Serialize};

/// Sizes of the training and the validation split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Splits {
    pub train: SplitSize,
    pub validation: SplitSize,
}

/// Distinct games and samples of a split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct SplitSize {
    pub games: u64,
    pub positions: u64,
}
