//! Where a run's batches come from: the seam between training and the sample store.

use dataset::{Batch, LoaderState, Split};

use crate::NetworkError;

/// What a stream should give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamRequest {
    /// Which samples.
    pub split: Split,
    /// Samples in a batch.
    pub batch_size: usize,
    /// Decides the order.
    pub seed: u64,
    /// Samples shuffled among each other.
    pub shuffle_window: usize,
    /// Threads that decode and encode.
    pub threads: usize,
    /// Where to start.
    pub start: LoaderState,
}

/// A store of samples.
///
/// # Laws
/// 1. Two streams with equal requests give equal batches.
/// 2. A stream started where another one stood gives what the other would have given next.
/// 3. A stream ends after one epoch.
pub trait Samples: Sync {
    /// Identifies the content.
    fn hash(&self) -> String;

    /// Number of samples in a split.
    fn positions(&self, split: Split) -> u64;

    /// Opens a stream over one epoch.
    ///
    /// # Errors
    /// [`NetworkError::Data`] when the store cannot be read.
    fn stream(&self, request: StreamRequest) -> Result<Box<dyn SampleStream>, NetworkError>;
}

/// Batches of one epoch; `None` at its end.
pub trait SampleStream: Send {
    /// The next batch.
    fn next_batch(&mut self) -> Option<Result<Batch, NetworkError>>;
}

/// An endless stream: epoch after epoch.
pub(crate) struct Epochs<'a> {
    samples: &'a dyn Samples,
    request: StreamRequest,
    stream: Box<dyn SampleStream>,
}

impl<'a> Epochs<'a> {
    pub(crate) fn new(samples: &'a dyn Samples, request: StreamRequest) -> Result<Self, NetworkError> {
        Ok(Self { samples, request, stream: samples.stream(request)? })
    }

    /// The place of the batch that [`Epochs::next_batch`] gives next.
    pub(crate) fn position(&self) -> LoaderState {
        self.request.start
    }

    pub(crate) fn next_batch(&mut self) -> Result<Batch, NetworkError> {
        // A store whose split is empty ends at once, in every epoch.
        for _ in 0..2 {
            if let Some(batch) = self.stream.next_batch() {
                self.request.start.batch += 1;
                return batch;
            }
            self.request.start = LoaderState { epoch: self.request.start.epoch + 1, batch: 0 };
            self.stream = self.samples.stream(self.request)?;
        }
        Err(empty(&self.request))
    }
}

/// Samples in each piece of a validation set. Small, because neighbours in a store come from one game.
const PIECE: usize = 32;

/// The first batches of an epoch, up to a number of samples.
pub(crate) fn first_batches(
    samples: &dyn Samples,
    request: StreamRequest,
    positions: usize,
) -> Result<Vec<Batch>, NetworkError> {
    let mut stream = samples.stream(request)?;
    let mut batches = Vec::new();
    let mut count = 0;
    while count < positions {
        let Some(batch) = stream.next_batch() else { break };
        let batch = batch?;
        count += batch.size;
        batches.push(batch);
    }
    if batches.is_empty() { Err(empty(&request)) } else { Ok(batches) }
}

/// Small batches spread evenly over a whole split, up to a number of samples: always the same ones, and of as many games
/// as possible.
pub(crate) fn spread_batches(
    samples: &dyn Samples,
    request: StreamRequest,
    positions: usize,
) -> Result<Vec<Batch>, NetworkError> {
    let request = StreamRequest { batch_size: PIECE.min(positions), ..request };
    let stride = (samples.positions(request.split) as usize).div_ceil(positions).max(1);
    let mut stream = samples.stream(request)?;
    let mut batches = Vec::new();
    let mut number = 0;
    while let Some(batch) = stream.next_batch() {
        let batch = batch?;
        if number % stride == 0 {
            batches.push(batch);
        }
        number += 1;
    }
    if batches.is_empty() { Err(empty(&request)) } else { Ok(batches) }
}

/// About so many held-out samples, spread evenly over the store, always the same ones.
///
/// # Errors
/// [`NetworkError::Data`] when the store cannot be read or holds none.
pub fn held_out(samples: &dyn Samples, positions: usize) -> Result<Vec<Batch>, NetworkError> {
    let request = StreamRequest {
        split: Split::Validation,
        batch_size: positions,
        seed: 0,
        shuffle_window: 1,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        start: LoaderState::default(),
    };
    spread_batches(samples, request, positions)
}

fn empty(request: &StreamRequest) -> NetworkError {
    let StreamRequest { split, batch_size, .. } = request;
    NetworkError::Data(format!("the store's {split:?} split does not fill one batch of {batch_size} samples"))
}
