//! Creation of stores: in a folder of the writer's own, or copied into a bucket as a whole.

use std::{path::Path, sync::Arc};

use files::FolderLock;
use parquet::file::reader::ChunkReader as _;

use super::{data_file::DataFile, integrity::verify_files, manifest::Manifest, place::Place};
use crate::{
    DatasetError,
    storage::{PutResult, Storage, is_url},
};

/// Copies a store into a bucket and reads it back to compare it with the manifest; returns the bytes of its data files.
/// The manifest comes last, so an interrupted copy is not a store. `progress` is called with the bytes copied so far.
///
/// # Errors
/// [`DatasetError`], among them [`DatasetError::Exists`] if a store has this address.
pub fn publish(store: &Path, address: &str, progress: impl FnMut(u64)) -> Result<u64, DatasetError> {
    publish_to(&Place::of(store)?, &bucket(address)?, progress)
}

/// Checks, before the store is made, that the bucket is reachable and has no store at this address.
///
/// # Errors
/// [`DatasetError`], among them [`DatasetError::Exists`] if a store has this address.
pub fn expect_vacant(address: &str) -> Result<(), DatasetError> {
    let bucket = Place::Bucket(bucket(address)?);
    match bucket.whole(files::run::MANIFEST)? {
        Some(_) => Err(taken(&bucket)),
        None => Ok(()),
    }
}

/// Calls `make` with the folder in which to create the store: `output`, or for a bucket a temporary folder
/// whose store is then copied. Nothing is copied if `make` left no store, after Ctrl-C.
///
/// # Errors
/// The errors of `make`, and an error if the place is taken or cannot be written to.
pub fn make<T, E: From<DatasetError>>(
    output: &Path,
    make: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    let Some(address) = output.to_str().filter(|address| is_url(address)) else {
        let _lock = FolderLock::take(output).map_err(DatasetError::from)?;
        return make(output);
    };
    expect_vacant(address)?;
    let folder = tempfile::tempdir().map_err(DatasetError::io("make a folder in", &std::env::temp_dir()))?;
    let output = folder.path().join("store");
    let made = make(&output)?;
    if output.exists() {
        publish(&output, address, |_| {})?;
    }
    Ok(made)
}

fn bucket(address: &str) -> Result<Arc<Storage>, DatasetError> {
    if !is_url(address) {
        return Err(DatasetError::setting("address", address, "s3://BUCKET/PREFIX"));
    }
    Ok(Arc::new(Storage::open(address)?))
}

fn taken(bucket: &Place) -> DatasetError {
    DatasetError::Exists { path: bucket.path("") }
}

pub(super) fn publish_to(
    store: &Place,
    storage: &Arc<Storage>,
    mut progress: impl FnMut(u64),
) -> Result<u64, DatasetError> {
    let (manifest, text) = Manifest::with_text(store)?;
    let bucket = Place::Bucket(Arc::clone(storage));
    if bucket.whole(files::run::MANIFEST)?.is_some() {
        return Err(taken(&bucket));
    }
    let mut copied = 0;
    for file in manifest.train.iter().chain(&manifest.validation) {
        let path = store.path(&file.name);
        let bytes = DataFile::open(store, &file.name, file.bytes)?.get_read(0);
        copied += storage.copy_from(&file.name, bytes.map_err(DatasetError::parquet("read", &path))?)?;
        progress(copied);
    }
    // Between the first look and here another process may have published a store at the same address: its data files have the same names.
    // The files are therefore compared with this manifest before it makes them a store, and it is written only if none is there yet.
    verify_files(&bucket, &manifest)?;
    match storage.put_new(files::run::MANIFEST, text.into_bytes())? {
        PutResult::Written => Ok(copied),
        PutResult::Taken => Err(taken(&bucket)),
    }
}
