//! The engines, inputs and Parquet files that a manifest lists.

use serde::{Deserialize, Serialize};

use super::SampleSettings;

/// An engine that gave labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Its name with its version, such as `Stockfish 15.1`.
    pub name: String,
    /// Limits of its searches, such as `nodes 3000, multipv 4`; empty if not known.
    pub limits: String,
}

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
