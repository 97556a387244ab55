//! `manifest.json`: contents and origin of a sample store. Written last, so that a folder without it is not a store.

mod counts;
mod entries;
mod sample_settings;

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::place::Place;
use crate::DatasetError;

pub use counts::Counts;
pub use entries::{Engine, FilePart, MergedStore, SourceFile, StoreFile};
pub use sample_settings::SampleSettings;

/// First field of every manifest; never reused for something else.
pub const FORMAT: &str = "tabiya-samples";

/// Version of the columns and of the manifest; others are refused.
pub const VERSION: u32 = super::schema::VERSION;

/// A version that was never released.
const UNRELEASED: u32 = 1;

/// Contents and origin of a sample store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Format of the file: always [`FORMAT`].
    pub format: String,
    /// Version of the columns: always [`VERSION`].
    pub version: u32,
    /// Version of Tabiya that built the store.
    pub tabiya: String,
    /// Positions kept with each sample, the sample's own included; 1 = no history.
    pub history: usize,
    /// Selection of the samples.
    pub settings: SampleSettings,
    /// Engines that gave labels; a sample's `engine` is an index into this list. Since version 2.
    #[serde(default)]
    pub engines: Vec<Engine>,
    /// Files that were read; a sample's `source` is an index into this list.
    pub sources: Vec<SourceFile>,
    /// The stores it was composed from, in order; empty for a store built from other files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedStore>,
    /// The SQL that selected its rows from these stores; `None` if all rows were copied unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Numbers of records and samples.
    pub counts: Counts,
    /// Files of the training split, in order.
    pub train: Vec<StoreFile>,
    /// Files of the validation split, in order.
    pub validation: Vec<StoreFile>,
}

impl Manifest {
    /// Reads the manifest of a store.
    ///
    /// # Errors
    /// [`DatasetError`] when it is missing or not of this format and version.
    pub fn read(store: &Path) -> Result<Self, DatasetError> {
        Self::read_from(&Place::of(store)?)
    }

    pub(super) fn read_from(store: &Place) -> Result<Self, DatasetError> {
        Ok(Self::with_text(store)?.0)
    }

    /// The manifest and the bytes of its file as text.
    pub(super) fn with_text(store: &Place) -> Result<(Self, String), DatasetError> {
        let path = store.path(files::run::MANIFEST);
        let bytes = store.whole(files::run::MANIFEST)?.ok_or_else(|| DatasetError::BadStore {
            path: store.path(""),
            found: format!("no {}", files::run::MANIFEST),
            expected: "a directory made by `tabiya data build`".into(),
        })?;
        let bad =
            |found: String, expected: String| DatasetError::BadStore { path: path.clone(), found, expected };
        let text = String::from_utf8(bytes)
            .map_err(|error| bad(format!("no manifest ({error})"), format!("format {FORMAT:?}")))?;
        // Format and version first: other versions may have other fields.
        let header: Header = serde_json::from_str(&text)
            .map_err(|error| bad(format!("no manifest ({error})"), format!("format {FORMAT:?}")))?;
        let found = format!("format {:?} version {}", header.format, header.version);
        if header.format == FORMAT && header.version == UNRELEASED {
            let advice = "made by an unreleased version; build it again";
            return Err(bad(found, format!("version {VERSION} ({advice})")));
        }
        if header.format != FORMAT || header.version != VERSION {
            return Err(bad(found, format!("{FORMAT:?} version {VERSION}")));
        }
        let manifest = serde_json::from_str(&text)
            .map_err(|error| bad(error.to_string(), format!("a manifest of version {}", header.version)))?;
        Ok((manifest, text))
    }

    /// XXH3-128, hexadecimal, of what training reads: the hashes of the data files and the engines of their
    /// labels. Paths of sources are excluded, so the same games give the same hash on every machine.
    ///
    /// # Panics
    /// Never: numbers and text always become JSON.
    pub fn content_hash(&self) -> String {
        let read = (self.version, self.history, &self.engines, &self.train, &self.validation);
        let text = serde_json::to_vec(&read).expect("numbers and text become JSON");
        format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&text))
    }
}

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}
