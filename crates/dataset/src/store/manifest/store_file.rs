//! Parquet files of a store.

use serde::{Deserialize, Serialize};

/// A Parquet file of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreFile {
    /// Its name in the store's directory.
    pub name: String,
    /// Samples in it, one a row.
    pub rows: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// XXH3-128 of the file's bytes, hexadecimal.
    pub xxh3: String,
    /// Its parts: a row group each, then the footer. Each is compared when it is read.
    pub parts: Vec<FilePart>,
}

/// A part of a Parquet file, which begins where the one before it ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePart {
    /// Length of the part in bytes.
    pub bytes: u64,
    /// XXH3-64 of the part's bytes, hexadecimal.
    pub xxh3: String,
}
