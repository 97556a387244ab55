//! Streams a store as shuffled, encoded batches.
//!
//! # How it works
//! 1. The order of an epoch is a function of the seed and the epoch's number: row groups are shuffled, put together into
//!    windows of `shuffle_window` samples, and the samples of each window are shuffled (`order`).
//! 2. One thread reads windows, at most one ahead of the window in use.
//! 3. One thread cuts the stream of samples into batches; `threads` encoders turn them into planes or features, and policy
//!    targets, with similar positions next to each other if requested. Before that they may replace samples by others made from
//!    them ([`Streaming`]).
//! 4. [`Loader`] hands the batches out in order, so the number of threads changes nothing but the speed.
//!
//! Memory is bounded by three windows and `2 * prefetch + threads` batches.

mod encoder;
mod order;
mod pipeline;
mod stream;

use chess::encoding::{FeatureSet, InputEncoding, MoveEncoding};
use serde::{Deserialize, Serialize};

pub use self::stream::{PositionLabeller, Streaming};
use self::{order::EpochOrder, pipeline::Pipeline};
use crate::{Batch, DatasetError, POLICY_TEMPERATURE, Split, Store, record::Origin, sample::Sample};

/// Samples that a loader reads, and how it reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct LoaderConfig {
    pub split: Split,
    pub batch_size: usize,
    /// Decides the order of the training samples, together with the epoch.
    pub seed: u64,
    /// Samples that are shuffled with each other, at least a row group. About 100 bytes of memory each.
    pub shuffle_window: usize,
    /// Threads that encode.
    pub threads: usize,
    /// Batches kept ready.
    pub prefetch: usize,
}

/// A place in the stream of batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoaderState {
    /// Number of epochs completed.
    pub epoch: u64,
    /// Batches of the current epoch handed out.
    pub batch: u64,
}

/// The encoding of positions for a network.
#[derive(Clone)]
enum Encoding {
    /// Planes, and a policy index for each legal move.
    Planes(&'static dyn InputEncoding, &'static dyn MoveEncoding),
    /// The features of each set, and policy rows for each legal move.
    Features(Vec<&'static dyn FeatureSet>),
}

/// The conversion of labels to targets.
#[derive(Clone, Copy, Debug)]
struct Targets {
    policy_temperature: f32,
    weights: SampleWeights,
    /// Decides which samples are mirrored; without it, none are.
    mirror_seed: Option<u64>,
    /// Number of feature sets that samples without weight for the policy are encoded for; `None` encodes all of every sample.
    sets_without_policy: Option<usize>,
    /// True if similar positions follow each other in a batch.
    is_sorted: bool,
}

impl Default for Targets {
    fn default() -> Self {
        Self {
            policy_temperature: POLICY_TEMPERATURE,
            weights: SampleWeights::default(),
            mirror_seed: None,
            sets_without_policy: None,
            is_sorted: false,
        }
    }
}

/// An iterator over the batches of one epoch. For [`Split::Train`] the order is shuffled again each epoch and a last batch
/// that is not full is dropped; for [`Split::Validation`] the order is always the same and the last batch may be short.
///
/// After an error the iteration ends.
pub struct Loader {
    source: pipeline::Source,
    batches: u64,
    /// True if a last batch that is not full is dropped.
    drops_short: bool,
    state: LoaderState,
    pipeline: Option<Pipeline>,
    finished: bool,
}

impl Loader {
    /// A loader that continues at `state` (the default is the beginning).
    ///
    /// # Errors
    /// [`DatasetError::HistoryTooShort`] when the store lacks history that the input encoding needs;
    /// [`DatasetError::Setting`] for settings of zero, or a state beyond the end of the epoch.
    pub fn new(
        store: &Store,
        input: &'static dyn InputEncoding,
        moves: &'static dyn MoveEncoding,
        config: LoaderConfig,
        state: LoaderState,
    ) -> Result<Self, DatasetError> {
        let stored = store.manifest().history;
        if input.history() > stored {
            return Err(DatasetError::HistoryTooShort {
                path: store.path().into(),
                stored,
                encoding: input.name(),
                needed: input.history(),
            });
        }
        Self::encoding(store, Encoding::Planes(input, moves), config, state)
    }

    /// A loader for a sparse network that reads these sets of features.
    ///
    /// # Errors
    /// As [`Loader::new`].
    pub fn of_features(
        store: &Store,
        sets: Vec<&'static dyn FeatureSet>,
        config: LoaderConfig,
        state: LoaderState,
    ) -> Result<Self, DatasetError> {
        Self::encoding(store, Encoding::Features(sets), config, state)
    }

    fn encoding(
        store: &Store,
        encoding: Encoding,
        config: LoaderConfig,
        state: LoaderState,
    ) -> Result<Self, DatasetError> {
        check(&config)?;
        // A short batch would give its samples more weight in training, and after shuffling it misses a random rest; a validation must see
        // every sample.
        let drops_short = config.split == Split::Train;
        let batches = batches(store.positions(config.split), config.batch_size, drops_short);
        if state.batch > batches {
            let found = format!("batch {} of epoch {}", state.batch, state.epoch);
            let expected = format!("at most {batches}, the batches of an epoch of this store");
            return Err(DatasetError::setting("loader state", found, expected));
        }
        let files = store.files(config.split).clone();
        let order = EpochOrder::new(&files.row_groups, &config, state.epoch);
        let targets = Targets::default();
        let source = pipeline::Source { files, order, config, encoding, targets, streaming: None };
        Ok(Self { source, batches, drops_short, state, pipeline: None, finished: false })
    }

    /// Sets the temperature of policy targets from evaluations of several moves (see
    /// [`crate::PolicyLabel::probabilities`]); call it before the first batch is taken.
    #[must_use]
    pub fn with_policy_temperature(mut self, temperature: f32) -> Self {
        self.source.targets.policy_temperature = temperature;
        self
    }

    /// Sets weights of samples by origin, on top of their own weights; call it before the first batch is taken.
    #[must_use]
    pub fn with_weights(mut self, weights: SampleWeights) -> Self {
        self.source.targets.weights = weights;
        self
    }

    /// For samples that do not count for the policy, leaves out what only the policy reads: their legal moves, and all feature sets
    /// but the first `sets`. Their gradient there is zero, so a training step is shorter with the same result. Call it before the
    /// first batch is taken.
    #[must_use]
    pub fn with_policy_inputs_where_learned(mut self, sets: usize) -> Self {
        self.source.targets.sets_without_policy = Some(sets);
        self
    }

    /// Sorts the samples of each batch so that similar positions follow each other: those with the kings on the same squares.
    /// Which samples a batch has stays the same, but training on rows of features finds more of them in a core's cache. Call it
    /// before the first batch is taken.
    #[must_use]
    pub fn with_similar_positions_together(mut self) -> Self {
        self.source.targets.is_sorted = true;
        self
    }

    /// Reverses the files of the board in about half of the training samples without castling rights, different ones each epoch.
    /// Call it before the first batch is taken.
    #[must_use]
    pub fn with_mirroring(mut self) -> Self {
        if self.source.config.split == Split::Train {
            self.source.targets.mirror_seed = Some(self.source.order.seed());
        }
        self
    }

    /// Replaces samples by positions that are made from them and labelled while loading. Held-out samples are replaced too, by the
    /// same ones every time. Call it before the first batch is taken.
    #[must_use]
    pub fn with_streaming(mut self, streaming: Streaming) -> Self {
        self.source.streaming = Some(streaming);
        self
    }

    /// Keeps the samples in stored order (games one after another), and the last batch even if it is short. Call it before
    /// the first batch is taken.
    #[must_use]
    pub fn in_stored_order(mut self) -> Self {
        let order = self.source.order.stored(&self.source.files.row_groups);
        self.source.order = order;
        self.drops_short = false;
        self.counted()
    }

    /// Restricts the loader to one of several parts, which together contain every sample of the epoch once, except last
    /// batches that are not full: row groups are dealt out in the order of the epoch, so a part is empty if there are
    /// fewer of them. Call it before the first batch is taken.
    ///
    /// # Errors
    /// [`DatasetError::Setting`] for a part that does not exist.
    pub fn with_part(mut self, part: usize, parts: usize) -> Result<Self, DatasetError> {
        if part >= parts {
            let expected = "a number below the number of parts";
            return Err(DatasetError::setting("part", format!("{part} of {parts}"), expected));
        }
        let order = self.source.order.part(part, parts);
        self.source.order = order;
        Ok(self.counted())
    }

    fn counted(mut self) -> Self {
        self.batches = batches(self.source.order.samples(), self.source.config.batch_size, self.drops_short);
        self
    }

    /// Position of the stream: a loader created with it yields the very next batch, and after the last batch of an
    /// epoch the first of the next one.
    pub fn state(&self) -> LoaderState {
        if self.state.batch == self.batches {
            return LoaderState { epoch: self.state.epoch + 1, batch: 0 };
        }
        self.state
    }

    /// Batches of a whole epoch.
    pub fn batches_per_epoch(&self) -> u64 {
        self.batches
    }
}

impl Iterator for Loader {
    type Item = Result<Batch, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished || self.state.batch == self.batches {
            self.pipeline = None;
            return None;
        }
        let range = self.state.batch..self.batches;
        let pipeline = self.pipeline.get_or_insert_with(|| Pipeline::start(&self.source, range));
        let batch = pipeline.next();
        match &batch {
            Ok(_) => self.state.batch += 1,
            Err(_) => self.finished = true,
        }
        Some(batch)
    }
}

fn check(config: &LoaderConfig) -> Result<(), DatasetError> {
    let settings = [
        ("batch size", config.batch_size),
        ("shuffle window", config.shuffle_window),
        ("threads", config.threads),
        ("prefetch", config.prefetch),
    ];
    for (setting, value) in settings {
        if value == 0 {
            return Err(DatasetError::setting(setting, "0", "at least 1"));
        }
    }
    Ok(())
}

fn batches(positions: u64, size: usize, drops_short: bool) -> u64 {
    let size = size as u64;
    if drops_short { positions / size } else { positions.div_ceil(size) }
}

/// Weights of samples in the losses of policy and value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleWeights {
    /// Weights in the loss of the policy.
    pub policy: OriginWeights,
    /// Weights in the loss of the value.
    pub value: OriginWeights,
}

impl SampleWeights {
    /// Weights of a sample in the losses of policy and value. Without a known move it does not count for the policy.
    fn of(&self, sample: &Sample) -> [f32; 2] {
        let policy = if sample.policy.is_unknown() { 0.0 } else { self.policy.of(sample) };
        [policy, self.value.of(sample)]
    }
}

/// Factors of the sample weights by origin. With 0 the samples stay in the batches, but nothing is learned from them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OriginWeights {
    /// Games of people. Default 1.
    pub human: f32,
    /// Games and analyses of engines. Default 1.
    pub engine: f32,
    /// Games of the network that learns from them. Default 1.
    pub self_play: f32,
    /// Puzzles. Default 1.
    pub puzzle: f32,
    /// Samples of unknown origin. Default 1.
    pub unknown: f32,
}

impl Default for OriginWeights {
    fn default() -> Self {
        Self { human: 1.0, engine: 1.0, self_play: 1.0, puzzle: 1.0, unknown: 1.0 }
    }
}

impl OriginWeights {
    /// Each weight with its name in a recipe.
    pub fn named(&self) -> [(&'static str, f32); 5] {
        [
            ("human", self.human),
            ("engine", self.engine),
            ("self_play", self.self_play),
            ("puzzle", self.puzzle),
            ("unknown", self.unknown),
        ]
    }

    /// The products with other weights.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self {
            human: self.human * other.human,
            engine: self.engine * other.engine,
            self_play: self.self_play * other.self_play,
            puzzle: self.puzzle * other.puzzle,
            unknown: self.unknown * other.unknown,
        }
    }

    /// Weight of a sample: the factor of its origin times its own weight.
    fn of(&self, sample: &Sample) -> f32 {
        let of_origin = match sample.origin {
            Some(Origin::Human) => self.human,
            Some(Origin::Engine) => self.engine,
            Some(Origin::SelfPlay) => self.self_play,
            Some(Origin::Puzzle) => self.puzzle,
            None => self.unknown,
        };
        of_origin * sample.weight
    }
}
