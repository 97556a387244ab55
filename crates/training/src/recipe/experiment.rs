//! The store of an experiment's recipe, given either as a path or in a section with its sources.

use std::{fmt, path::PathBuf};

use serde::{
    Deserializer,
    de::{Error, IgnoredAny, MapAccess, Visitor},
};

/// Reads `data = "PATH"` or a table with `store = "PATH"`; the table's other keys are checked by the code that builds
/// the store.
pub(super) fn store<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    deserializer.deserialize_any(Store)
}

struct Store;

impl<'de> Visitor<'de> for Store {
    type Value = PathBuf;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the path of a store, or a section with the key `store`")
    }

    fn visit_str<E: Error>(self, path: &str) -> Result<PathBuf, E> {
        Ok(path.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut section: A) -> Result<PathBuf, A::Error> {
        let mut store = None;
        while let Some(key) = section.next_key::<String>()? {
            if key == "store" {
                store = Some(section.next_value()?);
            } else {
                section.next_value::<IgnoredAny>()?;
            }
        }
        store.ok_or_else(|| A::Error::missing_field("store"))
    }
}
