//! Counts of what was read and stored.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{bad_record::BadReason, record::LabelDoubts};

/// Counts of the records read: games, or positions that are part of no game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Records read, broken ones included.
    pub games_read: u64,
    /// Number of broken records, by reason.
    pub rejected: BTreeMap<BadReason, u64>,
    /// Number of labels of games that were left out, by reason.
    #[serde(default, skip_serializing_if = "LabelDoubts::is_empty")]
    pub doubts: LabelDoubts,
    /// Records dropped because they were read before.
    pub duplicates: u64,
    /// Records that the filters removed, or left no sample of.
    pub filtered: u64,
    /// Samples of games left out because their position was stored often enough.
    #[serde(default)]
    pub repeats: u64,
    /// Validation samples left out because their position is also trained on.
    #[serde(default)]
    pub leaks: u64,
    /// Records with at least one sample.
    pub games: u64,
    /// Records of the validation split.
    pub validation_games: u64,
    /// Number of samples of both splits.
    pub positions: u64,
    /// Samples of the validation split.
    pub validation_positions: u64,
}

impl Counts {
    /// Adds the counts of another store.
    pub(crate) fn add(&mut self, other: &Self) {
        self.games_read += other.games_read;
        for (&reason, count) in &other.rejected {
            *self.rejected.entry(reason).or_default() += count;
        }
        self.doubts.add(&other.doubts);
        self.duplicates += other.duplicates;
        self.filtered += other.filtered;
        self.repeats += other.repeats;
        self.leaks += other.leaks;
        self.games += other.games;
        self.validation_games += other.validation_games;
        self.positions += other.positions;
        self.validation_positions += other.validation_positions;
    }

    /// Number of broken records, for any reason.
    pub fn rejected_total(&self) -> u64 {
        self.rejected.values().sum()
    }
}
