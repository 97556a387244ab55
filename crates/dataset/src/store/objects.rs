//! The files of a store for programs that read Parquet on their own.

use super::{Place, Store};
use crate::{
    DatasetError,
    storage::{self, Objects},
};

impl Store {
    /// The files of the store by their names in the manifest.
    ///
    /// # Errors
    /// [`DatasetError::Storage`].
    pub fn objects(&self) -> Result<Objects, DatasetError> {
        // Both splits lie in the same place. Connections belong to the runtime that opened them, so a bucket is opened again.
        Ok(match &self.train.place {
            Place::Folder(folder) => storage::objects(&folder.display().to_string())?,
            Place::Bucket(storage) => storage::objects(storage.place())?,
        })
    }
}
