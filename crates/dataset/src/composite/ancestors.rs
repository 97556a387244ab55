//! The parts of a composed store's manifest and samples that come from its ancestors.

use crate::{
    DatasetError,
    sample::Sample,
    store::{
        Store,
        manifest::{Counts, FORMAT, Manifest, MergedStore, SampleSettings, VERSION},
    },
};

/// The stores that a composed store takes samples from. Their lists of sources and engines are concatenated in its
/// manifest.
pub(super) struct Ancestors<'a> {
    pub(super) stores: &'a [Store],
    /// Offsets of each store's source and engine indices: the sources and engines of the stores before it.
    before: Vec<Offsets>,
}

struct Offsets {
    source: u16,
    engine: u16,
}

impl<'a> Ancestors<'a> {
    /// Takes at least one store.
    ///
    /// # Errors
    /// [`DatasetError::Setting`] if they have more sources or engines than a sample can index.
    pub(super) fn of(stores: &'a [Store]) -> Result<Self, DatasetError> {
        let mut before = Vec::with_capacity(stores.len());
        let (mut sources, mut engines) = (0, 0);
        for store in stores {
            before.push(Offsets { source: sources as u16, engine: engines as u16 });
            sources += store.manifest().sources.len();
            engines += store.manifest().engines.len();
        }
        let most = sources.max(engines);
        if stores.is_empty() || most > usize::from(u16::MAX) {
            let found = format!("{} with {most} sources or engines", stores.len());
            let expected = "at least one store, with at most 65,535 sources or engines in all";
            return Err(DatasetError::setting("stores", found, expected));
        }
        Ok(Self { stores, before })
    }

    /// Changes source and engine of a sample of one of the stores to their indices in the new store.
    ///
    /// # Errors
    /// [`DatasetError::Setting`] if it names a source or engine that its store lacks.
    pub(super) fn adopt(&self, store: usize, sample: &mut Sample) -> Result<(), DatasetError> {
        // The lists of the new manifest are those of the stores one after another, so an index grows by the lengths of the lists before. It
        // is compared first: with an index beyond its own list, a sample would point into the next store's.
        let (before, store) = (&self.before[store], &self.stores[store]);
        check_index("column source", sample.source, store.manifest().sources.len(), store)?;
        sample.source += before.source;
        if let Some(engine) = &mut sample.engine {
            check_index("column engine", *engine, store.manifest().engines.len(), store)?;
            *engine += before.engine;
        }
        Ok(())
    }

    /// The manifest without files. Its counts are the sums over all stores; its settings are those of the
    /// first, because `merged` holds the settings of each.
    pub(super) fn manifest(&self, history: usize) -> Manifest {
        let (mut engines, mut sources, mut merged) = (Vec::new(), Vec::new(), Vec::new());
        let mut counts = Counts::default();
        for store in self.stores {
            let manifest = store.manifest();
            engines.extend_from_slice(&manifest.engines);
            sources.extend_from_slice(&manifest.sources);
            merged.push(MergedStore {
                path: store.path().display().to_string(),
                hash: store.hash(),
                settings: manifest.settings.clone(),
            });
            counts.add(&manifest.counts);
        }
        Manifest {
            format: FORMAT.into(),
            version: VERSION,
            tabiya: env!("CARGO_PKG_VERSION").into(),
            history,
            // The samples of different stores were not compared.
            settings: SampleSettings {
                deduplicated: false,
                without_leaks: false,
                ..self.stores[0].manifest().settings.clone()
            },
            engines,
            sources,
            merged,
            query: None,
            counts,
            train: Vec::new(),
            validation: Vec::new(),
        }
    }
}

fn check_index(setting: &'static str, index: u16, count: usize, store: &Store) -> Result<(), DatasetError> {
    if usize::from(index) < count {
        return Ok(());
    }
    let found = format!("{index} in a sample of {}", store.path().display());
    Err(DatasetError::setting(setting, found, format!("below {count}, the number in the manifest")))
}
