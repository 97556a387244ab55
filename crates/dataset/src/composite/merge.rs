//! One store of several, so that a training run can mix them.

use std::{path::Path, sync::mpsc, thread};

use super::ancestors::Ancestors;
use crate::{
    DatasetError, History, Manifest, Sample,
    builder::workplace::Workplace,
    store::{Split, Store, manifest::StoreFile, writer::SplitWriter},
};

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
    let writer = |split: Split| SplitWriter::new(workplace.path(), split.name(), history > 1);
    let train = copied(stores, &ancestors, history, Split::Train, writer(Split::Train)?)?;
    let validation = copied(stores, &ancestors, history, Split::Validation, writer(Split::Validation)?)?;
    let manifest = Manifest { train, validation, ..ancestors.manifest(history) };
    workplace.publish(&manifest)?;
    Ok(manifest)
}

/// Writes one split of all stores, one store after another.
fn copied(
    stores: &[Store],
    ancestors: &Ancestors<'_>,
    history: usize,
    split: Split,
    mut writer: SplitWriter,
) -> Result<Vec<StoreFile>, DatasetError> {
    // Decoding takes as long as encoding: each has a thread of its own, one row group apart.
    thread::scope(|scope| {
        let (sender, groups) = mpsc::sync_channel(1);
        scope.spawn(move || {
            for (index, store) in stores.iter().enumerate() {
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
    if histories().all(|history| history == first.history) {
        return Ok(first.history);
    }
    match histories().min() {
        Some(1) => Ok(1),
        _ => refuse(
            format!("{:?} positions of history", histories().collect::<Vec<_>>()),
            "the same history in all stores, or a history of 1 in one of them",
        ),
    }
}
