//! Sources of a run's batches: the interface between training and the sample store.

use std::collections::HashSet;

use dataset::{Batch, LoaderState, Split};

use crate::TrainingError;

/// Settings of a stream of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct StreamRequest {
    pub split: Split,
    pub batch_size: usize,
    pub seed: u64,
    /// Number of samples that are shuffled together.
    pub shuffle_window: usize,
    /// Number of threads that decode and encode.
    pub threads: usize,
    pub start: LoaderState,
}

impl StreamRequest {
    /// A whole split in the order of the store, read with all cores.
    pub(crate) fn in_order(split: Split, batch_size: usize) -> Self {
        let threads = thread_count(0);
        Self { split, batch_size, seed: 0, shuffle_window: 1, threads, start: LoaderState::default() }
    }
}

/// A store of samples.
///
/// # Laws
/// `laws::check` (feature `laws`) asserts them.
///
/// 1. Two streams with equal requests give equal batches.
/// 2. A stream started at the state of another continues with the batches that the other would have returned next.
/// 3. A stream ends after one epoch.
/// 4. [`Samples::trained`] returns every requested key that occurs in a training stream, and no others. It knows stored positions
///    only: where a stream makes positions, the law is about the store.
pub trait Samples: Sync {
    /// A hash that identifies the content.
    fn hash(&self) -> String;

    /// Number of samples in a split, whatever subset of them is trained on.
    fn positions(&self, split: Split) -> u64;

    /// The subset of these [keys](Batch::keys) whose positions are trained on.
    ///
    /// # Errors
    /// [`TrainingError::Store`] if the store cannot be read.
    fn trained(&self, keys: &HashSet<u64>) -> Result<HashSet<u64>, TrainingError>;

    /// Opens a stream over one epoch.
    ///
    /// # Errors
    /// [`TrainingError::Store`] if the store cannot be read.
    fn stream(&self, request: StreamRequest) -> Result<SampleStream, TrainingError>;
}

/// Batches of one epoch.
pub type SampleStream = Box<dyn Iterator<Item = Result<Batch, TrainingError>> + Send>;

/// An endless stream: epoch after epoch.
pub(crate) struct Epochs<'a> {
    samples: &'a dyn Samples,
    request: StreamRequest,
    stream: SampleStream,
    /// The batch after the last one returned. It is read ahead so that the end of an epoch is known when it is reached.
    ahead: Option<Result<Batch, TrainingError>>,
}

impl<'a> Epochs<'a> {
    pub(crate) fn new(samples: &'a dyn Samples, request: StreamRequest) -> Result<Self, TrainingError> {
        Ok(Self { samples, request, stream: samples.stream(request)?, ahead: None })
    }

    /// The position of the batch that [`Epochs::next_batch`] returns next.
    pub(crate) fn position(&self) -> LoaderState {
        self.request.start
    }

    pub(crate) fn next_batch(&mut self) -> Result<Batch, TrainingError> {
        // A store with an empty split ends immediately in every epoch.
        for _ in 0..2 {
            let batch = self.ahead.take().or_else(|| self.stream.next());
            if let Some(batch) = batch {
                self.request.start.batch += 1;
                self.ahead = self.stream.next();
                if self.ahead.is_none() {
                    self.next_epoch()?;
                }
                return batch;
            }
            self.next_epoch()?;
        }
        Err(empty(self.samples, &self.request))
    }

    fn next_epoch(&mut self) -> Result<(), TrainingError> {
        self.request.start = LoaderState { epoch: self.request.start.epoch + 1, batch: 0 };
        self.stream = self.samples.stream(self.request)?;
        Ok(())
    }
}

/// Number of samples in each piece of a validation set. Small, because neighbours in a store come from the same game.
const PIECE: usize = 32;

/// The first batches of an epoch, up to a number of samples.
///
/// # Errors
/// [`TrainingError::Data`] if the store has none, [`TrainingError::Store`] if it cannot be read.
pub fn first_batches(
    samples: &dyn Samples,
    request: StreamRequest,
    positions: usize,
) -> Result<Vec<Batch>, TrainingError> {
    let mut stream = samples.stream(request)?;
    let mut batches = Vec::new();
    let mut count = 0;
    while count < positions {
        let Some(batch) = stream.next() else { break };
        let batch = batch?;
        count += batch.size;
        batches.push(batch);
    }
    if batches.is_empty() { Err(empty(samples, &request)) } else { Ok(batches) }
}

/// Small batches spread evenly over a whole split, up to a number of samples: always the same ones, from as many games
/// as possible.
pub(crate) fn spread_batches(
    samples: &dyn Samples,
    request: StreamRequest,
    positions: usize,
) -> Result<Vec<Batch>, TrainingError> {
    // Validations are compared with each other over a run and between runs, so the samples must not depend on chance or on threads:
    // every `stride`-th piece, in the order of the store. The first samples of a store would be a few games of one source.
    let request = StreamRequest { batch_size: PIECE.min(positions), ..request };
    let stride = (samples.positions(request.split) as usize).div_ceil(positions).max(1);
    let mut batches = Vec::new();
    for (number, batch) in samples.stream(request)?.enumerate() {
        let batch = batch?;
        if number % stride == 0 {
            batches.push(batch);
        }
    }
    if batches.is_empty() { Err(empty(samples, &request)) } else { Ok(batches) }
}

/// Held-out batches on which a network is validated.
pub(crate) struct HeldOut {
    pub(crate) batches: Vec<Batch>,
    /// Keys of the positions in these batches that are also trained on.
    pub(crate) trained: HashSet<u64>,
}

impl HeldOut {
    pub(crate) fn new(samples: &dyn Samples, batches: Vec<Batch>) -> Result<Self, TrainingError> {
        let keys = batches.iter().flat_map(|batch| &batch.keys).copied().collect();
        Ok(Self { trained: samples.trained(&keys)?, batches })
    }
}

/// About `positions` held-out samples, spread evenly over the store, always the same ones.
///
/// # Errors
/// [`TrainingError::Data`] if the store has none, [`TrainingError::Store`] if it cannot be read.
pub fn held_out(samples: &dyn Samples, positions: usize) -> Result<Vec<Batch>, TrainingError> {
    spread_batches(samples, StreamRequest::in_order(Split::Validation, positions), positions)
}

/// The number of threads for a recipe's setting, where 0 means all cores.
pub(crate) fn thread_count(threads: usize) -> usize {
    if threads > 0 { threads } else { std::thread::available_parallelism().map_or(1, usize::from) }
}

/// The error for a split that does not fill one batch, with the remedy.
fn empty(samples: &dyn Samples, request: &StreamRequest) -> TrainingError {
    let found = samples.positions(request.split);
    TrainingError::Data(match request.split {
        Split::Train => format!(
            "the store has {found} training positions, fewer than one batch of {}: lower training.batch, or build the store \
             from more games",
            request.batch_size
        ),
        Split::Validation => format!(
            "the store has {found} validation positions, expected at least 1: build it with a larger --validation share"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use network::synthetic::tiny_spec;

    use crate::synthetic::Synthetic;

    #[test]
    fn a_store_without_validation_positions_names_the_option_that_helps() {
        let samples = Synthetic::new(&tiny_spec(), 8, 0);
        let refused = held_out(&samples, 32).unwrap_err().to_string();
        assert!(refused.contains("0 validation positions") && refused.contains("--validation"), "{refused}");
        let refused = empty(&samples, &StreamRequest::in_order(Split::Train, 64)).to_string();
        assert!(refused.contains("8 training positions") && refused.contains("training.batch"), "{refused}");
    }
}
