//! Verification that the files of a store are unchanged since they were written.

use std::{ops::Range, path::Path};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{
    manifest::{Manifest, StoreFile},
    place::Place,
};
use crate::DatasetError;

/// Bytes of a file that are compared at once.
const STRETCH: u64 = 1 << 23;

/// Bytes of a file with the hash they must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    start: u64,
    bytes: u64,
    xxh3: String,
}

/// The parts of a file: a row group each, then the footer.
pub(super) fn parts(file: &StoreFile) -> Vec<Part> {
    let mut parts = Vec::with_capacity(file.parts.len());
    let mut start = 0_u64;
    for part in &file.parts {
        parts.push(Part { start, bytes: part.bytes, xxh3: part.xxh3.clone() });
        start = start.saturating_add(part.bytes);
    }
    parts
}

impl Part {
    pub(super) fn range(&self) -> Range<u64> {
        self.start..self.start.saturating_add(self.bytes)
    }

    /// Compares the hash of a part's bytes in a file.
    pub(super) fn check(&self, bytes: &[u8], path: &Path) -> Result<(), DatasetError> {
        let found = format!("{:016x}", xxh3_64(bytes));
        if found == self.xxh3 {
            return Ok(());
        }
        let Range { start, end } = self.range();
        let found = format!("damage in bytes {start} to {end} (hash {found})");
        Err(DatasetError::bad_store(path, found, format!("hash {} as the manifest says", self.xxh3)))
    }
}

/// Reads all files of a store and compares sizes and hashes with the manifest; returns the number of bytes read.
///
/// # Errors
/// [`DatasetError`] that names the first file that is missing or not as it was written.
pub fn verify(store: &Path) -> Result<u64, DatasetError> {
    let store = Place::of(store)?;
    let manifest = Manifest::read_from(&store)?;
    verify_files(&store, &manifest)
}

pub(super) fn verify_files(store: &Place, manifest: &Manifest) -> Result<u64, DatasetError> {
    let mut bytes = 0;
    for expected in manifest.train.iter().chain(&manifest.validation) {
        let size = store.length(&expected.name)?;
        let mut hash = Xxh3::new();
        let mut start = 0;
        while start < size {
            let stretch = store.range(&expected.name, start..size.min(start + STRETCH))?;
            if stretch.is_empty() {
                break;
            }
            hash.update(&stretch);
            start += stretch.len() as u64;
        }
        let found = files::hash_text(hash.digest128());
        if size != expected.bytes || found != expected.xxh3 {
            let found = format!("{size} bytes with hash {found}");
            let stated = format!("{} bytes with hash {} as the manifest says", expected.bytes, expected.xxh3);
            return Err(DatasetError::bad_store(&store.path(&expected.name), found, stated));
        }
        verify_parts(store, expected)?;
        bytes += size;
    }
    Ok(bytes)
}

/// Compares the parts of a file with the manifest: readers verify parts, never the whole file.
fn verify_parts(store: &Place, file: &StoreFile) -> Result<(), DatasetError> {
    let path = store.path(&file.name);
    let parts = parts(file);
    let Some(end) = parts.last().map(|last| last.range().end) else { return Ok(()) };
    if end != file.bytes {
        let found = format!("parts of {end} bytes in the manifest");
        return Err(DatasetError::bad_store(&path, found, format!("{} bytes", file.bytes)));
    }
    for part in &parts {
        part.check(&store.range(&file.name, part.range())?, &path)?;
    }
    Ok(())
}
