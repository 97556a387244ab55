//! The training and the validation split side by side, and positions in both: validation on them measures memory, not prediction.

use std::path::Path;

use dataset::{DatasetError, Split, Store, key_set::KeySet, packed_position::PackedPosition};
use serde::{Deserialize, Serialize};

/// Sizes of the training and the validation split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Splits {
    pub train: SplitSize,
    pub validation: SplitSize,
}

/// Distinct games and samples of a split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
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
        let (mut trained, mut held_out) = (0_u64, 0_u64);
        for (_, counts) in &self.bars {
            trained += counts[0];
            held_out += counts[1];
        }
        // An empty split has shares of zero.
        let (trained, held_out) = (trained.max(1) as f64, held_out.max(1) as f64);
        self.bars
            .iter()
            .map(|(_, counts)| [counts[0] as f64 / trained, counts[1] as f64 / held_out])
            .collect()
    }
}

/// Held-out samples whose position also occurs in the training split; the fifty-move clock and the labels are
/// ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leaks {
    /// Number of such samples.
    pub positions: u64,
    /// Share of the validation split that leaks.
    pub share: f64,
}

/// Finds held-out positions that occur in the training split.
pub(super) struct LeakDetector {
    held_out: KeySet,
    learned: KeySet,
    samples: u64,
    leaked: u64,
}

impl LeakDetector {
    pub(super) fn new(store: &Store, folder: &Path) -> Result<Self, DatasetError> {
        // The validation split is read a first time, before the training split, because it is the small one: only its positions have to be
        // held while all others go by.
        let mut held_out = KeySet::new(folder);
        for samples in store.row_groups(Split::Validation) {
            for sample in samples? {
                held_out.insert(sample.position.key())?;
            }
        }
        Ok(Self { held_out, learned: KeySet::new(folder), samples: 0, leaked: 0 })
    }

    /// Notes a position of the training split.
    pub(super) fn learned(&mut self, position: &PackedPosition) -> Result<(), DatasetError> {
        let key = position.key();
        // Only these can leak, so the set of all learned positions is never needed.
        if self.held_out.contains(key)? {
            self.learned.insert(key)?;
        }
        Ok(())
    }

    /// Counts a held-out position, once the training split is over.
    pub(super) fn held_out(&mut self, position: &PackedPosition) -> Result<(), DatasetError> {
        self.samples += 1;
        self.leaked += u64::from(self.learned.contains(position.key())?);
        Ok(())
    }

    pub(super) fn finish(&self) -> Leaks {
        let share = if self.samples == 0 { 0.0 } else { self.leaked as f64 / self.samples as f64 };
        Leaks { positions: self.leaked, share }
    }
}
