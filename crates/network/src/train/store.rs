//! The sample store of the `dataset` crate as a run's [`Samples`].

use std::path::Path;

use dataset::{Batch, Loader, LoaderConfig, Split, Store};

use super::samples::{SampleStream, Samples, StreamRequest};
use crate::{NetworkError, Spec};

/// Batches kept ready while the network trains: loading is much faster than training, so a few are enough.
const PREFETCH: usize = 4;

/// A store on disk, encoded for one network.
pub struct StoreSamples {
    store: Store,
    spec: Spec,
}

impl StoreSamples {
    /// Opens a store.
    ///
    /// # Errors
    /// [`NetworkError::Store`] when there is none or it is damaged.
    pub fn open(path: &Path, spec: &Spec) -> Result<Self, NetworkError> {
        Ok(Self { store: Store::open(path)?, spec: spec.clone() })
    }
}

impl Samples for StoreSamples {
    fn hash(&self) -> String {
        self.store.hash()
    }

    fn positions(&self, split: Split) -> u64 {
        self.store.positions(split)
    }

    fn stream(&self, request: StreamRequest) -> Result<Box<dyn SampleStream>, NetworkError> {
        let config = LoaderConfig {
            split: request.split,
            batch_size: request.batch_size,
            seed: request.seed,
            shuffle_window: request.shuffle_window,
            threads: request.threads,
            prefetch: PREFETCH,
        };
        let (input, moves) = (self.spec.input_encoding()?, self.spec.move_encoding()?);
        let loader = Loader::new(&self.store, input, moves, config, request.start)?;
        Ok(Box::new(StoreStream(loader)))
    }
}

struct StoreStream(Loader);

impl SampleStream for StoreStream {
    fn next_batch(&mut self) -> Option<Result<Batch, NetworkError>> {
        self.0.next().map(|batch| batch.map_err(NetworkError::from))
    }
}
