//! Location of a store's files: a folder or a bucket.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;

use crate::{
    DatasetError,
    storage::{Storage, folder, is_url},
};

/// The folder or the bucket that holds a store.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Folder(PathBuf),
    /// A bucket, or a part of one.
    Bucket(Arc<Storage>),
}

impl Place {
    /// The place with this path or address; whether it holds a store is known only when it is read.
    pub(super) fn of(path: &Path) -> Result<Self, DatasetError> {
        // Not a `Storage` for folders too: that one creates its folder, which a reader must not do.
        match path.to_str().filter(|address| is_url(address)) {
            Some(address) => Ok(Self::Bucket(Arc::new(Storage::open(address)?))),
            None => Ok(Self::Folder(path.into())),
        }
    }

    /// The path or address of a file, or of the place itself if the name is empty.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        let place = match self {
            Self::Folder(folder) => folder.as_path(),
            Self::Bucket(storage) => Path::new(storage.place()),
        };
        if name.is_empty() { place.into() } else { place.join(name) }
    }

    /// A whole file; `None` if it does not exist.
    pub(super) fn whole(&self, name: &str) -> Result<Option<Vec<u8>>, DatasetError> {
        match self {
            Self::Folder(at) => {
                let path = at.join(name);
                folder::whole(&path).map_err(DatasetError::io("read", &path))
            }
            Self::Bucket(storage) => Ok(storage.get(name)?),
        }
    }

    /// A range of a file's bytes, shorter if it ends before.
    pub(super) fn range(&self, name: &str, range: Range<u64>) -> Result<Bytes, DatasetError> {
        match self {
            Self::Folder(at) => {
                let path = at.join(name);
                folder::read_range(&path, range).map_err(DatasetError::io("read", &path))
            }
            Self::Bucket(storage) => Ok(storage.range(name, range)?),
        }
    }

    pub(super) fn length(&self, name: &str) -> Result<u64, DatasetError> {
        match self {
            Self::Folder(at) => {
                let path = at.join(name);
                let metadata = std::fs::metadata(&path).map_err(DatasetError::io("open", &path))?;
                Ok(metadata.len())
            }
            Self::Bucket(storage) => Ok(storage.length(name)?),
        }
    }
}
