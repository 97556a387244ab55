//! Counts of records read and samples stored.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    bad_record::{BadReason, LeftOut, reasons_text},
    record::LabelDoubts,
};

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
    /// The same records by reason; empty in stores of versions that did not count them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<LeftOut, u64>,
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
        for (&reason, count) in &other.left_out {
            *self.left_out.entry(reason).or_default() += count;
        }
        self.repeats += other.repeats;
        self.leaks += other.leaks;
        self.games += other.games;
        self.validation_games += other.validation_games;
        self.positions += other.positions;
        self.validation_positions += other.validation_positions;
    }

    /// Counts a record that the filters removed, or left no sample of.
    pub(crate) fn leave_out(&mut self, reason: LeftOut) {
        self.filtered += 1;
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// The records that were left out by reason, with what to do about each; empty if none were.
    pub fn left_out_text(&self) -> String {
        reasons_text(&self.left_out)
    }

    /// Number of broken records, for any reason.
    pub fn rejected_total(&self) -> u64 {
        self.rejected.values().sum()
    }
}
