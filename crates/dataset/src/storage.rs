//! Bytes under names, in a folder or an S3 bucket: sample stores, and all that the processes of a self-play run share.

mod below;

use std::{
    io::{self, Read},
    ops::Range,
    sync::Arc,
};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::{
    ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, WriteMultipart, local::LocalFileSystem,
    path::Path as ObjectPath,
};
use tokio::runtime::Runtime;

use below::Below;

/// Bytes of a part of a long object; S3 takes no shorter ones than 5 MiB, and no more than 10,000.
const PART_BYTES: usize = 16 << 20;

/// Parts on their way at the same time.
const PARTS_AT_ONCE: usize = 4;

/// A place for objects that are written once, whole, and then only read.
///
/// Objects appear whole or not at all, however the process that writes them ends: a folder gets them by a link from a file
/// written aside, S3 when the request is complete.
pub struct Storage {
    place: String,
    objects: Objects,
    prefix: ObjectPath,
    runtime: Runtime,
}

/// Objects for programs that wait for them in a runtime of their own.
pub type Objects = Arc<dyn ObjectStore>;

/// What became of an object that was to be new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// It was written.
    Written,
    /// There is one of this name, which stays.
    Taken,
}

/// The storage refused.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The place cannot be used at all.
    #[error(
        "{place}: {reason}; expected a folder, or s3://BUCKET/PREFIX in a program built with --features s3"
    )]
    Place {
        /// As given.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// An object could not be read or written.
    #[error("cannot {action} {name} in {place}: {source}")]
    Object {
        /// What was tried.
        action: &'static str,
        /// The object, or the folder of objects.
        name: String,
        /// The storage.
        place: String,
        /// Why it failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Storage {
    /// Opens a folder, which is made if it is missing, or a URL. Keys and endpoints of URLs come from the environment, under the
    /// names that the AWS tools use.
    ///
    /// # Errors
    /// [`StorageError::Place`].
    pub fn open(place: &str) -> Result<Self, StorageError> {
        let opened = if is_url(place) { by_url(place) } else { folder(place) };
        Self::of(place, opened)
    }

    /// A bucket in memory, which is empty, for tests.
    #[cfg(test)]
    pub(crate) fn in_memory() -> Self {
        let objects = Arc::new(object_store::memory::InMemory::new());
        Self::of("memory://bucket/stores", Ok((objects, ObjectPath::from("stores")))).unwrap()
    }

    fn of(place: &str, opened: Opened) -> Result<Self, StorageError> {
        let refused = |reason: String| StorageError::Place { place: place.into(), reason };
        let (objects, prefix) = opened.map_err(refused)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| refused(error.to_string()))?;
        Ok(Self { place: place.into(), objects, prefix, runtime })
    }

    /// Where it is, as given.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Writes an object unless there is one of this name.
    ///
    /// # Errors
    /// [`StorageError::Object`], for example where the disk is full; the object is then not there.
    pub fn put_new(&self, name: &str, bytes: Vec<u8>) -> Result<Put, StorageError> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.runtime.block_on(self.objects.put_opts(&self.path(name), bytes.into(), options)) {
            Ok(_) => Ok(Put::Written),
            Err(object_store::Error::AlreadyExists { .. }) => Ok(Put::Taken),
            Err(error) => Err(self.error("write", name, error)),
        }
    }

    /// Writes an object over one that may be there.
    ///
    /// # Errors
    /// [`StorageError::Object`]; the old object is then still there.
    pub fn replace(&self, name: &str, bytes: Vec<u8>) -> Result<(), StorageError> {
        let written = self.runtime.block_on(self.objects.put(&self.path(name), bytes.into()));
        written.map(|_| ()).map_err(|error| self.error("write", name, error))
    }

    /// Writes an object of any length over one that may be there, a few megabytes at a time; returns its length.
    ///
    /// # Errors
    /// [`StorageError::Object`]; the object is then not there, or the old one is.
    pub fn copy_from(&self, name: &str, mut bytes: impl Read) -> Result<u64, StorageError> {
        let failed = |error| self.error("write", name, error);
        let upload = self.runtime.block_on(self.objects.put_multipart(&self.path(name))).map_err(failed)?;
        let mut parts = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
        let mut buffer = vec![0; PART_BYTES];
        let mut length = 0;
        loop {
            match bytes.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let written = self.runtime.block_on(async {
                        parts.wait_for_capacity(PARTS_AT_ONCE).await?;
                        parts.write(&buffer[..count]);
                        Ok(())
                    });
                    written.map_err(failed)?;
                    length += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.runtime.block_on(parts.abort()).map_err(failed)?;
                    let source = object_store::Error::Generic { store: "source", source: Box::new(error) };
                    return Err(failed(source));
                }
            }
        }
        self.runtime.block_on(parts.finish()).map_err(failed)?;
        Ok(length)
    }

    /// Removes an object; one that is not there is removed already.
    ///
    /// # Errors
    /// [`StorageError::Object`].
    pub fn remove(&self, name: &str) -> Result<(), StorageError> {
        match self.runtime.block_on(self.objects.delete(&self.path(name))) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.error("remove", name, error)),
        }
    }

    /// The bytes of an object; `None` where there is none of this name.
    ///
    /// # Errors
    /// [`StorageError::Object`].
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StorageError> {
        let path = self.path(name);
        let bytes = self.runtime.block_on(async { self.objects.get(&path).await?.bytes().await });
        match bytes {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.error("read", name, error)),
        }
    }

    /// Bytes of an object that is there, fewer if it ends before.
    ///
    /// # Errors
    /// [`StorageError::Object`], also where there is none of this name.
    pub fn range(&self, name: &str, range: Range<u64>) -> Result<Bytes, StorageError> {
        let path = self.path(name);
        let bytes = self.runtime.block_on(self.objects.get_range(&path, range));
        bytes.map_err(|error| self.error("read", name, error))
    }

    /// The length of an object that is there.
    ///
    /// # Errors
    /// [`StorageError::Object`], also where there is none of this name.
    pub fn length(&self, name: &str) -> Result<u64, StorageError> {
        let found = self.runtime.block_on(self.objects.head(&self.path(name)));
        found.map(|object| object.size).map_err(|error| self.error("read", name, error))
    }

    /// The names of all objects in a folder of names, without the folder, in order.
    ///
    /// # Errors
    /// [`StorageError::Object`].
    pub fn list(&self, folder: &str) -> Result<Vec<String>, StorageError> {
        let path = self.path(folder);
        let found = self.runtime.block_on(self.objects.list(Some(&path)).try_collect::<Vec<_>>());
        let found = found.map_err(|error| self.error("list", folder, error))?;
        let mut names: Vec<String> = found
            .iter()
            .filter_map(|object| object.location.prefix_match(&path))
            .map(|parts| parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/"))
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    fn path(&self, name: &str) -> ObjectPath {
        self.prefix.parts().chain(ObjectPath::from(name).parts()).collect()
    }

    fn error(&self, action: &'static str, name: &str, source: object_store::Error) -> StorageError {
        StorageError::Object {
            action,
            // Of an object at the very place.
            name: if name.is_empty() { "the object".into() } else { name.into() },
            place: self.place.clone(),
            source: Box::new(source),
        }
    }
}

impl std::fmt::Debug for Storage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Storage({})", self.place)
    }
}

/// The objects of a folder, which has to be there, or of a URL, as for [`Storage::open`].
///
/// # Errors
/// [`StorageError::Place`].
pub fn objects(place: &str) -> Result<Objects, StorageError> {
    let opened = if is_url(place) { by_url(place) } else { files(place) };
    match opened {
        Ok((objects, prefix)) if prefix == ObjectPath::default() => Ok(objects),
        Ok((objects, prefix)) => Ok(Arc::new(Below::new(objects, prefix))),
        Err(reason) => Err(StorageError::Place { place: place.into(), reason }),
    }
}

/// Whether a place is the address of a bucket rather than a folder.
pub fn is_url(place: &str) -> bool {
    place.contains("://")
}

type Opened = Result<(Objects, ObjectPath), String>;

fn folder(place: &str) -> Opened {
    let made = std::fs::create_dir_all(place).map_err(|error: io::Error| error.to_string());
    made?;
    files(place)
}

fn files(place: &str) -> Opened {
    let files = LocalFileSystem::new_with_prefix(place).map_err(|error| error.to_string())?;
    Ok((Arc::new(files), ObjectPath::default()))
}

/// How often a request to a bucket is repeated, and for how long: a server that is not there is known after seconds.
#[cfg(feature = "s3")]
const PATIENCE: object_store::RetryConfig = object_store::RetryConfig {
    backoff: object_store::BackoffConfig {
        init_backoff: std::time::Duration::from_millis(100),
        max_backoff: std::time::Duration::from_secs(5),
        base: 2.0,
    },
    max_retries: 5,
    retry_timeout: std::time::Duration::from_secs(30),
};

#[cfg(feature = "s3")]
fn by_url(place: &str) -> Opened {
    let bucket = object_store::aws::AmazonS3Builder::from_env().with_url(place).with_retry(PATIENCE).build();
    let bucket = bucket.map_err(|error| error.to_string())?;
    let key = place.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, key)| key);
    Ok((Arc::new(bucket), ObjectPath::from(key)))
}

#[cfg(not(feature = "s3"))]
fn by_url(_: &str) -> Opened {
    Err("this program was built without the feature s3".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage() -> (tempfile::TempDir, Storage) {
        let folder = tempfile::tempdir().unwrap();
        let storage = Storage::open(folder.path().join("run").to_str().unwrap()).unwrap();
        (folder, storage)
    }

    #[test]
    fn an_object_is_written_once_and_the_first_one_stays() {
        let (_folder, storage) = storage();
        assert_eq!(storage.get("games/a.json").unwrap(), None);
        assert_eq!(storage.put_new("games/a.json", b"first".to_vec()).unwrap(), Put::Written);
        assert_eq!(storage.put_new("games/a.json", b"second".to_vec()).unwrap(), Put::Taken);
        assert_eq!(storage.get("games/a.json").unwrap().unwrap(), b"first");
        storage.replace("games/a.json", b"third".to_vec()).unwrap();
        assert_eq!(storage.get("games/a.json").unwrap().unwrap(), b"third");
    }

    #[test]
    fn a_list_names_the_objects_of_one_folder_in_order() {
        let (_folder, storage) = storage();
        assert_eq!(storage.list("games").unwrap(), Vec::<String>::new());
        for name in ["games/00002/b", "games/00001/c", "games/00002/a", "gamesters/d"] {
            storage.put_new(name, Vec::new()).unwrap();
        }
        assert_eq!(storage.list("games").unwrap(), ["00001/c", "00002/a", "00002/b"]);
        assert_eq!(storage.list("games/00002").unwrap(), ["a", "b"]);
    }

    #[test]
    fn a_long_object_is_written_in_parts_and_read_in_pieces() {
        let bytes: Vec<u8> = (0..2 * PART_BYTES as u32 + 5).map(|number| (number / 7) as u8).collect();
        let (_folder, in_folder) = storage();
        for storage in [in_folder, Storage::in_memory()] {
            let length = storage.copy_from("folder/long", &bytes[..]).unwrap();
            assert_eq!((length, storage.length("folder/long").unwrap()), (bytes.len() as u64, length));
            let middle = PART_BYTES as u64 - 3..PART_BYTES as u64 + 3;
            let found = storage.range("folder/long", middle.clone()).unwrap();
            assert_eq!(found, bytes[middle.start as usize..middle.end as usize]);
            assert_eq!(
                storage.range("folder/long", length - 2..length + 2).unwrap(),
                bytes[bytes.len() - 2..]
            );
            assert!(storage.get("folder/long").unwrap().unwrap() == bytes);
            assert!(storage.range("folder/none", 0..1).unwrap_err().to_string().contains("folder/none"));
        }
    }

    #[test]
    fn an_object_whose_source_breaks_off_is_not_there() {
        struct Broken(usize);
        impl Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                if self.0 > 2 { Err(io::Error::other("the disk is gone")) } else { Ok(buffer.len()) }
            }
        }
        let storage = Storage::in_memory();
        let refused = storage.copy_from("long", Broken(0)).unwrap_err();
        assert!(refused.to_string().contains("the disk is gone"), "{refused}");
        assert_eq!(storage.get("long").unwrap(), None);
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
