//! A store of samples selected from other stores.

use std::path::Path;

use super::ancestors::Ancestors;
use crate::{
    DatasetError,
    builder::workplace::Workplace,
    key_set::KeySet,
    sample::Sample,
    store::{
        Split, Store,
        manifest::{Counts, Manifest, SampleSettings},
        writer::SplitWriter,
    },
};

/// A derived store that is being written: in a directory next to its own, which is renamed to the store when it is
/// complete. If dropped before [`DerivedStore::finish`], it leaves nothing. Memory does not grow with it.
pub struct DerivedStore<'a> {
    ancestors: Ancestors<'a>,
    workplace: Workplace,
    history: usize,
    /// One for each of [`Split::ALL`]; so are the games.
    writers: [SplitWriter; 2],
    games: [KeySet; 2],
    last: Option<(Split, u64)>,
    positions: [u64; 2],
    /// Samples that are part of no game.
    single: [u64; 2],
    parted: u64,
    next: Vec<Sample>,
}

impl<'a> DerivedStore<'a> {
    /// Begins a store of samples of these stores that keeps `history` positions with each sample, its own included.
    ///
    /// # Errors
    /// [`DatasetError::Exists`] if the output exists, [`DatasetError::Setting`] for stores with too many sources, and
    /// errors of the file system.
    pub fn create(output: &Path, stores: &'a [Store], history: usize) -> Result<Self, DatasetError> {
        let ancestors = Ancestors::of(stores)?;
        let workplace = Workplace::create(output)?;
        let train = workplace.writer(Split::Train.name(), history)?;
        let validation = workplace.writer(Split::Validation.name(), history)?;
        let games = Split::ALL.map(|_| KeySet::new(workplace.path()));
        Ok(Self {
            ancestors,
            history,
            writers: [train, validation],
            workplace,
            games,
            last: None,
            positions: [0; 2],
            single: [0; 2],
            parted: 0,
            next: Vec::with_capacity(1),
        })
    }

    /// Adds a sample of the store with this index to a split.
    ///
    /// # Errors
    /// [`DatasetError::Setting`] if the sample names a source or engine that its store lacks, or is the first of a game
    /// in this split while others of the game are in the other; errors of the file system.
    pub fn write(&mut self, store: usize, split: Split, mut sample: Sample) -> Result<(), DatasetError> {
        self.ancestors.adopt(store, &mut sample)?;
        match sample.game {
            None => self.single[split as usize] += 1,
            Some(game) if self.last == Some((split, game)) => {}
            Some(game) => self.enter(game, split)?,
        }
        self.last = sample.game.map(|game| (split, game));
        self.positions[split as usize] += 1;
        self.next.push(sample);
        self.writers[split as usize].write(&mut self.next)
    }

    /// Begins a game or continues one.
    fn enter(&mut self, game: u64, split: Split) -> Result<(), DatasetError> {
        // A query may order rows as it likes. A game that was left and comes back is stored in parts, which training does not mind.
        if !self.games[split as usize].insert(game)? {
            self.parted += 1;
            return Ok(());
        }
        if self.games[1 - split as usize].contains(game)? {
            return Err(DatasetError::setting(
                "column split",
                format!("samples of the game {game:016x} in both splits"),
                "each game in one split (for a split by position, set the column game to NULL)",
            ));
        }
        Ok(())
    }

    /// Continuations of a game after samples of other games: statistics of games leave such parts out.
    pub fn parted_games(&self) -> u64 {
        self.parted
    }

    /// Closes the files and publishes the store; `query` is the SQL that chose the samples.
    ///
    /// # Errors
    /// [`DatasetError::Setting`] if there are no samples, and those of the file system.
    pub fn finish(self, query: &str) -> Result<Manifest, DatasetError> {
        let mut manifest = self.ancestors.manifest(self.history);
        let counts = &mut manifest.counts;
        let games = [0, 1].map(|split| self.games[split].count() + self.single[split]);
        *counts = Counts {
            games: games.iter().sum(),
            validation_games: games[1],
            positions: self.positions.iter().sum(),
            validation_positions: self.positions[1],
            ..std::mem::take(counts)
        };
        if counts.positions == 0 {
            return Err(DatasetError::setting("rows of the query", "none", "at least one sample"));
        }
        manifest.settings = SampleSettings {
            // The share that resulted, in millionths: the query need not have split by hashes.
            validation_share: (1e6 * games[1] as f64 / counts.games as f64).round() / 1e6,
            ..manifest.settings
        };
        manifest.query = Some(query.to_owned());
        let [train, validation] = self.writers;
        (manifest.train, manifest.validation) = (train.finish()?, validation.finish()?);
        self.workplace.publish(&manifest)?;
        Ok(manifest)
    }
}

impl std::fmt::Debug for DerivedStore<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "DerivedStore({} and {} samples)", self.positions[0], self.positions[1])
    }
}
