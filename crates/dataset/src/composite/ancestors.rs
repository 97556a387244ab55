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
    stores: &'a [Store],
    /// Offsets of each store's source and engine indices: the sources and engines of the stores before it.
    before: Vec<(u16, u16)>,
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
            before.push((sources as u16, engines as u16));
            sources += store.manifest().sources.len();
            engines += store.manifest().engines.len();
        }
        let most = sources.max(engines);
        if stores.is_empty() || most > usize::from(u16::MAX) {
            let found = format!("{} with {most} sources or engines", stores.len());
            let expected = "at least one store, with at most 65,535 sources or engines in all".into();
            return Err(DatasetError::Setting { setting: "stores", found, expected });
        }
        Ok(Self { stores, before })
    }

    /// Changes source and engine of a sample of one of the stores to their indices in the new store.
    ///
    /// # Errors
    /// [`DatasetError::Setting`] if it names a source or engine that its store lacks.
    pub(super) fn adopt(&self, store: usize, sample: &mut Sample) -> Result<(), DatasetError> {
        let ((sources, engines), of) = (self.before[store], &self.stores[store]);
        let known = |setting, index: u16, count: usize| {
            if usize::from(index) < count {
                return Ok(());
            }
            let found = format!("{index} in a sample of {}", of.path().display());
            let expected = format!("below {count}, the number in the manifest");
            Err(DatasetError::Setting { setting, found, expected })
        };
        known("column source", sample.source, of.manifest().sources.len())?;
        sample.source += sources;
        if let Some(engine) = &mut sample.engine {
            known("column engine", *engine, of.manifest().engines.len())?;
            *engine += engines;
        }
        Ok(())
    }

    /// The manifest without files. Its counts are the sums over all stores; its settings are those of the
    /// first, because `merged` holds the settings of each.
    pub(super) fn manifest(&self, history: usize) -> Manifest {
        let manifests = || self.stores.iter().map(Store::manifest);
        let mut counts = Counts::default();
        for manifest in manifests() {
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
            engines: manifests().flat_map(|manifest| manifest.engines.clone()).collect(),
            sources: manifests().flat_map(|manifest| manifest.sources.clone()).collect(),
            merged: self.stores.iter().map(part).collect(),
            query: None,
            counts,
            train: Vec::new(),
            validation: Vec::new(),
        }
    }
}

fn part(store: &Store) -> MergedStore {
    MergedStore {
        path: store.path().display().to_string(),
        hash: store.hash(),
        settings: store.manifest().settings.clone(),
    }
}
