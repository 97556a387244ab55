//! Batches that mix samples of games with samples from elsewhere.

use std::collections::HashSet;

use dataset::{Batch, LoaderState, Split};
use training::{SampleStream, Samples, StoreSamples, StreamRequest, TrainingError};

/// A store whose training batches each get a share of samples from another store. The held-out samples come only from the first
/// store.
pub struct MixedSamples {
    /// The store whose epochs count.
    pub own: StoreSamples,
    /// The other store; it starts over when it ends.
    pub other: StoreSamples,
    /// Share of the other store in every batch, between 0 and 1.
    pub share: f64,
}

impl MixedSamples {
    /// Number of samples in a batch from the other store; at least one from each store.
    fn of_other(&self, batch: usize) -> usize {
        ((batch as f64 * self.share).round() as usize).clamp(1, batch.saturating_sub(1).max(1))
    }
}

impl Samples for MixedSamples {
    fn hash(&self) -> String {
        format!("{}+{}x{}", self.own.hash(), self.other.hash(), self.share)
    }

    fn positions(&self, split: Split) -> u64 {
        self.own.positions(split)
    }

    fn trained(&self, keys: &HashSet<u64>) -> Result<HashSet<u64>, TrainingError> {
        let mut trained = self.own.trained(keys)?;
        trained.extend(self.other.trained(keys)?);
        Ok(trained)
    }

    fn stream(&self, request: StreamRequest) -> Result<SampleStream, TrainingError> {
        // Losses on a mixture would change with its share.
        if request.split == Split::Validation {
            return self.own.stream(request);
        }
        let of_other = self.of_other(request.batch_size);
        let own = StreamRequest { batch_size: request.batch_size - of_other, ..request };
        // The other store's epochs have their own length, so the position in it is computed from the number of batches taken.
        let batches = (self.other.positions(Split::Train) / of_other as u64).max(1);
        // A resumed training names only its place in this store. As many batches were taken of the other store as of this one, so
        // their number gives the place there, in epochs of its own length.
        let epoch = self.own.positions(Split::Train) / own.batch_size as u64;
        let taken = request.start.epoch * epoch + request.start.batch;
        let other = StreamRequest {
            batch_size: of_other,
            start: LoaderState { epoch: taken / batches, batch: taken % batches },
            ..request
        };
        let own = self.own.stream(own)?;
        let mut other = OtherStream {
            stream: self.other.stream(other)?,
            samples: self.other.reopened()?,
            request: other,
        };
        Ok(Box::new(own.map(move |batch| -> Result<Batch, TrainingError> {
            let mut batch = batch?;
            batch.append(other.next()?);
            Ok(batch)
        })))
    }
}

struct OtherStream {
    stream: SampleStream,
    samples: StoreSamples,
    request: StreamRequest,
}

impl OtherStream {
    fn next(&mut self) -> Result<Batch, TrainingError> {
        if let Some(batch) = self.stream.next() {
            return batch;
        }
        self.request.start = LoaderState { epoch: self.request.start.epoch + 1, batch: 0 };
        self.stream = self.samples.stream(self.request)?;
        self.stream.next().unwrap_or_else(|| {
            let found = self.samples.positions(Split::Train);
            let wanted = self.request.batch_size;
            Err(TrainingError::Data(format!(
                "the store of [supervised] has {found} training positions, fewer than the {wanted} of one batch"
            )))
        })
    }
}
