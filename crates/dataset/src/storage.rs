//! Bytes under names, in a folder or an S3 bucket: sample stores, and everything that the processes of a self-play run share.
//!
//! Folders use the file system directly. Buckets, and the interface through which SQL reads either, need the
//! feature `objects`, because their client and its asynchronous runtime are larger than the rest of this
//! crate.

#[cfg(feature = "objects")]
mod below;
#[cfg(feature = "objects")]
mod bucket;
pub(crate) mod folder;

use std::{io::Read, ops::Range};

use bytes::Bytes;

use self::folder::Folder;

/// Stand-in for buckets in programs without the feature `s3`.
#[cfg(not(feature = "objects"))]
mod bucket {
    /// Refuses every address with an error.
    pub(super) fn open(_: &str) -> Result<Box<dyn super::Backend>, String> {
        Err("this program was built without the feature s3".into())
    }
}

#[cfg(feature = "objects")]
pub use {below::Objects, bucket::objects};

/// A place for objects that are written once, whole, and then only read.
///
/// Objects appear whole or not at all, even if the writing process is killed: in a folder by linking a
/// finished temporary file, in S3 when the request completes.
pub struct Storage {
    place: String,
    backend: Box<dyn Backend>,
}

/// The cause of a failed request, before the object and its place are named.
type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The calls of [`Storage`], which names object and place in their errors.
trait Backend: Send + Sync {
    fn put_new(&self, name: &str, bytes: Vec<u8>) -> Result<PutResult, Cause>;
    fn replace(&self, name: &str, bytes: Vec<u8>) -> Result<(), Cause>;
    fn copy_from(&self, name: &str, bytes: &mut dyn Read) -> Result<u64, Cause>;
    fn remove(&self, name: &str) -> Result<(), Cause>;
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, Cause>;
    fn range(&self, name: &str, range: Range<u64>) -> Result<Bytes, Cause>;
    fn length(&self, name: &str) -> Result<u64, Cause>;
    fn list(&self, folder: &str) -> Result<Vec<String>, Cause>;
    fn remove_partial(&self) -> Result<(), Cause>;
}

/// Result of writing an object that must be new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutResult {
    /// The object was written.
    Written,
    /// An object of this name exists already and was left unchanged.
    Taken,
}

/// A failure of a storage, with the place and the finding.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum StorageError {
    #[error(
        "{place}: {reason}; expected a folder, or s3://BUCKET/PREFIX in a program built with --features s3"
    )]
    Place { place: String, reason: String },
    /// An object could not be read or written.
    #[error("cannot {action} {name} in {place}: {source}")]
    Object { action: &'static str, name: String, place: String, source: Cause },
}

impl Storage {
    /// Opens a folder, which is created if it is missing, or a URL. Keys and endpoints of URLs come from the environment, under
    /// the names that the AWS tools use.
    ///
    /// # Errors
    /// [`StorageError::Place`].
    pub fn open(place: &str) -> Result<Self, StorageError> {
        let opened = if is_url(place) { bucket::open(place) } else { Folder::open(place) };
        match opened {
            Ok(backend) => Ok(Self { place: place.into(), backend }),
            Err(reason) => Err(StorageError::Place { place: place.into(), reason }),
        }
    }

    /// A bucket in memory, which is empty, for tests.
    #[cfg(all(test, feature = "objects"))]
    pub(crate) fn in_memory() -> Self {
        let backend = bucket::in_memory("stores").expect("memory is always there");
        Self { place: "memory://bucket/stores".into(), backend }
    }

    /// Address of the storage, as given.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Writes an object unless there is one of this name.
    ///
    /// # Errors
    /// [`StorageError::Object`], for example if the disk is full; the object is then not there.
    pub fn put_new(&self, name: &str, bytes: Vec<u8>) -> Result<PutResult, StorageError> {
        self.backend.put_new(name, bytes).map_err(self.error("write", name))
    }

    /// Writes an object, replacing any of this name.
    ///
    /// # Errors
    /// [`StorageError::Object`]; the old object is then still there.
    pub fn replace(&self, name: &str, bytes: Vec<u8>) -> Result<(), StorageError> {
        self.backend.replace(name, bytes).map_err(self.error("write", name))
    }

    /// Writes an object of any length, replacing any of this name, a few megabytes at a time; returns its length.
    ///
    /// # Errors
    /// [`StorageError::Object`]; the object is then not there, or the old one is.
    pub fn copy_from(&self, name: &str, mut bytes: impl Read) -> Result<u64, StorageError> {
        self.backend.copy_from(name, &mut bytes).map_err(self.error("write", name))
    }

    /// Removes an object; removing a missing object succeeds.
    ///
    /// # Errors
    /// [`StorageError::Object`].
    pub fn remove(&self, name: &str) -> Result<(), StorageError> {
        self.backend.remove(name).map_err(self.error("remove", name))
    }

    /// The bytes of an object; `None` if there is no object of this name.
    ///
    /// # Errors
    /// [`StorageError::Object`].
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StorageError> {
        self.backend.get(name).map_err(self.error("read", name))
    }

    /// A range of an object's bytes, shorter if the object ends before.
    ///
    /// # Errors
    /// [`StorageError::Object`], also if there is no object of this name.
    pub fn range(&self, name: &str, range: Range<u64>) -> Result<Bytes, StorageError> {
        self.backend.range(name, range).map_err(self.error("read", name))
    }

    /// The length of an object in bytes.
    ///
    /// # Errors
    /// [`StorageError::Object`], also if there is no object of this name.
    pub fn length(&self, name: &str) -> Result<u64, StorageError> {
        self.backend.length(name).map_err(self.error("read", name))
    }

    /// The names of all objects in a folder, with the folder left out of the names, in order.
    ///
    /// # Errors
    /// [`StorageError::Object`].
    pub fn list(&self, folder: &str) -> Result<Vec<String>, StorageError> {
        let mut names = self.backend.list(folder).map_err(self.error("list", folder))?;
        names.sort_unstable();
        Ok(names)
    }

    /// Removes the temporary files of killed processes from a folder. Does nothing for a bucket.
    ///
    /// # Errors
    /// [`StorageError::Object`].
    pub fn remove_partial(&self) -> Result<(), StorageError> {
        self.backend.remove_partial().map_err(self.error("clean up", ""))
    }

    fn error(&self, action: &'static str, name: &str) -> impl FnOnce(Cause) -> StorageError {
        // An object at the place itself has an empty name.
        let name = if name.is_empty() { "the object".into() } else { name.into() };
        let place = self.place.clone();
        move |source| StorageError::Object { action, name, place, source }
    }
}

impl std::fmt::Debug for Storage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Storage({})", self.place)
    }
}

/// True if a place is the address of a bucket rather than a folder.
pub fn is_url(place: &str) -> bool {
    place.contains("://")
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn storage() -> (tempfile::TempDir, Storage) {
        let folder = tempfile::tempdir().unwrap();
        let storage = Storage::open(folder.path().join("run").to_str().unwrap()).unwrap();
        (folder, storage)
    }

    fn an_object_is_written_once_and_the_first_one_stays(storage: &Storage) {
        assert_eq!(storage.get("games/a.json").unwrap(), None);
        assert_eq!(storage.put_new("games/a.json", b"first".to_vec()).unwrap(), PutResult::Written);
        assert_eq!(storage.put_new("games/a.json", b"second".to_vec()).unwrap(), PutResult::Taken);
        assert_eq!(storage.get("games/a.json").unwrap().unwrap(), b"first");
        storage.replace("games/a.json", b"third".to_vec()).unwrap();
        assert_eq!(storage.get("games/a.json").unwrap().unwrap(), b"third");
    }

    fn a_list_names_the_objects_of_one_folder_in_order(storage: &Storage) {
        assert_eq!(storage.list("games").unwrap(), Vec::<String>::new());
        for name in ["games/00002/b", "games/00001/c", "games/00002/a", "gamesters/d"] {
            storage.put_new(name, Vec::new()).unwrap();
        }
        assert_eq!(storage.list("games").unwrap(), ["00001/c", "00002/a", "00002/b"]);
        assert_eq!(storage.list("games/00002").unwrap(), ["a", "b"]);
    }

    /// Bytes of more than two parts of a bucket.
    const LONG: u32 = 33 << 20;

    fn a_long_object_is_written_and_read_in_pieces(storage: &Storage) {
        let bytes: Vec<u8> = (0..LONG).map(|number| (number / 7) as u8).collect();
        let length = storage.copy_from("folder/long", &bytes[..]).unwrap();
        assert_eq!((length, storage.length("folder/long").unwrap()), (bytes.len() as u64, length));
        let middle = (16 << 20) - 3..(16 << 20) + 3;
        let found = storage.range("folder/long", middle.clone()).unwrap();
        assert_eq!(found, bytes[middle.start as usize..middle.end as usize]);
        assert_eq!(storage.range("folder/long", length - 2..length + 2).unwrap(), bytes[bytes.len() - 2..]);
        assert!(storage.get("folder/long").unwrap().unwrap() == bytes);
        assert!(storage.range("folder/none", 0..1).unwrap_err().to_string().contains("folder/none"));
    }

    fn an_object_whose_source_breaks_off_is_not_there(storage: &Storage) {
        struct Broken(usize);
        impl Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                if self.0 > 2 { Err(io::Error::other("the disk is gone")) } else { Ok(buffer.len()) }
            }
        }
        let refused = storage.copy_from("long", Broken(0)).unwrap_err();
        assert!(refused.to_string().contains("the disk is gone"), "{refused}");
        assert_eq!(storage.get("long").unwrap(), None);
        assert_eq!(storage.list("").unwrap(), Vec::<String>::new());
    }

    fn what_is_removed_is_gone_however_often(storage: &Storage) {
        storage.put_new("a", Vec::new()).unwrap();
        for _ in 0..2 {
            storage.remove("a").unwrap();
            assert_eq!(storage.get("a").unwrap(), None);
        }
    }

    const LAWS: [fn(&Storage); 5] = [
        an_object_whose_source_breaks_off_is_not_there,
        what_is_removed_is_gone_however_often,
        a_long_object_is_written_and_read_in_pieces,
        an_object_is_written_once_and_the_first_one_stays,
        a_list_names_the_objects_of_one_folder_in_order,
    ];

    #[test]
    fn folders_obey_the_laws() {
        for law in LAWS {
            let (_folder, storage) = storage();
            law(&storage);
        }
    }

    #[cfg(feature = "objects")]
    #[test]
    fn buckets_obey_the_laws() {
        for law in LAWS {
            law(&Storage::in_memory());
        }
    }

    #[test]
    fn a_file_that_is_being_written_is_not_an_object() {
        let (folder, storage) = storage();
        storage.put_new("games/a", b"whole".to_vec()).unwrap();
        let half = folder.path().join("run/games/.tabiya-x1.partial");
        std::fs::write(&half, "half").unwrap();
        assert_eq!(storage.list("games").unwrap(), ["a"]);
        storage.remove_partial().unwrap();
        assert!(!half.exists(), "whoever wrote it has ended");
    }

    #[test]
    fn places_that_cannot_be_used_are_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let inside = file.path().join("run").display().to_string();
        assert!(Storage::open(&inside).unwrap_err().to_string().contains(&inside));
        if !cfg!(feature = "s3") {
            let refused = Storage::open("s3://bucket/run").unwrap_err().to_string();
            assert!(refused.contains("s3://bucket/run") && refused.contains("--features s3"), "{refused}");
        }
    }

    #[test]
    fn an_object_that_cannot_be_written_is_named_with_its_place() {
        let (folder, storage) = storage();
        std::fs::write(folder.path().join("run/games"), "a file where a folder should be").unwrap();
        let refused = storage.put_new("games/a", Vec::new()).unwrap_err().to_string();
        assert!(refused.contains("games/a") && refused.contains(storage.place()), "{refused}");
    }
}
