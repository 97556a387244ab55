//! Builds a sample store from source files.

mod after_lines;
mod store_writer;
pub(crate) mod workplace;

use std::path::PathBuf;

use chess::Position as _;

use crate::{
    DatasetError, LeftOut,
    filter::{Filters, RatingBands},
    record::{GameRecord, Place, PositionRecord, Record, UnlabelledPosition},
    sample::{Sample, SampleError},
    sampler::Sampler,
    source::{self, BadReason, BadRecord, PositionRules, Problem, input::Location},
    store::manifest::{Counts, Engine, Manifest, SampleSettings, SourceFile},
};

pub use self::store_writer::StoreWriter;

/// Settings of a store to be built.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildConfig {
    /// The store's directory, which must not exist.
    pub output: PathBuf,
    /// Files, folders and archives in the formats of [`source::SOURCES`]; `-` is stdin.
    pub inputs: Vec<PathBuf>,
    /// Conditions on games and positions.
    pub filters: Filters,
    /// Share of the records in the validation split, 0 to 1.
    pub validation_share: f64,
    /// Positions kept with each sample, the sample's own included; 1 = no history.
    pub history: usize,
    /// Keep games and positions that were read before.
    pub keep_duplicates: bool,
    /// Seed of the choice of samples within a game.
    pub seed: u64,
    /// The engine that evaluated the positions, if known.
    pub engine: Option<Engine>,
    /// Treatment of positions without a best move.
    pub unlabelled: Unlabelled,
    /// Treatment of positions that break the rules of chess.
    pub rules: PositionRules,
    /// Samples of games are left out if their position was already stored this often; none = all are kept.
    pub most_repeats: Option<u8>,
    /// Leave out validation samples whose position also occurs in the training split.
    pub without_leaks: bool,
    /// Weight of the later positions when the evaluations of a game are smoothed along it and stored as search values,
    /// 0 to 1; 0 stores none.
    pub smoothing: f32,
    /// Share of the positions, 0 to 1, replaced by the position after a random legal move, chosen by hash and `seed`: most
    /// positions of a search follow bad moves, which games lack. They lose every label, so [`Unlabelled::Await`] is required.
    pub random_moves: f32,
    /// Also store the positions after the lines of each position, with the value of the line; they are in the split of
    /// the position itself and train only the value. The store keeps no history.
    pub after_lines: bool,
}

impl BuildConfig {
    /// Default share of the games for validation, 0 to 1.
    pub const VALIDATION_SHARE: f64 = 0.02;
    /// Default number of positions kept with each sample: its own, without history.
    pub const HISTORY: usize = 1;
    /// Default seed.
    pub const SEED: u64 = 0;

    /// A store of all samples of `inputs`, with the default validation share, history and seed.
    pub fn new(output: impl Into<PathBuf>, inputs: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            output: output.into(),
            inputs: inputs.into_iter().map(Into::into).collect(),
            filters: Filters::default(),
            validation_share: Self::VALIDATION_SHARE,
            history: Self::HISTORY,
            keep_duplicates: false,
            seed: Self::SEED,
            engine: None,
            unlabelled: Unlabelled::Reject,
            rules: PositionRules::Strict,
            most_repeats: None,
            without_leaks: false,
            smoothing: 0.0,
            random_moves: 0.0,
            after_lines: false,
        }
    }
}

/// Follows a build while it runs, and can end it.
pub trait BuildObserver {
    /// Called once before reading, with the total bytes of the inputs; stdin counts as 0.
    fn begins(&mut self, _bytes: u64) {}

    /// Called after every few games with the counts and the bytes of the input files read so far.
    fn progress(&mut self, counts: &Counts, bytes_read: u64);

    /// Called for every broken record.
    fn rejected(&mut self, record: &BadRecord);

    /// Called often; `true` ends the build without a store.
    fn stopped(&self) -> bool;

    /// Called when everything has been read and nothing is published yet: the observer's own files must be on disk first. An
    /// error ends the build without a store.
    ///
    /// # Errors
    /// The error that keeps the observer from writing.
    fn before_publishing(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An observer that ignores all progress and never stops the build.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl BuildObserver for NoObserver {
    fn progress(&mut self, _counts: &Counts, _bytes_read: u64) {}

    fn rejected(&mut self, _record: &BadRecord) {}

    fn stopped(&self) -> bool {
        false
    }
}

/// Games between two calls of the observer.
const GAMES_BETWEEN_REPORTS: u64 = 64;

/// Builds a store: reads the inputs one after another into a directory next to the output, which is renamed to the
/// output when it is complete. If the build ends early (an error, the observer), nothing of it is left.
///
/// # Errors
/// [`DatasetError`] for unreadable inputs, an output that exists, a full disk, no sample at all, or a stop.
pub fn build(config: &BuildConfig, observer: &mut dyn BuildObserver) -> Result<Manifest, DatasetError> {
    let inputs = locate(config)?;
    observer.begins(inputs.iter().map(Location::bytes).sum());
    let mut build = Build::new(config)?;
    let mut sources = Vec::with_capacity(inputs.len());
    let mut bytes_before = 0;
    for (index, input) in inputs.iter().enumerate() {
        let source = build.read(index as u16, input, bytes_before, observer)?;
        bytes_before += source.bytes;
        sources.push(source);
    }
    let engines = config.engine.iter().cloned().collect();
    build.store.finish(engines, sources, || {
        observer.before_publishing().map_err(DatasetError::io("finish the report for", &config.output))
    })
}

/// Finds every input and opens it once, so that none turns out to be missing when others have been read for hours.
fn locate(config: &BuildConfig) -> Result<Vec<Location>, DatasetError> {
    let mut found = Vec::new();
    for input in &config.inputs {
        found.extend(Location::all(input)?);
    }
    if found.is_empty() || found.len() > usize::from(u16::MAX) {
        return Err(DatasetError::setting("inputs", found.len().to_string(), "1 to 65535 files"));
    }
    for location in found.iter().filter(|location| location.reopens()) {
        source::open_with(location, config.rules)?;
    }
    Ok(found)
}

/// The state of a build in progress.
struct Build<'a> {
    config: &'a BuildConfig,
    sampler: Sampler,
    samples: Vec<Sample>,
    rating_bands: Option<RatingBands>,
    store: StoreWriter,
}

impl<'a> Build<'a> {
    fn new(config: &'a BuildConfig) -> Result<Self, DatasetError> {
        let settings = SampleSettings {
            validation_share: config.validation_share,
            deduplicated: !config.keep_duplicates,
            seed: config.seed,
            filters: config.filters.clone(),
            most_repeats: config.most_repeats,
            without_leaks: config.without_leaks,
            rules: config.rules,
            smoothing: config.smoothing,
            random_moves: config.random_moves,
            after_lines: config.after_lines,
        };
        check_random_moves(config)?;
        if config.after_lines && config.history > 1 {
            let found = format!("{} positions of history", config.history);
            return Err(DatasetError::setting("after_lines", found, "1: only the position itself"));
        }
        Ok(Self {
            config,
            sampler: Sampler::new(config.history, config.seed, config.filters.clone())
                .with_smoothing(config.smoothing),
            samples: Vec::new(),
            rating_bands: config.filters.max_games_per_band.map(RatingBands::new),
            store: StoreWriter::create(&config.output, config.history, settings)?,
        })
    }

    fn read(
        &mut self,
        index: u16,
        input: &Location,
        bytes_before: u64,
        observer: &mut dyn BuildObserver,
    ) -> Result<SourceFile, DatasetError> {
        let mut source = source::open_with(input, self.config.rules)?;
        let (games_before, positions_before) = (self.store.counts.games_read, self.store.counts.positions);
        while !self.is_full() {
            let Some(game) = source.next() else { break };
            // A broken record was read too. An error is the end of the source (see the laws of `Source`) and of the build: a store of half a
            // file, which nobody notices, is worse than none.
            self.store.counts.games_read += 1;
            let game = game?;
            match &game {
                Ok(Record::Game(record)) => self.store.counts.doubts.add(&record.doubts),
                Ok(Record::Position(record)) => self.store.counts.doubts.add(&record.doubts),
                _ => {}
            }
            match game {
                Ok(Record::Game(record)) if record.moves.is_empty() => {
                    self.reject(&without_moves(record.place), observer);
                }
                Ok(Record::Game(record)) => self.add_game(&record, index)?,
                Ok(Record::Position(record)) => self.add_position(&record, index)?,
                Ok(Record::Unlabelled(record)) => match awaiting(*record, self.config.unlabelled) {
                    Ok(record) => self.add_position(&record, index)?,
                    Err(bad) => self.reject(&bad, observer),
                },
                Err(bad) => self.reject(&bad, observer),
            }
            if self.store.counts.games_read.is_multiple_of(GAMES_BETWEEN_REPORTS) {
                observer.progress(&self.store.counts, bytes_before + source.progress().file_bytes);
                if observer.stopped() {
                    return Err(DatasetError::Stopped { path: self.config.output.clone() });
                }
            }
        }
        let progress = source.progress();
        observer.progress(&self.store.counts, bytes_before + progress.file_bytes);
        Ok(SourceFile {
            path: input.path().display().to_string(),
            bytes: progress.file_bytes,
            xxh3: source.digest(),
            games: self.store.counts.games_read - games_before,
            positions: self.store.counts.positions - positions_before,
        })
    }

    fn reject(&mut self, bad: &BadRecord, observer: &mut dyn BuildObserver) {
        *self.store.counts.rejected.entry(bad.reason).or_default() += 1;
        observer.rejected(bad);
    }

    fn is_full(&self) -> bool {
        let filters = &self.config.filters;
        filters.max_games.is_some_and(|most| self.store.counts.games >= most)
            || filters.max_positions.is_some_and(|most| self.store.counts.positions >= most)
    }

    fn add_game(&mut self, record: &GameRecord, source: u16) -> Result<(), DatasetError> {
        let filters = &self.config.filters;
        // The order decides the counts. A game that a filter removes is not remembered as read before, so that it never counts as a
        // duplicate; a band counts a game last, when samples of it are left.
        let is_wanted = self.rating_bands.as_ref().is_none_or(|bands| bands.wants(record));
        let refusal = if is_wanted { filters.refusal(record) } else { Some(LeftOut::FullBand) };
        if let Some(reason) = refusal {
            self.store.counts.leave_out(reason);
            return Ok(());
        }
        let game = self.sampler.game_hash(record);
        if self.store.is_duplicate(game)? {
            return Ok(());
        }
        self.sampler.sample(record, game, source, &mut self.samples);
        if self.samples.is_empty() {
            self.store.counts.leave_out(filters.refusal_of_positions(record));
            return Ok(());
        }
        self.play_random_moves()?;
        if let Some(most) = self.config.most_repeats {
            self.store.drop_repeats(&mut self.samples, most)?;
        }
        if let Some(most) = filters.max_positions {
            self.samples.truncate(usize::try_from(most - self.store.counts.positions).unwrap_or(usize::MAX));
        }
        if let Some(bands) = self.rating_bands.as_mut().filter(|_| !self.samples.is_empty()) {
            bands.count(record);
        }
        self.write(game)
    }

    /// A position that is part of no game is split by its own key, so all data about it, from any source, are in one
    /// split.
    fn add_position(&mut self, record: &PositionRecord, source: u16) -> Result<(), DatasetError> {
        if let Some(reason) = self.config.filters.refusal_of_position(record) {
            self.store.counts.leave_out(reason);
            return Ok(());
        }
        // The key is also what finds duplicates: of several records of a position the first one counts.
        let sample = self.sampler.sample_position(record, source);
        let key = sample.position.key();
        if self.store.is_duplicate(key)? {
            return Ok(());
        }
        if self.config.after_lines {
            let after = after_lines::after(&sample).map_err(|source| unplayable("after_lines", &source))?;
            self.samples.extend(after);
        }
        self.samples.push(sample);
        self.play_random_moves()?;
        self.write(key)
    }

    fn play_random_moves(&mut self) -> Result<(), DatasetError> {
        let (share, seed) = (self.config.random_moves, self.config.seed);
        if share == 0.0 {
            return Ok(());
        }
        let mut played = Vec::with_capacity(self.samples.len());
        for sample in self.samples.drain(..) {
            let after = after_lines::after_random_move(&sample, share, seed);
            played.extend(after.map_err(|source| unplayable("random_moves", &source))?);
        }
        self.samples = played;
        Ok(())
    }

    /// Writes the samples of a record to the split of its hash.
    fn write(&mut self, hash: u64) -> Result<(), DatasetError> {
        if self.config.engine.is_some() {
            for sample in &mut self.samples {
                sample.engine = sample.evaluation.map(|_| 0);
            }
        }
        self.store.write(hash, &mut self.samples)
    }
}

/// The error of a sample whose moves cannot be played.
fn unplayable(setting: &'static str, source: &SampleError) -> DatasetError {
    DatasetError::setting(setting, source.to_string(), "positions that can be replayed")
}

/// Checks that a build with random moves is made for labelling and keeps no history: a position after a
/// random move has neither labels nor history.
fn check_random_moves(config: &BuildConfig) -> Result<(), DatasetError> {
    let expected = if !(0.0..=1.0).contains(&config.random_moves) {
        "a share, 0 to 1"
    } else if config.random_moves > 0.0 && (config.unlabelled != Unlabelled::Await || config.history > 1) {
        "0 unless positions are labelled and keep no history"
    } else {
        return Ok(());
    };
    Err(DatasetError::setting("random_moves", config.random_moves.to_string(), expected))
}

/// A table may have everything about a game except its moves.
fn without_moves(place: Place) -> BadRecord {
    Problem::new(BadReason::NoMoves, "a game without its moves").at(place)
}

/// Treatment of positions without a best move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unlabelled {
    /// Rejects them as broken records, because nothing can be learned from them.
    #[default]
    Reject,
    /// Stores them with their first legal move as best move, until [`crate::relabel`] replaces it.
    Await,
}

/// The record of a position that is to be labelled later; an error under [`Unlabelled::Reject`].
fn awaiting(record: UnlabelledPosition, rule: Unlabelled) -> Result<PositionRecord, BadRecord> {
    let UnlabelledPosition { place, position, castling_mode } = record;
    if let (Unlabelled::Await, Some(&best_move)) = (rule, position.legal_moves().first()) {
        return Ok(PositionRecord::new(place, position, castling_mode, best_move));
    }
    let detail = "a position without a best move; `tabiya data label` finds one";
    Err(Problem::new(BadReason::NoMoves, detail).at(place))
}
