//! Counts over sample stores and over files of games, and the curves from evaluations to results that fit a store ([`fit_wdl`]).
//! Rows are counted one by one, so that other readers can check the counts.
//!
//! # Examples
//! ```
//! use dataset::{BuildConfig, Store, Unobserved, build};
//! use dataset_statistics::Statistics;
//!
//! let folder = tempfile::tempdir()?;
//! let (games, output) = (folder.path().join("games.pgn"), folder.path().join("store"));
//! std::fs::write(&games, "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n")?;
//! build(&BuildConfig::new(&output, [&games]), &mut Unobserved)?;
//! let found = Statistics::count(&Store::open(&output)?, |_| {})?;
//! assert_eq!((found.games, found.positions, found.results.white), (1, 7, 1));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod bars;
mod counter;
pub mod fit_wdl;
mod games;
pub mod html;
mod leaks;
mod positions;
mod sources;
mod split_chart;

use std::collections::BTreeMap;

use dataset::{
    DatasetError, Split, Store,
    source::{BadReason, opening_names::OpeningNames},
};
use serde::{Deserialize, Serialize};

use self::counter::StoreCounter;
pub use self::{
    bars::{Bar, EvaluationBar},
    leaks::Leaks,
    positions::{Legality, Phases},
    sources::SourceStatistics,
    split_chart::SplitChart,
};

/// Statistics of a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
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
    /// Sizes of the training and the validation split.
    pub splits: Splits,
    /// Held-out samples whose position is also learned from.
    pub leaks: Leaks,
    /// Games by the mean rating of the known ones of their players.
    pub ratings: Ratings,
    /// Games by the half-moves up to their last sample, by twenties.
    pub lengths: Vec<Bar>,
    /// Games by opening, the most frequent first.
    pub openings: Vec<OpeningShare>,
    /// Samples by evaluation, seen by the side to move.
    pub evaluations: Vec<EvaluationBar>,
    /// Evaluations of the training split.
    pub training_evaluations: Vec<EvaluationBar>,
    /// Evaluations of the validation split.
    pub validation_evaluations: Vec<EvaluationBar>,
    /// Samples by the part of the game.
    pub phases: Phases,
    /// Samples by the pieces on the board, kings and pawns included.
    pub pieces: Vec<Bar>,
    /// Different positions, whatever the fifty-move clock.
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

/// Games by result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct GameResults {
    pub white: u64,
    pub draw: u64,
    pub black: u64,
    pub unknown: u64,
}

/// Samples by result, seen by the side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct PositionResults {
    /// The side to move won.
    pub win: u64,
    pub draw: u64,
    /// The side to move lost.
    pub loss: u64,
    pub unknown: u64,
}

/// Labels of the samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// Samples with an evaluation in centipawns.
    pub centipawns: u64,
    /// Samples with a mate as evaluation.
    pub mate: u64,
    /// Samples without evaluation.
    pub unevaluated: u64,
    /// Samples whose move to learn is not the one played.
    pub slips: u64,
    /// Samples followed by a slip, their own move included.
    pub before_slips: u64,
    /// Samples whose position occurred before in its game.
    pub repeated: u64,
}

/// Sizes of the training and the validation split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Splits {
    pub train: SplitSize,
    pub validation: SplitSize,
}

/// Size of one split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitSize {
    /// Distinct games.
    pub games: u64,
    /// Samples.
    pub positions: u64,
}

/// Games by rating.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ratings {
    /// Games without any rating.
    pub unknown: u64,
    /// Games by hundreds, without gaps.
    pub bars: Vec<RatingBar>,
}

/// Games with a mean rating of `from..from + 100`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct RatingBar {
    /// The rating at which the bar begins.
    pub from: u16,
    pub games: u64,
}

/// Games of one opening.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct OpeningShare {
    /// Its code in the Encyclopaedia of Chess Openings; `?` where neither the store nor the names know it.
    pub eco: String,
    /// The name of the longest line of the game, where names were given.
    pub name: String,
    pub games: u64,
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
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct SourceShare {
    pub path: String,
    pub positions: u64,
}

impl Statistics {
    /// Counts every row of a store, calling `progress` with the number of rows counted. Memory does not grow with the store;
    /// what does not fit lies in temporary files.
    ///
    /// # Errors
    /// [`DatasetError`] if a file cannot be read or holds other than its manifest says.
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
        // In this order: what is in both splits is found while the second is counted.
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
}

/// Broken records by reason in one line, or `none`.
pub fn rejected_text(rejected: &BTreeMap<BadReason, u64>) -> String {
    if rejected.is_empty() {
        return "none".into();
    }
    let reasons = rejected.iter().map(|(reason, records)| format!("{} {records}", reason.name()));
    reasons.collect::<Vec<_>>().join(", ")
}
