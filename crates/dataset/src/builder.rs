//! Builds a sample store from source files.

mod leaks;
mod unlabelled;
pub(crate) mod workplace;

use std::path::{Path, PathBuf};

use crate::{
    DatasetError,
    filter::Filters,
    key_set::KeySet,
    record::{GameRecord, Place, PositionRecord, Record},
    sample::Sample,
    sampler::Sampler,
    source::{self, BadReason, BadRecord, PositionRules, input::Location},
    store::{
        manifest::{Counts, Engine, FORMAT, Manifest, Settings, SourceFile, StoreFile, VERSION},
        writer::SplitWriter,
    },
};

pub use self::unlabelled::Unlabelled;
use self::workplace::Workplace;

/// How to build a store.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildConfig {
    /// The store's directory, which must not exist.
    pub output: PathBuf,
    /// Files, folders and archives of what [`source::SOURCES`] read; `-` is stdin.
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
    /// The engine that evaluated the positions, where it is known.
    pub engine: Option<Engine>,
    /// What becomes of positions without a best move.
    pub unlabelled: Unlabelled,
    /// What becomes of impossible positions.
    pub rules: PositionRules,
    /// Samples of games whose position was stored so often are left out; none = all are kept.
    pub most_repeats: Option<u8>,
    /// Leave validation samples out whose position is also trained on.
    pub without_leaks: bool,
    /// Weight of what follows in the evaluations of a game that are smoothed along it and stored as search values, 0 to 1;
    /// 0 = none are stored.
    pub smoothing: f32,
}

impl BuildConfig {
    /// A store of all samples of `inputs`, one fiftieth of the games for validation, no history.
    pub fn new(output: impl Into<PathBuf>, inputs: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            output: output.into(),
            inputs: inputs.into_iter().map(Into::into).collect(),
            filters: Filters::default(),
            validation_share: 0.02,
            history: 1,
            keep_duplicates: false,
            seed: 0,
            engine: None,
            unlabelled: Unlabelled::Reject,
            rules: PositionRules::Strict,
            most_repeats: None,
            without_leaks: false,
            smoothing: 0.0,
        }
    }
}

/// Hears about a build while it runs, and can end it.
pub trait BuildObserver {
    /// Called after every few games with what was counted and how many bytes of the input files were read.
    fn progress(&mut self, counts: &Counts, bytes_read: u64);

    /// Called for every broken record.
    fn rejected(&mut self, record: &BadRecord);

    /// Asked often; `true` ends the build without a store.
    fn stopped(&self) -> bool;

    /// Called when all was read and nothing published yet: what the observer writes must be on disk first. An error ends the
    /// build without a store.
    ///
    /// # Errors
    /// Whatever keeps the observer from writing.
    fn before_publishing(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An observer that lets the build run and says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl BuildObserver for Unobserved {
    fn progress(&mut self, _counts: &Counts, _bytes_read: u64) {}

    fn rejected(&mut self, _record: &BadRecord) {}

    fn stopped(&self) -> bool {
        false
    }
}

/// Name of the files of the validation split.
const VALIDATION: &str = "validation";

/// Games between two looks at the observer.
const GAMES_BETWEEN_REPORTS: u64 = 64;

/// Builds a store: reads the inputs one after another into a directory beside the output, which takes the output's name
/// when all is written. Whatever ends the build early (an error, the observer), nothing of it stays.
///
/// # Errors
/// [`DatasetError`] for unreadable inputs, an output that exists, a full disk, no sample at all, or a stop.
pub fn build(config: &BuildConfig, observer: &mut dyn BuildObserver) -> Result<Manifest, DatasetError> {
    check(config)?;
    let inputs = locate(config)?;
    let workplace = Workplace::create(&config.output)?;
    let mut build = Build::new(config, workplace.path())?;
    let mut sources = Vec::with_capacity(inputs.len());
    let mut bytes_before = 0;
    for (index, input) in inputs.iter().enumerate() {
        let source = build.read(index as u16, input, bytes_before, observer)?;
        bytes_before += source.bytes;
        sources.push(source);
    }
    let manifest = build.finish(sources)?;
    observer.before_publishing().map_err(DatasetError::io("finish the report for", &config.output))?;
    workplace.publish(&manifest)?;
    Ok(manifest)
}

fn check(config: &BuildConfig) -> Result<(), DatasetError> {
    let bad = |setting, found, expected: &str| {
        Err(DatasetError::Setting { setting, found, expected: expected.into() })
    };
    if !(0.0..=1.0).contains(&config.validation_share) {
        return bad("validation share", config.validation_share.to_string(), "0 to 1");
    }
    if config.most_repeats == Some(0) {
        return bad("most repeats", "0".into(), "1 to 255");
    }
    if !(0.0..1.0).contains(&config.smoothing) {
        return bad("smoothing", config.smoothing.to_string(), "0 to below 1");
    }
    if !(1..=64).contains(&config.history) {
        return bad("history", config.history.to_string(), "1 to 64 positions");
    }
    Ok(())
}

/// Finds every input and opens it once, so that none turns out to be missing when others have been read for hours.
fn locate(config: &BuildConfig) -> Result<Vec<Location>, DatasetError> {
    let mut found = Vec::new();
    for input in &config.inputs {
        found.extend(Location::all(input)?);
    }
    if found.is_empty() || found.len() > usize::from(u16::MAX) {
        let found = found.len().to_string();
        return Err(DatasetError::Setting { setting: "inputs", found, expected: "1 to 65535 files".into() });
    }
    for location in found.iter().filter(|location| location.reopens()) {
        source::open_with(location, config.rules)?;
    }
    Ok(found)
}

/// A build in progress.
struct Build<'a> {
    config: &'a BuildConfig,
    sampler: Sampler,
    counts: Counts,
    /// Hashes of the records read.
    seen: KeySet,
    /// Keys of the positions of games, each with how often it occurred.
    repeats: KeySet,
    /// Keys of the positions trained on, where the validation split is compared with them.
    trained: KeySet,
    samples: Vec<Sample>,
    train: SplitWriter,
    validation: SplitWriter,
    folder: PathBuf,
}

impl<'a> Build<'a> {
    fn new(config: &'a BuildConfig, directory: &Path) -> Result<Self, DatasetError> {
        let with_history = config.history > 1;
        Ok(Self {
            config,
            sampler: Sampler::new(config.history, config.seed, config.filters.clone())
                .with_smoothing(config.smoothing),
            counts: Counts::default(),
            seen: KeySet::new(directory),
            repeats: KeySet::new(directory),
            trained: KeySet::new(directory),
            samples: Vec::new(),
            train: SplitWriter::new(directory, "train", with_history)?,
            validation: SplitWriter::new(
                directory,
                if config.without_leaks { leaks::HELD_OUT } else { VALIDATION },
                with_history,
            )?,
            folder: directory.into(),
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
        let (games_before, positions_before) = (self.counts.games_read, self.counts.positions);
        while !self.is_full() {
            let Some(game) = source.next() else { break };
            self.counts.games_read += 1;
            match game? {
                Ok(Record::Game(record)) if record.moves.is_empty() => {
                    self.reject(&without_moves(record.place), observer);
                }
                Ok(Record::Game(record)) => self.add_game(&record, index)?,
                Ok(Record::Position(record)) => self.add_position(&record, index)?,
                Ok(Record::Unlabelled(record)) => match unlabelled::awaiting(*record, self.config.unlabelled)
                {
                    Ok(record) => self.add_position(&record, index)?,
                    Err(bad) => self.reject(&bad, observer),
                },
                Err(bad) => self.reject(&bad, observer),
            }
            if self.counts.games_read.is_multiple_of(GAMES_BETWEEN_REPORTS) {
                observer.progress(&self.counts, bytes_before + source.progress().file_bytes);
                if observer.stopped() {
                    return Err(DatasetError::Stopped { path: self.config.output.clone() });
                }
            }
        }
        let progress = source.progress();
        observer.progress(&self.counts, bytes_before + progress.file_bytes);
        Ok(SourceFile {
            path: input.path().display().to_string(),
            bytes: progress.file_bytes,
            xxh3: source.digest(),
            games: self.counts.games_read - games_before,
            positions: self.counts.positions - positions_before,
        })
    }

    fn reject(&mut self, bad: &BadRecord, observer: &mut dyn BuildObserver) {
        *self.counts.rejected.entry(bad.reason).or_default() += 1;
        observer.rejected(bad);
    }

    fn is_full(&self) -> bool {
        let filters = &self.config.filters;
        filters.max_games.is_some_and(|most| self.counts.games >= most)
            || filters.max_positions.is_some_and(|most| self.counts.positions >= most)
    }

    fn add_game(&mut self, record: &GameRecord, source: u16) -> Result<(), DatasetError> {
        let filters = &self.config.filters;
        if !filters.keeps_game(record) {
            self.counts.filtered += 1;
            return Ok(());
        }
        let game = self.sampler.game_hash(record);
        if self.is_duplicate(game)? {
            return Ok(());
        }
        self.sampler.sample(record, game, source, &mut self.samples);
        if let Some(most) = self.config.most_repeats {
            self.drop_repeats(most)?;
        }
        if let Some(most) = filters.max_positions {
            self.samples.truncate(usize::try_from(most - self.counts.positions).unwrap_or(usize::MAX));
        }
        self.write(game)
    }

    /// A position that is part of no game is split by its own key: whatever the sources say about it stands on one side.
    fn add_position(&mut self, record: &PositionRecord, source: u16) -> Result<(), DatasetError> {
        let Some(sample) = self.sampler.sample_position(record, source) else {
            self.counts.filtered += 1;
            return Ok(());
        };
        let key = sample.position.key();
        if self.is_duplicate(key)? {
            return Ok(());
        }
        self.samples.push(sample);
        self.write(key)
    }

    /// Whether a record of this hash was read before and is to be dropped.
    fn is_duplicate(&mut self, hash: u64) -> Result<bool, DatasetError> {
        let duplicate = !self.config.keep_duplicates && !self.seen.insert(hash)?;
        self.counts.duplicates += u64::from(duplicate);
        Ok(duplicate)
    }

    /// Leaves samples out whose position was stored `most` times.
    fn drop_repeats(&mut self, most: u8) -> Result<(), DatasetError> {
        for sample in std::mem::take(&mut self.samples) {
            let mut is_kept = false;
            for time in 1..=most {
                is_kept = self.repeats.insert(occurrence(sample.position.key(), time))?;
                if is_kept {
                    break;
                }
            }
            if is_kept {
                self.samples.push(sample);
            } else {
                self.counts.repeats += 1;
            }
        }
        Ok(())
    }

    /// Writes the samples of a record to the split of its hash.
    fn write(&mut self, hash: u64) -> Result<(), DatasetError> {
        if self.samples.is_empty() {
            self.counts.filtered += 1;
            return Ok(());
        }
        if self.config.engine.is_some() {
            for sample in &mut self.samples {
                sample.engine = sample.evaluation.map(|_| 0);
            }
        }
        let positions = self.samples.len() as u64;
        self.counts.games += 1;
        self.counts.positions += positions;
        if is_validation(hash, self.config.validation_share) {
            self.counts.validation_games += 1;
            self.counts.validation_positions += positions;
            self.validation.write(&mut self.samples)
        } else {
            if self.config.without_leaks {
                for sample in &self.samples {
                    self.trained.insert(sample.position.key())?;
                }
            }
            self.train.write(&mut self.samples)
        }
    }

    fn finish(mut self, sources: Vec<SourceFile>) -> Result<Manifest, DatasetError> {
        if self.counts.positions == 0 {
            return Err(DatasetError::NoSamples {
                games: self.counts.games_read,
                rejected: self.counts.rejected_total(),
                duplicates: self.counts.duplicates,
                filtered: self.counts.filtered,
            });
        }
        let train: Vec<StoreFile> = self.train.finish()?;
        let mut validation = self.validation.finish()?;
        if self.config.without_leaks {
            let writer = SplitWriter::new(&self.folder, VALIDATION, self.config.history > 1)?;
            let counts = &mut self.counts;
            validation = leaks::drop_leaks(&self.folder, &validation, &mut self.trained, writer, counts)?;
        }
        Ok(Manifest {
            format: FORMAT.into(),
            version: VERSION,
            tabiya: env!("CARGO_PKG_VERSION").into(),
            history: self.config.history,
            settings: Settings {
                validation_share: self.config.validation_share,
                deduplicated: !self.config.keep_duplicates,
                seed: self.config.seed,
                filters: self.config.filters.clone(),
                most_repeats: self.config.most_repeats,
                without_leaks: self.config.without_leaks,
                rules: self.config.rules,
                smoothing: self.config.smoothing,
            },
            engines: self.config.engine.iter().cloned().collect(),
            sources,
            counts: self.counts,
            train,
            validation,
        })
    }
}

/// A key for the n-th time a position occurs.
fn occurrence(key: u64, time: u8) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(&key.to_le_bytes(), time.into())
}

/// A table may have all of a game but its moves.
fn without_moves(place: Place) -> BadRecord {
    let detail = "a game without its moves".into();
    BadRecord { line: place.line, start: place, reason: BadReason::NoMoves, detail }
}

/// A record's split depends on nothing but its hash, so equal records fall on the same side in every store with this
/// share.
fn is_validation(hash: u64, share: f64) -> bool {
    (hash as f64) < share * 2f64.powi(64)
}
