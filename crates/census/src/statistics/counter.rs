//! Counts the samples of a store one after another.

use dataset::{DatasetError, Sample, Split, Store, key_set::KeySet, source::opening_names::OpeningNames};

use crate::statistics::{
    Labels, Legality, Phases, Plies, PositionResults, SourceShare, SplitSize, Splits, Statistics,
    bars::{EvaluationHistogram, Histogram},
    games::GameCounter,
    leaks::LeakDetector,
};

pub(super) struct StoreCounter<'a> {
    store: &'a Store,
    games: GameCounter<'a>,
    single_positions: u64,
    position_results: PositionResults,
    labels: Labels,
    positions: [u64; 2],
    evaluations: [EvaluationHistogram; 2],
    phases: Phases,
    pieces: Histogram,
    distinct: KeySet,
    legality: Legality,
    least: u16,
    greatest: u16,
    ply_sum: u64,
    sources: Vec<u64>,
    leaks: LeakDetector,
}

impl<'a> StoreCounter<'a> {
    pub(super) fn new(store: &'a Store, names: Option<&'a OpeningNames>) -> Result<Self, DatasetError> {
        let folder = std::env::temp_dir();
        Ok(Self {
            store,
            games: GameCounter::new(&folder, names),
            single_positions: 0,
            position_results: PositionResults::default(),
            labels: Labels::default(),
            positions: [0; 2],
            evaluations: Default::default(),
            phases: Phases::default(),
            pieces: Histogram::new(1),
            distinct: KeySet::new(&folder),
            legality: Legality::default(),
            least: u16::MAX,
            greatest: 0,
            ply_sum: 0,
            sources: vec![0; store.manifest().sources.len()],
            leaks: LeakDetector::new(store, &folder)?,
        })
    }

    pub(super) fn positions(&self) -> u64 {
        self.positions.iter().sum()
    }

    pub(super) fn add(&mut self, split: Split, sample: &Sample) -> Result<(), DatasetError> {
        self.positions[split as usize] += 1;
        self.position_results.add(sample.result);
        self.labels.add(sample);
        self.evaluations[split as usize].add(sample.evaluation);
        match split {
            Split::Train => self.leaks.learned(&sample.position)?,
            Split::Validation => self.leaks.held_out(&sample.position)?,
        }
        self.phases.add(sample);
        self.pieces.add(sample.position.pieces().into());
        self.legality.add(sample);
        self.distinct.insert(sample.position.key())?;
        self.least = self.least.min(sample.ply);
        self.greatest = self.greatest.max(sample.ply);
        self.ply_sum += u64::from(sample.ply);
        let sources = self.sources.len();
        let source = self.sources.get_mut(usize::from(sample.source));
        *source.ok_or_else(|| {
            self.store
                .contradiction(format!("a sample of source {}", sample.source), format!("{sources} sources"))
        })? += 1;
        match sample.game {
            Some(hash) => self.games.add(self.store, split, hash, sample)?,
            None => self.single_positions += 1,
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Statistics {
        self.games.finish_game();
        let manifest = self.store.manifest();
        let counts = &manifest.counts;
        let positions = self.positions();
        let bytes = manifest.train.iter().chain(&manifest.validation).map(|file| file.bytes).sum();
        let size = |split: Split| SplitSize {
            games: self.games.games(split),
            positions: self.positions[split as usize],
        };
        let splits = Splits { train: size(Split::Train), validation: size(Split::Validation) };
        let [training, validation] = &self.evaluations;
        let sources = manifest.sources.iter().zip(&self.sources);
        Statistics {
            games: splits.train.games + splits.validation.games,
            positions,
            single_positions: self.single_positions,
            results: self.games.results(),
            position_results: self.position_results,
            labels: self.labels,
            splits,
            leaks: self.leaks.finish(),
            ratings: self.games.ratings(),
            lengths: self.games.lengths(),
            openings: self.games.openings(),
            evaluations: training.bars_with(validation),
            training_evaluations: training.bars(),
            validation_evaluations: validation.bars(),
            phases: self.phases,
            pieces: self.pieces.bars(),
            distinct_positions: self.distinct.count(),
            legality: self.legality,
            plies: Plies {
                least: self.least,
                mean: self.ply_sum as f64 / positions as f64,
                greatest: self.greatest,
            },
            sources: sources
                .map(|(source, &positions)| SourceShare { path: source.path.clone(), positions })
                .collect(),
            games_read: counts.games_read,
            rejected: counts.rejected.clone(),
            duplicates: counts.duplicates,
            filtered: counts.filtered,
            bytes,
            bytes_per_position: bytes as f64 / positions as f64,
        }
    }
}
