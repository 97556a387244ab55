//! That the files of a store are those that were written.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::Path,
};

use xxhash_rust::xxh3::Xxh3;

use super::manifest::{Manifest, StoreFile};
use crate::DatasetError;

/// Bytes of a file with the hash they must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    start: u64,
    bytes: u64,
    xxh3: String,
}

/// The parts of a file: a row group each, then the footer.
pub(super) fn parts(file: &StoreFile) -> Vec<Part> {
    let mut start = 0;
    let place = |part: &super::manifest::FilePart| {
        let found = Part { start, bytes: part.bytes, xxh3: part.xxh3.clone() };
        start = start.saturating_add(part.bytes);
        found
    };
    file.parts.iter().map(place).collect()
}

impl Part {
    /// Reads the bytes and compares their hash.
    pub(super) fn check(&self, path: &Path) -> Result<(), DatasetError> {
        let mut file = File::open(path).map_err(DatasetError::io("open", path))?;
        file.seek(SeekFrom::Start(self.start)).map_err(DatasetError::io("read", path))?;
        let hash = hash(file.take(self.bytes)).map_err(DatasetError::io("read", path))?;
        let found = format!("{:016x}", hash.digest());
        if found == self.xxh3 {
            return Ok(());
        }
        Err(DatasetError::BadStore {
            path: path.into(),
            found: format!("damage in bytes {} to {} (hash {found})", self.start, self.start + self.bytes),
            expected: format!("hash {} as the manifest says", self.xxh3),
        })
    }
}

/// Reads all files of a store and compares sizes and hashes with the manifest; returns how many bytes that were.
///
/// # Errors
/// [`DatasetError`] that names the first file that is missing or not as it was written.
pub fn verify(store: &Path) -> Result<u64, DatasetError> {
    let (manifest, _) = Manifest::read(store)?;
    let mut bytes = 0;
    for expected in manifest.train.iter().chain(&manifest.validation) {
        let path = store.join(&expected.name);
        let file = File::open(&path).map_err(DatasetError::io("open", &path))?;
        let size = file.metadata().map_err(DatasetError::io("read", &path))?.len();
        let hash = hash(file).map_err(DatasetError::io("read", &path))?;
        let found = format!("{:032x}", hash.digest128());
        if size != expected.bytes || found != expected.xxh3 {
            return Err(DatasetError::BadStore {
                path,
                found: format!("{size} bytes with hash {found}"),
                expected: format!(
                    "{} bytes with hash {} as the manifest says",
                    expected.bytes, expected.xxh3
                ),
            });
        }
        bytes += size;
    }
    Ok(bytes)
}

fn hash(mut bytes: impl std::io::Read) -> std::io::Result<Xxh3> {
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 1 << 17];
    loop {
        let count = bytes.read(&mut buffer)?;
        if count == 0 {
            return Ok(hash);
        }
        hash.update(&buffer[..count]);
    }
}
