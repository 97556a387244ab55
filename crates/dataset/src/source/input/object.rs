//! Texts in a bucket.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::{Buf as _, Bytes};

use crate::{DatasetError, storage::Storage};

/// Bytes of a request: longer ones hide the latency of a bucket, shorter ones cost less memory for each file. Chosen.
const STRETCH: u64 = 8 << 20;

/// A text in a bucket.
#[derive(Clone, Debug)]
pub struct Object {
    storage: Arc<Storage>,
    /// Its name below the place of the storage; empty where that is the object itself.
    name: String,
    bytes: u64,
}

impl Object {
    /// The object at the place of a storage, or all below it in the order of their names (hidden ones left out).
    pub(super) fn all(storage: Storage) -> Result<Vec<Self>, DatasetError> {
        let storage = Arc::new(storage);
        let mut names = storage.list("")?;
        if names.iter().any(|name| name == files::run::MANIFEST) {
            return Err(DatasetError::bad_source(
                Path::new(storage.place()),
                "a sample store",
                "files of games or positions",
            ));
        }
        names.retain(|name| !name.split('/').any(|part| part.starts_with('.')));
        if names.is_empty() {
            names.push(String::new());
        }
        let mut objects = Vec::with_capacity(names.len());
        for name in names {
            let bytes = storage.length(&name)?;
            objects.push(Self { storage: Arc::clone(&storage), name, bytes });
        }
        Ok(objects)
    }

    /// The object's address, as a path.
    pub(super) fn path(&self) -> PathBuf {
        let place = self.storage.place();
        if self.name.is_empty() { place.into() } else { Path::new(place).join(&self.name) }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Its bytes from the start, fetched some megabytes at a time.
    pub(super) fn open(&self) -> Stream {
        Stream { object: self.clone(), next: 0, held: Bytes::new() }
    }
}

/// A stream of an object's bytes.
pub(super) struct Stream {
    object: Object,
    /// Offset of the first byte after those held.
    next: u64,
    held: Bytes,
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.held.is_empty() && self.next < self.object.bytes {
            let end = self.object.bytes.min(self.next + STRETCH);
            let fetched = self.object.storage.range(&self.object.name, self.next..end);
            self.held = fetched.map_err(io::Error::other)?;
            if self.held.len() as u64 != end - self.next {
                let found = self.next + self.held.len() as u64;
                return Err(io::Error::other(format!("found {found} bytes, expected {}", self.object.bytes)));
            }
            self.next = end;
        }
        let count = buffer.len().min(self.held.len());
        self.held.copy_to_slice(&mut buffer[..count]);
        Ok(count)
    }
}

#[cfg(all(test, feature = "objects"))]
mod tests {
    use super::*;

    #[test]
    fn all_objects_below_a_place_are_read_in_order() {
        let storage = Storage::in_memory();
        let long: Vec<u8> = (0..STRETCH as u32 + 9).map(|number| (number / 11) as u8).collect();
        for (name, bytes) in [("games/b", &long[..]), ("games/.b", b"hidden"), ("a", b"first")] {
            storage.replace(name, bytes.to_vec()).unwrap();
        }
        let found = Object::all(storage).unwrap();
        let paths: Vec<PathBuf> = found.iter().map(Object::path).collect();
        assert_eq!(paths, ["memory://bucket/stores/a", "memory://bucket/stores/games/b"].map(PathBuf::from));
        let mut read = Vec::new();
        found[1].open().read_to_end(&mut read).unwrap();
        assert!(read == long && found[1].bytes() == long.len() as u64);
    }

    #[test]
    fn a_store_a_place_without_objects_and_an_object_that_shrinks_are_errors() {
        let storage = Storage::in_memory();
        assert!(Object::all(storage).unwrap_err().to_string().contains("memory://bucket/stores"));
        let storage = Storage::in_memory();
        storage.replace("a", b"first".to_vec()).unwrap();
        let object = Object::all(storage).unwrap().remove(0);
        object.storage.replace("a", b"fir".to_vec()).unwrap();
        let refused = object.open().read_to_end(&mut Vec::new()).unwrap_err().to_string();
        assert!(refused.contains("found 3 bytes, expected 5"), "{refused}");
        object.storage.replace(files::run::MANIFEST, Vec::new()).unwrap();
        let storage = Arc::into_inner(object.storage).unwrap();
        assert!(Object::all(storage).unwrap_err().to_string().contains("a sample store"));
    }
}
