//! Stores composed of the samples of other stores: [`merge`] takes all of them, so that a training run can mix them, a [`DerivedStore`]
//! those that a query chose.

mod ancestors;
mod derived;

use std::{path::Path, sync::mpsc, thread};

use self::ancestors::Ancestors;
use crate::{
    DatasetError, History, Manifest, Sample,
    builder::workplace::Workplace,
    store::{Split, Store, manifest::StoreFile},
};

pub use self::derived::DerivedStore;

/// Writes the samples of several stores, one store after another, each sample in its split. Duplicates are
/// kept: a position labelled by two engines in two stores is stored twice. The history is kept if all stores
/// have the same length of history, and left out if one of them has none.
///
/// # Errors
/// [`DatasetError::Setting`] if there are fewer than two stores or they were split differently, so that a game in the
/// validation split of one may be trained on from another; other [`DatasetError`]s when a store cannot be read or the
/// output exists or cannot be written.
pub fn merge(stores: &[Store], output: &Path) -> Result<Manifest, DatasetError> {
    let history = check(stores)?;
    let ancestors = Ancestors::of(stores)?;
    let workplace = Workplace::create(output)?;
    let train = copied(&ancestors, history, Split::Train, &workplace)?;
    let validation = copied(&ancestors, history, Split::Validation, &workplace)?;
    let manifest = Manifest { train, validation, ..ancestors.manifest(history) };
    workplace.publish(&manifest)?;
    Ok(manifest)
}

/// Writes one split of all stores, one store after another.
fn copied(
    ancestors: &Ancestors<'_>,
    history: usize,
    split: Split,
    workplace: &Workplace,
) -> Result<Vec<StoreFile>, DatasetError> {
    let mut writer = workplace.writer(split.name(), history)?;
    // Decoding takes as long as encoding: each has a thread of its own, one row group apart.
    thread::scope(|scope| {
        let (sender, groups) = mpsc::sync_channel(1);
        scope.spawn(move || {
            for (index, store) in ancestors.stores.iter().enumerate() {
                for group in store.row_groups(split) {
                    let samples = group.and_then(|samples| adopted(samples, ancestors, index, history));
                    if sender.send(samples).is_err() {
                        return; // The writer failed.
                    }
                }
            }
        });
        for samples in groups {
            writer.write(&mut samples?)?;
        }
        writer.finish()
    })
}

/// Samples of the store `index` as they appear in the merged one.
fn adopted(
    mut samples: Vec<Sample>,
    ancestors: &Ancestors,
    index: usize,
    history: usize,
) -> Result<Vec<Sample>, DatasetError> {
    for sample in &mut samples {
        ancestors.adopt(index, sample)?;
        if history == 1 {
            sample.history = History::default();
        }
    }
    Ok(samples)
}

/// The history that the merged store has.
fn check(stores: &[Store]) -> Result<usize, DatasetError> {
    let [first, others @ ..] = stores else { return Err(refused("none", "at least two")) };
    if others.is_empty() {
        return Err(refused(first.path().display().to_string(), "at least two"));
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
            let expected = format!("{} as in the first store", first.settings.validation_share);
            return Err(refused(found, expected));
        }
    }
    let histories: Vec<usize> = stores.iter().map(|store| store.manifest().history).collect();
    if histories.iter().all(|&history| history == first.history) {
        return Ok(first.history);
    }
    // A history cannot be shortened without replaying it, but it can be left out.
    if histories.iter().min() == Some(&1) {
        return Ok(1);
    }
    Err(refused(
        format!("{histories:?} positions of history"),
        "the same history in all stores, or a history of 1 in one of them",
    ))
}

fn refused(found: impl Into<String>, expected: impl Into<String>) -> DatasetError {
    DatasetError::setting("stores to merge", found, expected)
}
