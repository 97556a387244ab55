//! The files of the stores that a plan names, for a process that gets the plan from elsewhere.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use datafusion::{common::exec_err, error::Result, execution::object_store::ObjectStoreRegistry};
use dataset::storage::{self, Objects};
use url::Url;

use crate::addresses::store_at;

/// Opens stores when a plan first names them.
#[derive(Debug, Default)]
pub(super) struct NamedStores {
    opened: Mutex<HashMap<String, Objects>>,
}

impl ObjectStoreRegistry for NamedStores {
    fn register_store(&self, url: &Url, store: Objects) -> Option<Objects> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.insert(store_at(url)?, store)
    }

    fn get_store(&self, url: &Url) -> Result<Objects> {
        let Some(store) = store_at(url) else {
            return exec_err!("found {url} in a plan, expected the address of a store");
        };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(objects) = opened.get(&store) {
            return Ok(Arc::clone(objects));
        }
        match storage::objects(&store) {
            Ok(objects) => {
                opened.insert(store, Arc::clone(&objects));
                Ok(objects)
            }
            Err(error) => exec_err!(
                "an executor cannot read the store: {error}; every machine must see it under the same path"
            ),
        }
    }
}
