//! Everything counted in a store.

use std::collections::BTreeMap;

use dataset::{
    DatasetError, Split, Store,
    source::{BadReason, opening_names::OpeningNames},
};
use serde::{Deserialize, Serialize};

use crate::statistics::{
    Bar, EvaluationBar, GameResults, Labels, Leaks, Legality, OpeningShare, Phases, PositionResults, Ratings,
    Splits, counter::StoreCounter,
};

/// Everything that `tabiya data stats` reports about a store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Statistics {
    /// Distinct games.
    pub games: u64,
    /// Samples in both splits.
    pub positions: u64,
    /// Samples that are part of no game.
    pub single_positions: u64,
    pub results: GameResults,
    /// Samples by result, seen by the side to move.
    pub position_results: PositionResults,
    pub labels: Labels,
    pub splits: Splits,
    /// Held-out samples whose position also occurs in the training split.
    pub leaks: Leaks,
    /// Games by the mean of their players' known ratings.
    pub ratings: Ratings,
    /// Games by the half-moves up to their last sample, by twenties.
    pub lengths: Vec<Bar>,
    /// Games by opening, the most frequent first.
    pub openings: Vec<OpeningShare>,
    /// Samples by evaluation, seen by the side to move.
    pub evaluations: Vec<EvaluationBar>,
    pub training_evaluations: Vec<EvaluationBar>,
    pub validation_evaluations: Vec<EvaluationBar>,
    pub phases: Phases,
    /// Samples by the pieces on the board, kings and pawns included.
    pub pieces: Vec<Bar>,
    /// Distinct positions, ignoring the fifty-move clock.
    pub distinct_positions: u64,
    /// Samples that contradict the rules of chess.
    pub legality: Legality,
    /// Half-moves before the samples.
    pub plies: Plies,
    /// Samples by the file they are from.
    pub sources: Vec<SourceShare>,
    /// Records read from the sources when the store was built, broken ones included.
    pub games_read: u64,
    /// Broken records by reason.
    pub rejected: BTreeMap<BadReason, u64>,
    /// Games dropped because they were read before.
    pub duplicates: u64,
    /// Games that the filters removed.
    pub filtered: u64,
    /// Size of the data files.
    pub bytes: u64,
    /// Size of a sample on disk.
    pub bytes_per_position: f64,
}

/// Half-moves before the samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plies {
    /// Half-moves before the earliest sample.
    pub least: u16,
    /// Mean over all samples.
    pub mean: f64,
    /// Half-moves before the latest sample.
    pub greatest: u16,
}

/// Samples of one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct SourceShare {
    pub path: String,
    pub positions: u64,
}

impl Statistics {
    /// Counts every row of a store, calling `progress` with the number of rows counted. Memory does not grow
    /// with the store: larger sets go to temporary files.
    ///
    /// # Errors
    /// [`DatasetError`] if a file cannot be read or does not hold what its manifest says.
    pub fn count(store: &Store, progress: impl FnMut(u64)) -> Result<Self, DatasetError> {
        Self::count_with(store, None, progress)
    }

    /// Counts with names for the openings of games whose first moves are in the store.
    ///
    /// # Errors
    /// As [`Statistics::count`].
    pub fn count_with(
        store: &Store,
        names: Option<&OpeningNames>,
        mut progress: impl FnMut(u64),
    ) -> Result<Self, DatasetError> {
        let mut counter = StoreCounter::new(store, names)?;
        // In this order, because positions in both splits are found while the second is counted.
        for split in [Split::Train, Split::Validation] {
            for samples in store.row_groups(split) {
                for sample in samples? {
                    counter.add(split, &sample)?;
                }
                progress(counter.positions());
            }
        }
        Ok(counter.finish())
    }

    /// Records of the sources that are not in the store, in one line.
    pub fn left_out_text(&self) -> String {
        let rejected = rejected_text(&self.rejected);
        format!("{} repeated, {} filtered out, broken: {rejected}", self.duplicates, self.filtered)
    }
}

/// Broken records by reason in one line, or `none`.
pub fn rejected_text(rejected: &BTreeMap<BadReason, u64>) -> String {
    if rejected.is_empty() {
        return "none".into();
    }
    let reasons = rejected.iter().map(|(reason, records)| format!("{} {records}", reason.name()));
    reasons.collect::<Vec<_>>().join(", ")
}
