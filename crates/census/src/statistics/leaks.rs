//! Positions in both splits: validation on them measures memory, not prediction.

use std::path::Path;

use dataset::{DatasetError, Split, Store, key_set::KeySet, packed_position::PackedPosition};
use serde::{Deserialize, Serialize};

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
