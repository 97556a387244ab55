//! The training and the validation split side by side.

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

/// A chart of numbers of samples in both splits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitChart {
    /// Title without the names of the splits.
    pub title: String,
    /// The bars with their names, training split first.
    pub bars: Vec<(String, [u64; 2])>,
    /// Sentences below the chart.
    pub facts: Vec<String>,
}

impl SplitChart {
    /// Each bar's share of its split.
    pub fn shares(&self) -> Vec<[f64; 2]> {
        let all = [0, 1].map(|split| self.bars.iter().map(|(_, counts)| counts[split]).sum::<u64>().max(1));
        let share = |split: usize, counts: &[u64; 2]| counts[split] as f64 / all[split] as f64;
        self.bars.iter().map(|(_, counts)| [share(0, counts), share(1, counts)]).collect()
    }
}
