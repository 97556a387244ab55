//! Labels of an engine for the positions of a store, and the store with these labels.
//!
//! Labelling is two passes over a store. [`questions`] lists its distinct positions, each once, in stored
//! order; the caller's engine labels them, in any order and with any number of interruptions. [`relabel`]
//! then copies the store with these labels in place of its own.

use std::{
    collections::{HashMap, hash_map::Entry},
    io,
    path::Path,
};

use chess::Score;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::{
    DatasetError,
    builder::workplace::Workplace,
    packed_move::PackedMove,
    policy::PolicyLabel,
    record::SearchEffort,
    sample::{Sample, SearchValue},
    store::{
        Split, Store,
        manifest::{Engine, Manifest, SampleSettings, VERSION},
    },
};

/// An engine's label of a position, from the view of its side to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The move it would play.
    pub best_move: PackedMove,
    /// The engine's evaluation, from the view of the side to move.
    pub evaluation: Option<Score>,
    /// Its scores or shares of several moves.
    pub policy: PolicyLabel,
    /// The value of its search as probabilities, if it reports one.
    pub search_value: Option<SearchValue>,
    /// Depth and nodes of its search.
    pub effort: SearchEffort,
}

impl Label {
    /// Replaces the sample's own label. Data of the game stay: result, ratings, clocks, and the move played, if it is
    /// not the engine's.
    pub fn apply(self, sample: &mut Sample, engine: u16) {
        sample.evaluation = self.evaluation;
        sample.effort = self.effort;
        sample.engine = Some(engine);
        self.apply_beside_evaluation(sample);
    }

    /// Replaces best move, policy and search value; keeps the sample's evaluation, effort and engine.
    pub fn apply_beside_evaluation(self, sample: &mut Sample) {
        let played = sample.played_move.unwrap_or(sample.best_move);
        let has_other = sample.game.is_some() && played != self.best_move;
        sample.played_move = has_other.then_some(played);
        sample.best_move = self.best_move;
        sample.policy = self.policy;
        sample.search_value = self.search_value;
    }
}

/// Numbers of the distinct positions by their key, 20 to 40 bytes for each.
#[derive(Debug, Default)]
struct Numbers(HashMap<u64, u32>);

/// A position among the distinct ones of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbered {
    First(u32),
    Again(u32),
}

impl Numbers {
    fn of(&mut self, sample: &Sample) -> Numbered {
        let next = self.0.len() as u32;
        match self.0.entry(key(sample)) {
            Entry::Vacant(entry) => Numbered::First(*entry.insert(next)),
            Entry::Occupied(entry) => Numbered::Again(*entry.get()),
        }
    }
}

/// Equal for positions that get the same label: those that differ at most in clocks and move numbers, and in
/// a store with history have the same history, because an engine may depend on it.
fn key(sample: &Sample) -> u64 {
    if sample.history.is_empty() {
        return sample.position.key();
    }
    let mut hasher = Xxh3::new();
    hasher.update(&sample.position.key().to_le_bytes());
    hasher.update(&sample.history.0);
    hasher.digest()
}

/// A position to be labelled.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its number among the distinct positions of the store, from 0.
    pub number: u32,
    /// The first of its rows.
    pub sample: Sample,
    /// Rows of the store up to and including this one.
    pub rows: u64,
}

/// The distinct positions of a store, first those of the training split, in stored order: equal stores ask equal
/// questions. Memory: a row group, and 20 to 40 bytes for each distinct position.
///
/// # Errors
/// The item is a [`DatasetError`] if a row group cannot be read; nothing follows it.
pub fn questions(store: &Store) -> impl Iterator<Item = Result<Question, DatasetError>> {
    let (mut numbers, mut rows) = (Numbers::default(), 0);
    samples(store).filter_map(move |sample| {
        let sample = match sample {
            Ok(sample) => sample,
            Err(error) => return Some(Err(error)),
        };
        rows += 1;
        match numbers.of(&sample) {
            Numbered::First(number) => Some(Ok(Question { number, sample, rows })),
            Numbered::Again(_) => None,
        }
    })
}

/// The samples of both splits, in stored order, up to the first row group that cannot be read.
fn samples(store: &Store) -> impl Iterator<Item = Result<Sample, DatasetError>> {
    let groups = store.row_groups(Split::Train).chain(store.row_groups(Split::Validation));
    let mut broken = false;
    // The broken group itself still passes, as an error; the one after it does not.
    let whole = groups.take_while(move |group| !std::mem::replace(&mut broken, group.is_err()));
    whole.flat_map(|group| {
        let (samples, error) = match group {
            Ok(samples) => (samples, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        samples.into_iter().map(Ok).chain(error.map(Err))
    })
}

/// Changes to the samples of a store besides their labels.
#[derive(Clone, Debug)]
pub struct Relabelling {
    /// The engine that gave the labels.
    pub engine: Engine,
    /// Rating stored for both players in place of their own: the rating that the engine is conditioned on.
    pub rating: Option<u16>,
    /// True if evaluations stay, with the engines that gave them. The new engine, which gives everything else, comes last
    /// in the manifest's list.
    pub keeps_evaluations: bool,
}

/// Copies a store with other labels: the same rows in the same splits, each with the label of its position. `label_of`
/// is called with the numbers of [`questions`], mostly in ascending order; a label that it cannot find is an error.
///
/// # Errors
/// [`DatasetError`] when the store cannot be read, a label is missing, or the output exists or cannot be written.
pub fn relabel(
    store: &Store,
    output: &Path,
    relabelling: Relabelling,
    label_of: &mut dyn FnMut(u32) -> io::Result<Label>,
) -> Result<Manifest, DatasetError> {
    let workplace = Workplace::create(output)?;
    // Both splits share the numbers, and they are read in the order of `questions`: a position gets the number that its question had.
    let mut numbers = Numbers::default();
    let (mut train, mut validation) = (Vec::new(), Vec::new());
    for split in Split::ALL {
        let mut writer = workplace.writer(split.name(), store.manifest().history)?;
        for group in store.row_groups(split) {
            let mut samples = group?;
            for sample in &mut samples {
                let (Numbered::First(number) | Numbered::Again(number)) = numbers.of(sample);
                let label = label_of(number).map_err(DatasetError::io("find the labels of", output))?;
                if relabelling.keeps_evaluations {
                    label.apply_beside_evaluation(sample);
                } else {
                    label.apply(sample, 0);
                }
                if relabelling.rating.is_some() {
                    (sample.white_rating, sample.black_rating) = (relabelling.rating, relabelling.rating);
                }
            }
            writer.write(&mut samples)?;
        }
        match split {
            Split::Train => train = writer.finish()?,
            Split::Validation => validation = writer.finish()?,
        }
    }
    let mut engines =
        if relabelling.keeps_evaluations { store.manifest().engines.clone() } else { Vec::new() };
    engines.push(relabelling.engine);
    let manifest = Manifest {
        version: VERSION,
        tabiya: env!("CARGO_PKG_VERSION").into(),
        // Search values are the engine's now, not evaluations smoothed along games.
        settings: SampleSettings { smoothing: 0.0, ..store.manifest().settings.clone() },
        engines,
        train,
        validation,
        ..store.manifest().clone()
    };
    workplace.publish(&manifest)?;
    Ok(manifest)
}
