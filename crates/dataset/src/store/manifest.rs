//! `manifest.json`: contents and origin of a sample store. Written last, so that a folder without it is not a store.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};

use super::place::Place;
use crate::{
    DatasetError,
    bad_record::{BadReason, LeftOut, PositionRules, reasons_text},
    filter::Filters,
    record::LabelDoubts,
};

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
        let Some(bytes) = store.whole(files::run::MANIFEST)? else {
            let found = format!("no {}", files::run::MANIFEST);
            let expected = "a directory made by `tabiya data build`";
            return Err(DatasetError::bad_store(&store.path(""), found, expected));
        };
        let text = String::from_utf8(bytes).map_err(|error| no_manifest(&path, &error))?;
        // Format and version first: other versions may have other fields.
        let header: Header = serde_json::from_str(&text).map_err(|error| no_manifest(&path, &error))?;
        let found = format!("format {:?} version {}", header.format, header.version);
        if header.format == FORMAT && header.version == UNRELEASED {
            let expected = format!("version {VERSION} (made by an unreleased version; build it again)");
            return Err(DatasetError::bad_store(&path, found, expected));
        }
        if header.format != FORMAT || header.version != VERSION {
            return Err(DatasetError::bad_store(&path, found, format!("{FORMAT:?} version {VERSION}")));
        }
        let manifest: Self = serde_json::from_str(&text).map_err(|error| {
            let expected = format!("a manifest of version {}", header.version);
            DatasetError::bad_store(&path, error.to_string(), expected)
        })?;
        // A store of somebody else must not lead to files outside of it.
        let mut data = manifest.train.iter().chain(&manifest.validation);
        if let Some(file) = data.find(|file| !files::is_name(Path::new(&file.name))) {
            let found = format!("the data file {:?}", file.name);
            return Err(DatasetError::bad_store(&path, found, "the name of a file in the store"));
        }
        Ok((manifest, text))
    }

    /// XXH3-128, hexadecimal, of what training reads: the hashes of the data files and the engines of their
    /// labels. Paths of sources are excluded, so the same games give the same hash on every machine.
    ///
    /// # Panics
    /// Never: numbers and text always become JSON.
    pub fn content_hash(&self) -> String {
        // The JSON of these fields is hashed, so their names and order are part of the hash: a change would give every store another one,
        // and runs that compare it on resuming would refuse their own data.
        let read = (self.version, self.history, &self.engines, &self.train, &self.validation);
        let text = serde_json::to_vec(&read).expect("numbers and text become JSON");
        files::bytes_hash(&text)
    }
}

fn no_manifest(path: &Path, error: &dyn std::error::Error) -> DatasetError {
    DatasetError::bad_store(path, format!("no manifest ({error})"), format!("format {FORMAT:?}"))
}

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// Counts of the records read: games, or positions that are part of no game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Records read, broken ones included.
    pub games_read: u64,
    /// Number of broken records, by reason.
    pub rejected: BTreeMap<BadReason, u64>,
    /// Number of labels of games that were left out, by reason.
    #[serde(default, skip_serializing_if = "LabelDoubts::is_empty")]
    pub doubts: LabelDoubts,
    /// Records dropped because they were read before.
    pub duplicates: u64,
    /// Records that the filters removed, or left no sample of.
    pub filtered: u64,
    /// The same records by reason; empty in stores of versions that did not count them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Samples of games left out because their position was stored often enough.
    #[serde(default)]
    pub repeats: u64,
    /// Validation samples left out because their position is also trained on.
    #[serde(default)]
    pub leaks: u64,
    /// Records with at least one sample.
    pub games: u64,
    /// Records of the validation split.
    pub validation_games: u64,
    /// Number of samples of both splits.
    pub positions: u64,
    /// Samples of the validation split.
    pub validation_positions: u64,
}

impl Counts {
    /// Adds the counts of another store.
    pub(crate) fn add(&mut self, other: &Self) {
        self.games_read += other.games_read;
        for (&reason, count) in &other.rejected {
            *self.rejected.entry(reason).or_default() += count;
        }
        self.doubts.add(&other.doubts);
        self.duplicates += other.duplicates;
        self.filtered += other.filtered;
        for (&reason, count) in &other.left_out {
            *self.left_out.entry(reason).or_default() += count;
        }
        self.repeats += other.repeats;
        self.leaks += other.leaks;
        self.games += other.games;
        self.validation_games += other.validation_games;
        self.positions += other.positions;
        self.validation_positions += other.validation_positions;
    }

    /// Counts a record that the filters removed, or left no sample of.
    pub(crate) fn leave_out(&mut self, reason: LeftOut) {
        self.filtered += 1;
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// The records that were left out by reason, with what to do about each; empty if none were.
    pub fn left_out_text(&self) -> String {
        reasons_text(&self.left_out)
    }

    /// Number of broken records, for any reason.
    pub fn rejected_total(&self) -> u64 {
        self.rejected.values().sum()
    }
}

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

/// Settings that select the samples of a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleSettings {
    /// Share of the games, or of the positions that are part of no game, in the validation split.
    pub validation_share: f64,
    /// True if repeated games were dropped.
    pub deduplicated: bool,
    /// Seed of the choice of samples within a game.
    pub seed: u64,
    /// Conditions on games and positions.
    pub filters: Filters,
    /// Most samples of a position that the games of a store may hold; none = as often as it occurs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_repeats: Option<u8>,
    /// True if validation samples whose position also occurs in the training split were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_leaks: bool,
    /// Treatment of positions that break the rules of chess.
    #[serde(default, skip_serializing_if = "is_strict")]
    pub rules: PositionRules,
    /// Weight of the later positions in evaluations smoothed along their games; 0 if none are stored.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub smoothing: f32,
    /// Share of the positions that were replaced by the one after a random legal move.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub random_moves: f32,
    /// True if the positions after the lines of each position were stored too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_lines: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &f32) -> bool {
    *number == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_strict(rules: &PositionRules) -> bool {
    *rules == PositionRules::Strict
}
