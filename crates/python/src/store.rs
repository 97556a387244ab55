//! Sample stores: their statistics, and their samples as arrays.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use census::statistics::Statistics;
use chess::StopSignal;
use dataset::{Loader, LoaderConfig, LoaderState, Split};
use network::Inputs;
use pyo3::{prelude::*, types::PyDict};
use training::{MAX_THREADS, PREFETCH};

use crate::{
    arrays::Arrays,
    failure::failure,
    named::Encoding,
    statistics::json,
    waiting::{caller, watched},
};

/// A store, opened for reading.
#[pyclass(frozen, module = "tabiya._tabiya")]
pub(crate) struct Store {
    /// Nothing after `close`.
    store: Mutex<Option<Arc<dataset::Store>>>,
}

/// Selection and order of samples.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BatchValues {
    size: usize,
    split: String,
    /// Samples that are shuffled with each other; none for the stored order.
    shuffle: Option<usize>,
    seed: u64,
    epoch: u64,
    /// The number of the part, and of all parts.
    part: (usize, usize),
    threads: usize,
    packed: bool,
}

#[pymethods]
impl Store {
    /// Opens a store.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let store = py.detach(|| dataset::Store::open(&path)).map_err(failure)?;
        Ok(Self { store: Mutex::new(Some(Arc::new(store))) })
    }

    /// Path of the store.
    fn path(&self) -> PyResult<PathBuf> {
        Ok(self.open()?.path().into())
    }

    /// The hash that names its content.
    fn hash(&self) -> PyResult<String> {
        Ok(self.open()?.hash())
    }

    /// Samples of a split, or of both.
    fn positions(&self, split: Option<&str>) -> PyResult<u64> {
        let store = self.open()?;
        match split {
            Some(name) => Ok(store.positions(split_named(name)?)),
            None => Ok(Split::ALL.into_iter().map(|split| store.positions(split)).sum()),
        }
    }

    /// Content and origin of the store, as JSON.
    fn manifest(&self) -> PyResult<String> {
        json(self.open()?.manifest())
    }

    /// The data files of a split, in order.
    fn files(&self, split: &str) -> PyResult<Vec<PathBuf>> {
        let store = self.open()?;
        let files = match split_named(split)? {
            Split::Train => &store.manifest().train,
            Split::Validation => &store.manifest().validation,
        };
        Ok(files.iter().map(|file| store.path().join(&file.name)).collect())
    }

    /// Counts every row, JSON; `report` gets the number of rows counted so far.
    fn statistics(&self, py: Python<'_>, report: Option<Py<PyAny>>) -> PyResult<String> {
        let store = self.open()?;
        let stop = StopSignal::default();
        let counted = watched(
            py,
            &stop,
            |send: &mut (dyn FnMut(u64) + Send)| Statistics::count(&store, send),
            caller(report.as_ref()),
        );
        json(&counted?.map_err(failure)?)
    }

    /// The samples as arrays of this encoding.
    fn batches(&self, encoding: &str, moves: Option<&str>, values: BatchValues) -> PyResult<Batches> {
        let store = self.open()?;
        let encoding = Encoding::read(encoding, moves)?;
        let loader = values.loader(&store, &encoding)?;
        let count = loader.batches_per_epoch();
        Ok(Batches { loader: Mutex::new(loader), encoding, packed: values.packed, count })
    }

    /// Releases the files.
    fn close(&self) {
        *self.store.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Store {
    fn open(&self) -> PyResult<Arc<dataset::Store>> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.clone().ok_or_else(|| failure("store: found a closed store, expected an open one"))
    }
}

fn split_named(name: &str) -> PyResult<Split> {
    Split::ALL.into_iter().find(|split| split.name() == name).ok_or_else(|| {
        failure(format_args!(
            "split: found {name:?}, expected {:?} or {:?}",
            Split::Train.name(),
            Split::Validation.name()
        ))
    })
}

impl BatchValues {
    fn loader(&self, store: &dataset::Store, encoding: &Encoding) -> PyResult<Loader> {
        if self.threads > MAX_THREADS {
            let found = self.threads;
            return Err(failure(format_args!("threads: found {found}, expected 1 to {MAX_THREADS}")));
        }
        let config = LoaderConfig {
            split: split_named(&self.split)?,
            batch_size: self.size,
            seed: self.seed,
            shuffle_window: self.shuffle.unwrap_or(1),
            threads: self.threads,
            prefetch: PREFETCH,
        };
        let start = LoaderState { epoch: self.epoch, batch: 0 };
        let loader = match &encoding.inputs {
            Inputs::Planes(input, moves) => Loader::new(store, *input, *moves, config, start),
            Inputs::Features(sets) => Loader::of_features(store, sets.clone(), config, start),
        };
        let losses = &encoding.losses;
        let mut loader = loader
            .map_err(failure)?
            .with_policy_temperature(losses.policy_temperature)
            .with_weights(losses.sample_weights());
        if encoding.mirrored && self.shuffle.is_some() {
            loader = loader.with_mirroring();
        }
        if self.shuffle.is_none() {
            loader = loader.in_stored_order();
        }
        let (part, parts) = self.part;
        loader.with_part(part, parts).map_err(failure)
    }
}

/// The batches of one epoch.
#[pyclass(frozen, module = "tabiya._tabiya")]
pub(crate) struct Batches {
    loader: Mutex<Loader>,
    encoding: Encoding,
    packed: bool,
    count: u64,
}

#[pymethods]
impl Batches {
    /// Total number of samples.
    fn count(&self) -> u64 {
        self.count
    }

    /// The next batch by the names of its arrays; nothing after the last.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let next = py.detach(|| {
            let batch = self.loader.lock().unwrap_or_else(PoisonError::into_inner).next();
            batch.map(|batch| batch.map(|batch| Arrays::of_batch(batch, &self.encoding, self.packed)))
        });
        next.map(|arrays| arrays.map_err(failure)?.into_dict(py)).transpose()
    }
}
