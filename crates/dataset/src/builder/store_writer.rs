//! Writes samples, record by record, into a new store.

use std::{fs, path::Path};

use super::workplace::Workplace;
use crate::{
    DatasetError, LeftOut,
    key_set::KeySet,
    sample::Sample,
    store::{
        self, Split,
        manifest::{Counts, Engine, FORMAT, Manifest, SampleSettings, SourceFile, StoreFile, VERSION},
        writer::SplitWriter,
    },
};

/// A store that is being written: in a directory next to its own, which is renamed to the store when it is complete. If
/// dropped before [`StoreWriter::finish`], it leaves nothing.
pub struct StoreWriter {
    workplace: Workplace,
    history: usize,
    settings: SampleSettings,
    /// Hashes of the records written.
    seen: KeySet,
    /// Keys of the positions of games, each with its number of occurrences.
    repeats: KeySet,
    /// Keys of the positions trained on, if the validation split is compared with them.
    trained: KeySet,
    train: SplitWriter,
    validation: SplitWriter,
    /// Counts so far; readers of records add what they read and reject.
    pub counts: Counts,
}

impl StoreWriter {
    /// Begins a store that keeps `history` positions with each sample, its own included.
    ///
    /// # Errors
    /// [`DatasetError::Setting`] for a share or history out of range, [`DatasetError::Exists`] if the output exists,
    /// and errors of the file system.
    pub fn create(output: &Path, history: usize, settings: SampleSettings) -> Result<Self, DatasetError> {
        check(history, &settings)?;
        let workplace = Workplace::create(output)?;
        let held_out = if settings.without_leaks { HELD_OUT } else { Split::Validation.name() };
        Ok(Self {
            train: workplace.writer(Split::Train.name(), history)?,
            validation: workplace.writer(held_out, history)?,
            seen: KeySet::new(workplace.path()),
            repeats: KeySet::new(workplace.path()),
            trained: KeySet::new(workplace.path()),
            workplace,
            history,
            settings,
            counts: Counts::default(),
        })
    }

    /// Returns true, and counts the record as dropped, if a record of this hash was written before. Always false if the
    /// settings keep duplicates.
    ///
    /// # Errors
    /// The errors of the file system.
    pub fn is_duplicate(&mut self, hash: u64) -> Result<bool, DatasetError> {
        // A hash of 64 bits and no comparison of the games themselves: among a hundred million records the chance that any two differ and
        // share a hash is 1 in 3,700 (n^2 / 2^65), and the loss is one record.
        let duplicate = self.settings.deduplicated && !self.seen.insert(hash)?;
        self.counts.duplicates += u64::from(duplicate);
        Ok(duplicate)
    }

    /// Leaves out samples whose position was already stored `most` times.
    pub(super) fn drop_repeats(&mut self, samples: &mut Vec<Sample>, most: u8) -> Result<(), DatasetError> {
        for sample in std::mem::take(samples) {
            // A set of keys counts up to `most` by holding a key for each occurrence: the first one that is missing is that of this
            // sample. So the counts need no more memory than a set, which goes to disk when it grows.
            let mut is_kept = false;
            for time in 1..=most {
                is_kept = self.repeats.insert(occurrence(sample.position.key(), time))?;
                if is_kept {
                    break;
                }
            }
            if is_kept {
                samples.push(sample);
            } else {
                self.counts.repeats += 1;
            }
        }
        Ok(())
    }

    /// Moves the samples of a record into the split of its hash. A record without samples counts as filtered out.
    ///
    /// # Errors
    /// Errors of the file system, a full disk above all.
    pub fn write(&mut self, hash: u64, samples: &mut Vec<Sample>) -> Result<(), DatasetError> {
        if samples.is_empty() {
            self.counts.leave_out(LeftOut::Positions);
            return Ok(());
        }
        let positions = samples.len() as u64;
        self.counts.games += 1;
        self.counts.positions += positions;
        if Split::of(hash, self.settings.validation_share) == Split::Validation {
            self.counts.validation_games += 1;
            self.counts.validation_positions += positions;
            self.validation.write(samples)
        } else {
            if self.settings.without_leaks {
                for sample in samples.iter() {
                    self.trained.insert(sample.position.key())?;
                }
            }
            self.train.write(samples)
        }
    }

    /// Closes the files and publishes the store. `before_publishing` runs last before that; its error leaves no store.
    ///
    /// # Errors
    /// [`DatasetError::NoSamples`] for an empty store, and errors of the file system.
    pub fn finish(
        mut self,
        engines: Vec<Engine>,
        sources: Vec<SourceFile>,
        before_publishing: impl FnOnce() -> Result<(), DatasetError>,
    ) -> Result<Manifest, DatasetError> {
        let counts = &mut self.counts;
        if counts.positions == 0 {
            return Err(DatasetError::NoSamples {
                games: counts.games_read,
                rejected: counts.rejected_total(),
                duplicates: counts.duplicates,
                filtered: counts.filtered,
                left_out: counts.left_out_text(),
            });
        }
        let train = self.train.finish()?;
        let mut validation = self.validation.finish()?;
        if self.settings.without_leaks {
            // Only now: which positions are trained on is known when all records have been read.
            let writer = self.workplace.writer(Split::Validation.name(), self.history)?;
            let folder = self.workplace.path();
            validation = drop_leaks(folder, &validation, &mut self.trained, writer, counts)?;
        }
        let manifest = Manifest {
            format: FORMAT.into(),
            version: VERSION,
            tabiya: env!("CARGO_PKG_VERSION").into(),
            history: self.history,
            settings: self.settings,
            engines,
            sources,
            merged: Vec::new(),
            query: None,
            counts: self.counts,
            train,
            validation,
        };
        before_publishing()?;
        self.workplace.publish(&manifest)?;
        Ok(manifest)
    }
}

fn check(history: usize, settings: &SampleSettings) -> Result<(), DatasetError> {
    let (setting, found, expected) = if !(0.0..=1.0).contains(&settings.validation_share) {
        ("validation share", settings.validation_share.to_string(), "0 to 1")
    } else if settings.most_repeats == Some(0) {
        ("most repeats", "0".into(), "1 to 255")
    } else if !(0.0..1.0).contains(&settings.smoothing) {
        ("smoothing", settings.smoothing.to_string(), "0 to below 1")
    } else if !(1..=64).contains(&history) {
        ("history", history.to_string(), "1 to 64 positions")
    } else {
        return Ok(());
    };
    Err(DatasetError::setting(setting, found, expected))
}

/// A key for the n-th time a position occurs.
fn occurrence(key: u64, time: u8) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(&key.to_le_bytes(), time.into())
}

/// Name of the files of the validation split before the removal.
const HELD_OUT: &str = "held-out";

/// Rewrites the validation split without the samples whose position also occurs in the training split, and
/// updates its counts.
fn drop_leaks(
    folder: &Path,
    files: &[StoreFile],
    trained: &mut KeySet,
    mut validation: SplitWriter,
    counts: &mut Counts,
) -> Result<Vec<StoreFile>, DatasetError> {
    counts.positions -= counts.validation_positions;
    counts.games -= counts.validation_games;
    let before = std::mem::take(&mut counts.validation_positions);
    counts.validation_games = 0;
    let mut last_game = None;
    for file in files {
        let path = folder.join(&file.name);
        for samples in store::read_file(&path)? {
            let mut kept = Vec::new();
            for sample in samples? {
                if !trained.contains(sample.position.key())? {
                    // The samples of a game follow each other.
                    counts.validation_games += u64::from(sample.game.is_none() || sample.game != last_game);
                    last_game = sample.game;
                    kept.push(sample);
                }
            }
            counts.validation_positions += kept.len() as u64;
            validation.write(&mut kept)?;
        }
        fs::remove_file(&path).map_err(DatasetError::io("remove", &path))?;
    }
    counts.leaks = before - counts.validation_positions;
    counts.positions += counts.validation_positions;
    counts.games += counts.validation_games;
    validation.finish()
}
