//! Positions that stand in both splits: what a network is judged by there it has learned from.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{DatasetError, Split, Store, packed_position::PackedPosition};

/// Held-out samples whose position also stands in the training split, whatever the fifty-move clock and the labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leaks {
    /// Such samples.
    pub positions: u64,
    /// Their share of the validation split.
    pub share: f64,
}

/// Looks for held-out positions among those learned from; keeps only the held-out ones in memory.
#[derive(Debug, Default)]
pub(super) struct LeakDetector {
    held_out: HashMap<u64, HeldOut>,
}

#[derive(Clone, Copy, Debug, Default)]
struct HeldOut {
    samples: u32,
    in_training: bool,
}

impl LeakDetector {
    /// Reads the validation split.
    pub(super) fn new(store: &Store) -> Result<Self, DatasetError> {
        let mut detector = Self::default();
        for samples in store.row_groups(Split::Validation) {
            for sample in samples? {
                detector.held_out.entry(sample.position.key()).or_default().samples += 1;
            }
        }
        Ok(detector)
    }

    /// Notes a position of the training split.
    pub(super) fn learned(&mut self, position: &PackedPosition) {
        if let Some(held_out) = self.held_out.get_mut(&position.key()) {
            held_out.in_training = true;
        }
    }

    pub(super) fn finish(self) -> Leaks {
        let count = |wanted: fn(&HeldOut) -> bool| -> u64 {
            let found = self.held_out.values().filter(|held_out| wanted(held_out));
            found.map(|held_out| u64::from(held_out.samples)).sum()
        };
        let (positions, all) = (count(|held_out| held_out.in_training), count(|_| true));
        Leaks { positions, share: if all == 0 { 0.0 } else { positions as f64 / all as f64 } }
    }
}
