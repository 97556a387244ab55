//! Test double of a sample store.

use std::collections::HashSet;

use chess::Game;
use dataset::{Batch, Split, packed_position::PackedPosition};
use network::{
    Spec,
    synthetic::{batch, positions},
};

use crate::{SampleStream, Samples, StreamRequest, TrainingError};

/// A store with a few batches of positions; an epoch returns them in order, rotated by the epoch's number.
pub(crate) struct Synthetic {
    spec: Spec,
    training: Vec<Game>,
    validation: Vec<Game>,
}

impl Synthetic {
    pub(crate) fn new(spec: &Spec, training: usize, validation: usize) -> Self {
        let spec = spec.clone();
        Self { spec, training: positions(training, 1), validation: positions(validation, 2) }
    }

    fn games(&self, split: Split) -> &[Game] {
        match split {
            Split::Train => &self.training,
            Split::Validation => &self.validation,
        }
    }
}

impl Samples for Synthetic {
    fn hash(&self) -> String {
        format!("synthetic-{}-{}", self.training.len(), self.validation.len())
    }

    fn positions(&self, split: Split) -> u64 {
        self.games(split).len() as u64
    }

    fn trained(&self, keys: &HashSet<u64>) -> Result<HashSet<u64>, TrainingError> {
        let own = self.training.iter().map(|game| PackedPosition::pack(game.position()).key());
        Ok(own.filter(|key| keys.contains(key)).collect())
    }

    fn stream(&self, request: StreamRequest) -> Result<SampleStream, TrainingError> {
        let mut games = self.games(request.split).to_vec();
        let length = games.len().max(1);
        games.rotate_left(request.start.epoch as usize % length);
        let batches: Vec<Batch> = games
            .chunks(request.batch_size)
            .enumerate()
            .skip(request.start.batch as usize)
            .map(|(number, games)| batch(&self.spec, games, request.seed + number as u64))
            .collect();
        Ok(Box::new(batches.into_iter().map(Ok)))
    }
}
