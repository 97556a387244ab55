//! One store of several, so that a training run can mix them.

use std::path::Path;

use crate::{
    DatasetError, History,
    builder::workplace::Workplace,
    store::{
        Split, Store,
        manifest::{Counts, FORMAT, Manifest, MergedStore, Settings, VERSION},
        writer::SplitWriter,
    },
};

/// Writes the samples of several stores, one store after another, each sample in the split that it has. No sample is left out:
/// what stands in two stores, with labels of two engines, is there twice. The history is that of the stores if they agree, and is
/// left out if one of them has none.
///
/// # Errors
/// [`DatasetError::Setting`] where there are fewer than two stores or they were split differently, so that a game in the
/// validation split of one may be trained on from another; other [`DatasetError`]s when a store cannot be read or the output exists
/// or cannot be written.
pub fn merge(stores: &[Store], output: &Path) -> Result<Manifest, DatasetError> {
    let history = check(stores)?;
    let workplace = Workplace::create(output)?;
    let copy = |split: Split, name: &'static str| {
        let mut writer = SplitWriter::new(workplace.path(), name, history > 1)?;
        let (mut sources, mut engines) = (0, 0);
        for store in stores {
            for group in store.row_groups(split) {
                let mut samples = group?;
                for sample in &mut samples {
                    sample.source += sources;
                    sample.engine = sample.engine.map(|engine| engine + engines);
                    if history == 1 {
                        sample.history = History::default();
                    }
                }
                writer.write(&mut samples)?;
            }
            sources += store.manifest().sources.len() as u16;
            engines += store.manifest().engines.len() as u16;
        }
        writer.finish()
    };
    let (train, validation) = (copy(Split::Train, "train")?, copy(Split::Validation, "validation")?);
    let mut counts = Counts::default();
    for store in stores {
        counts.add(&store.manifest().counts);
    }
    let manifests = || stores.iter().map(Store::manifest);
    let manifest = Manifest {
        format: FORMAT.into(),
        version: VERSION,
        tabiya: env!("CARGO_PKG_VERSION").into(),
        history,
        // Each store has its own in `merged`; nothing was compared between them.
        settings: Settings {
            deduplicated: false,
            without_leaks: false,
            ..stores[0].manifest().settings.clone()
        },
        engines: manifests().flat_map(|manifest| manifest.engines.clone()).collect(),
        sources: manifests().flat_map(|manifest| manifest.sources.clone()).collect(),
        merged: stores.iter().map(part).collect(),
        counts,
        train,
        validation,
    };
    workplace.publish(&manifest)?;
    Ok(manifest)
}

fn part(store: &Store) -> MergedStore {
    MergedStore {
        path: store.path().display().to_string(),
        hash: store.hash(),
        settings: store.manifest().settings.clone(),
    }
}

/// The history that the merged store has.
fn check(stores: &[Store]) -> Result<usize, DatasetError> {
    let refuse = |found: String, expected: &str| {
        Err(DatasetError::Setting { setting: "stores to merge", found, expected: expected.into() })
    };
    let [first, others @ ..] = stores else { return refuse("none".into(), "at least two") };
    if others.is_empty() {
        return refuse(first.path().display().to_string(), "at least two");
    }
    let first = first.manifest();
    for store in others {
        let settings = &store.manifest().settings;
        if settings.validation_share.to_bits() != first.settings.validation_share.to_bits() {
            let found = format!(
                "{} with {} of its games in the validation split",
                store.path().display(),
                settings.validation_share
            );
            return refuse(found, &format!("{} as in the first store", first.settings.validation_share));
        }
    }
    let histories = || stores.iter().map(|store| store.manifest().history);
    let indices =
        |count: fn(&Manifest) -> usize| stores.iter().map(|store| count(store.manifest())).sum::<usize>();
    let most = indices(|manifest| manifest.sources.len()).max(indices(|manifest| manifest.engines.len()));
    if most > usize::from(u16::MAX) {
        return refuse(format!("{most} sources or engines"), "at most 65,535");
    }
    if histories().all(|history| history == first.history) {
        return Ok(first.history);
    }
    match histories().min() {
        Some(1) => Ok(1),
        _ => refuse(
            format!("{:?} positions of history", histories().collect::<Vec<_>>()),
            "equal ones, or 1 in a store",
        ),
    }
}
