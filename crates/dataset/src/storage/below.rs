//! The objects of a bucket below a prefix.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, path::Path, prefix::PrefixStore,
};

/// Objects for callers with their own asynchronous runtime.
pub type Objects = Arc<dyn ObjectStore>;

/// Objects under their names below a prefix.
///
/// `PrefixStore` of object_store 0.13 answers a request for one object with the object's whole name, prefix included,
/// and DataFusion drops an answer with a name other than the requested one. (From 0.14 on it strips the prefix, as it
/// does in lists.)
#[derive(Debug)]
pub(super) struct Below {
    objects: PrefixStore<Objects>,
}

impl Below {
    pub(super) fn new(objects: Objects, prefix: Path) -> Self {
        Self { objects: PrefixStore::new(objects, prefix) }
    }
}

impl fmt::Display for Below {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.objects.fmt(formatter)
    }
}

#[async_trait::async_trait]
impl ObjectStore for Below {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let mut found = self.objects.get_opts(location, options).await?;
        found.meta.location = location.clone();
        Ok(found)
    }

    async fn get_ranges(&self, location: &Path, ranges: &[std::ops::Range<u64>]) -> Result<Vec<Bytes>> {
        self.objects.get_ranges(location, ranges).await
    }

    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.objects.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.objects.put_multipart_opts(location, options).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.objects.delete_stream(locations)
    }

    fn list(&self, folder: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.objects.list(folder)
    }

    async fn list_with_delimiter(&self, folder: Option<&Path>) -> Result<ListResult> {
        self.objects.list_with_delimiter(folder).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.objects.copy_opts(from, to, options).await
    }
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt as _;
    use object_store::{ObjectStoreExt as _, memory::InMemory};

    use super::*;

    #[tokio::test]
    async fn an_object_has_the_name_by_which_it_is_asked_for() {
        let bucket: Objects = Arc::new(InMemory::new());
        bucket.put(&Path::from("stores/masters/train"), "rows".into()).await.unwrap();
        let below = Below::new(Arc::clone(&bucket), Path::from("stores/masters"));
        let name = Path::from("train");
        let found = below.get(&name).await.unwrap();
        assert_eq!(found.meta.location, name);
        assert_eq!(found.bytes().await.unwrap(), "rows");
        let found = below.head(&name).await.unwrap();
        assert_eq!((found.location, found.size), (name.clone(), 4));
        assert_eq!(below.get_ranges(&name, &[1..3, 3..4]).await.unwrap(), ["ow", "s"]);
        let listed: Vec<ObjectMeta> = below.list(None).try_collect().await.unwrap();
        assert_eq!(listed.into_iter().map(|object| object.location).collect::<Vec<_>>(), [name]);
    }

    #[tokio::test]
    async fn what_is_written_and_removed_lies_below_the_prefix() {
        let bucket: Objects = Arc::new(InMemory::new());
        bucket.put(&Path::from("train"), "another".into()).await.unwrap();
        let below = Below::new(Arc::clone(&bucket), Path::from("masters"));
        let (first, second) = (Path::from("train"), Path::from("copy"));
        below.put(&first, "rows".into()).await.unwrap();
        below.copy(&first, &second).await.unwrap();
        assert_eq!(bucket.get(&Path::from("masters/copy")).await.unwrap().bytes().await.unwrap(), "rows");
        below.delete(&first).await.unwrap();
        assert!(matches!(below.head(&first).await, Err(object_store::Error::NotFound { .. })));
        assert_eq!(bucket.head(&Path::from("train")).await.unwrap().size, 7);
    }
}
