//! Files and stores from which a store was made.

use serde::{Deserialize, Serialize};

use super::SampleSettings;

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// Path of the file, as given.
    pub path: String,
    /// Size on disk in bytes.
    pub bytes: u64,
    /// XXH3-128 of the file's bytes, hexadecimal.
    pub xxh3: String,
    /// Records read from it, broken ones included.
    pub games: u64,
    /// Samples made from its records, including those left out as leaks.
    pub positions: u64,
}

/// A store that became part of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergedStore {
    /// Path of the store, as given.
    pub path: String,
    /// [`crate::Store::hash`] of the store.
    pub hash: String,
    /// Selection of its samples.
    pub settings: SampleSettings,
}
