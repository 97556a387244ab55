//! Weights files, each read once until it changes.

use std::{
    collections::HashMap,
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::SystemTime,
};

use files::LARGEST_FILE;
use network::{Weights, onnx::OnnxNetwork};
use player::BundledNetwork;

use super::weights_summary::WeightsSummary;
use crate::threads::locked;

/// Modification time and length of a file.
pub(super) type Stamp = (SystemTime, u64);

/// The stamp of a file now; `None` if it cannot be examined.
pub(super) fn stamp(file: &Path) -> Option<Stamp> {
    fs::metadata(file).and_then(|data| stamp_of(&data)).ok()
}

fn stamp_of(data: &Metadata) -> io::Result<Stamp> {
    Ok((data.modified()?, data.len()))
}

/// A file's stamp when it was read, and its content.
type Reading = (Stamp, Result<WeightsSummary, String>);

#[derive(Default)]
pub(super) struct WeightsCache {
    files: Mutex<HashMap<PathBuf, Reading>>,
    /// Networks in the program, by name: they have tens of megabytes together, and never change.
    bundled: Mutex<HashMap<&'static str, Result<WeightsSummary, String>>>,
}

impl WeightsCache {
    /// Content of a network in the program.
    pub(super) fn bundled(&self, network: &'static BundledNetwork) -> Result<WeightsSummary, String> {
        let mut read = locked(&self.bundled);
        let known = read.entry(network.name);
        known.or_insert_with(|| WeightsSummary::from_bytes(network.weights, "the bundled network")).clone()
    }

    /// Content of a file, or the reason why it cannot be used.
    pub(super) fn known(&self, file: &Path) -> Result<WeightsSummary, String> {
        let examined = fs::metadata(file).and_then(|data| Ok((data.is_file(), stamp_of(&data)?)));
        let (is_regular, stamp) =
            examined.map_err(|error| format!("cannot look at {}: {error}", file.display()))?;
        // Reading a pipe would wait for its writer forever.
        if !is_regular {
            return Err(format!("{}: expected a regular file", file.display()));
        }
        // Locked while the file is read: a list of a page and another of a second page would otherwise both read the hundreds of
        // megabytes of a network that was just imported.
        let mut read = locked(&self.files);
        if let Some((_, known)) = read.get(file).filter(|(before, _)| *before == stamp) {
            return known.clone();
        }
        let bytes = if OnnxNetwork::is_one(file) {
            files::read_at_most(file, LARGEST_FILE)
                .map_err(|error| format!("cannot read {}: {error}", file.display()))
        } else {
            Weights::read_bytes(file).map_err(|error| error.to_string())
        };
        let known = bytes.and_then(|bytes| WeightsSummary::from_bytes(&bytes, &file.display().to_string()));
        read.insert(file.to_owned(), (stamp, known.clone()));
        known
    }
}

/// Writes a new file into a folder, which is created if missing. Nothing is ever replaced.
pub(super) fn write_new(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let file = folder.join(name);
    match fs::create_dir_all(folder).and_then(|()| files::write_new(&file, bytes)) {
        Ok(true) => Ok(file),
        Ok(false) => Err(format!("{} exists already; give the file another name", file.display())),
        Err(error) => Err(format!("cannot write {}: {error}", file.display())),
    }
}
