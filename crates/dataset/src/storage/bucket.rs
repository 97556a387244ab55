//! Objects in a bucket, for blocking callers and for callers with their own asynchronous runtime.

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

use super::{
    Backend, Cause, PutResult, StorageError,
    below::{Below, Objects},
    is_url,
};

/// Bytes of a part of a long object; S3 takes no parts shorter than 5 MiB, and no more than 10,000.
const PART_BYTES: usize = 16 << 20;

/// Parts in flight at the same time.
const PARTS_AT_ONCE: usize = 4;

/// The objects of a bucket below a prefix.
struct Bucket {
    objects: Objects,
    prefix: ObjectPath,
    runtime: Runtime,
}

/// The bucket of a URL.
pub(super) fn open(place: &str) -> Result<Box<dyn Backend>, String> {
    let (objects, prefix) = by_url(place)?;
    Bucket::of(objects, prefix)
}

/// An empty bucket in memory, below a prefix.
#[cfg(test)]
pub(super) fn in_memory(prefix: &str) -> Result<Box<dyn Backend>, String> {
    Bucket::of(Arc::new(object_store::memory::InMemory::new()), ObjectPath::from(prefix))
}

/// The objects of an existing folder or of a URL, as for [`super::Storage::open`].
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

impl Bucket {
    fn of(objects: Objects, prefix: ObjectPath) -> Result<Box<dyn Backend>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        Ok(Box::new(Self { objects, prefix, runtime }))
    }

    fn path(&self, name: &str) -> ObjectPath {
        self.prefix.parts().chain(ObjectPath::from(name).parts()).collect()
    }
}

impl Backend for Bucket {
    fn put_new(&self, name: &str, bytes: Vec<u8>) -> Result<PutResult, Cause> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.runtime.block_on(self.objects.put_opts(&self.path(name), bytes.into(), options)) {
            Ok(_) => Ok(PutResult::Written),
            Err(object_store::Error::AlreadyExists { .. }) => Ok(PutResult::Taken),
            Err(error) => Err(error.into()),
        }
    }

    fn replace(&self, name: &str, bytes: Vec<u8>) -> Result<(), Cause> {
        self.runtime.block_on(self.objects.put(&self.path(name), bytes.into()))?;
        Ok(())
    }

    fn copy_from(&self, name: &str, bytes: &mut dyn Read) -> Result<u64, Cause> {
        let upload = self.runtime.block_on(self.objects.put_multipart(&self.path(name)))?;
        let mut parts = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
        let mut buffer = vec![0; PART_BYTES];
        let mut length = 0;
        loop {
            match bytes.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    // Writing starts a task for each full part, so it has to happen inside the runtime; waiting first bounds the memory to
                    // the parts in flight.
                    self.runtime.block_on(parts.wait_for_capacity(PARTS_AT_ONCE))?;
                    self.runtime.block_on(async { parts.write(&buffer[..count]) });
                    length += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    // Parts of an upload that is neither completed nor aborted stay in the bucket, unseen and paid for.
                    self.runtime.block_on(parts.abort())?;
                    return Err(error.into());
                }
            }
        }
        self.runtime.block_on(parts.finish())?;
        Ok(length)
    }

    fn remove(&self, name: &str) -> Result<(), Cause> {
        match self.runtime.block_on(self.objects.delete(&self.path(name))) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, Cause> {
        let path = self.path(name);
        let bytes = self.runtime.block_on(async { self.objects.get(&path).await?.bytes().await });
        match bytes {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn range(&self, name: &str, range: Range<u64>) -> Result<Bytes, Cause> {
        Ok(self.runtime.block_on(self.objects.get_range(&self.path(name), range))?)
    }

    fn length(&self, name: &str) -> Result<u64, Cause> {
        Ok(self.runtime.block_on(self.objects.head(&self.path(name)))?.size)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, Cause> {
        let path = self.path(folder);
        let found = self.runtime.block_on(self.objects.list(Some(&path)).try_collect::<Vec<_>>())?;
        let names = found.iter().filter_map(|object| object.location.prefix_match(&path));
        Ok(names
            .map(|parts| parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/"))
            .collect())
    }

    fn remove_partial(&self) -> Result<(), Cause> {
        Ok(())
    }
}

type Opened = Result<(Objects, ObjectPath), String>;

fn files(place: &str) -> Opened {
    let files = LocalFileSystem::new_with_prefix(place).map_err(|error| error.to_string())?;
    Ok((Arc::new(files), ObjectPath::default()))
}

/// Retries of a request to a bucket, and their pauses, so that an unreachable server fails after seconds.
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
