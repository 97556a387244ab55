//! Counts the samples of a store one after another.

use dataset::{DatasetError, Sample, Split, Store, key_set::KeySet, source::opening_names::OpeningNames};

use crate::statistics::{
    Plies, SourceShare, SplitSize, Splits, Statistics,
    bars::{EvaluationHistogram, Histogram},
    games::GameCounter,
    splits::LeakDetector,
};

pub(super) struct StoreCounter<'a> {
    store: &'a Store,
    /// What needs no more than a sum; the rest is filled in at the end.
    found: Statistics,
    games: GameCounter<'a>,
    /// By split.
    positions: [u64; 2],
    evaluations: [EvaluationHistogram; 2],
    pieces: Histogram,
    distinct: KeySet,
    ply_sum: u64,
    leaks: LeakDetector,
}

impl<'a> StoreCounter<'a> {
    pub(super) fn new(store: &'a Store, names: Option<&'a OpeningNames>) -> Result<Self, DatasetError> {
        let folder = std::env::temp_dir();
        let manifest = store.manifest();
        let sources = manifest.sources.iter();
        let found = Statistics {
            plies: Plies { least: u16::MAX, ..Plies::default() },
            sources: sources.map(|source| SourceShare { path: source.path.clone(), positions: 0 }).collect(),
            games_read: manifest.counts.games_read,
            rejected: manifest.counts.rejected.clone(),
            duplicates: manifest.counts.duplicates,
            filtered: manifest.counts.filtered,
            bytes: manifest.train.iter().chain(&manifest.validation).map(|file| file.bytes).sum(),
            ..Statistics::default()
        };
        Ok(Self {
            store,
            found,
            games: GameCounter::new(&folder, names),
            positions: [0; 2],
            evaluations: Default::default(),
            pieces: Histogram::new(1),
            distinct: KeySet::new(&folder),
            ply_sum: 0,
            leaks: LeakDetector::new(store, &folder)?,
        })
    }

    pub(super) fn positions(&self) -> u64 {
        self.positions.iter().sum()
    }

    pub(super) fn add(&mut self, split: Split, sample: &Sample) -> Result<(), DatasetError> {
        let found = &mut self.found;
        let sources = found.sources.len();
        let Some(source) = found.sources.get_mut(usize::from(sample.source)) else {
            let found = format!("a sample of source {}", sample.source);
            return Err(self.store.contradiction(found, format!("{sources} sources")));
        };
        source.positions += 1;
        found.position_results.add(sample.result);
        found.labels.add(sample);
        found.phases.add(sample);
        found.legality.add(sample);
        found.plies.least = found.plies.least.min(sample.ply);
        found.plies.greatest = found.plies.greatest.max(sample.ply);
        self.ply_sum += u64::from(sample.ply);
        self.positions[split as usize] += 1;
        self.evaluations[split as usize].add(sample.evaluation);
        match split {
            Split::Train => self.leaks.learned(&sample.position)?,
            Split::Validation => self.leaks.held_out(&sample.position)?,
        }
        self.pieces.add(sample.position.pieces().into());
        self.distinct.insert(sample.position.key())?;
        match sample.game {
            Some(hash) => self.games.add(self.store, split, hash, sample)?,
            None => found.single_positions += 1,
        }
        Ok(())
    }

    fn size(&self, split: Split) -> SplitSize {
        SplitSize { games: self.games.games(split), positions: self.positions[split as usize] }
    }

    pub(super) fn finish(mut self) -> Statistics {
        self.games.finish_game();
        let positions = self.positions();
        let splits = Splits { train: self.size(Split::Train), validation: self.size(Split::Validation) };
        let [training, validation] = &self.evaluations;
        Statistics {
            games: splits.train.games + splits.validation.games,
            positions,
            results: self.games.results(),
            splits,
            leaks: self.leaks.finish(),
            ratings: self.games.ratings(),
            lengths: self.games.lengths(),
            openings: self.games.openings(),
            evaluations: training.bars_with(validation),
            training_evaluations: training.bars(),
            validation_evaluations: validation.bars(),
            pieces: self.pieces.bars(),
            distinct_positions: self.distinct.count(),
            plies: Plies { mean: self.ply_sum as f64 / positions as f64, ..self.found.plies },
            bytes_per_position: self.found.bytes as f64 / positions as f64,
            ..self.found
        }
    }
}
