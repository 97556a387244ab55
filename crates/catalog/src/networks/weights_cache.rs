//! Weights files, each read once until it changes.

use std::{
    collections::HashMap,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use network::Weights;

use super::weights_summary::WeightsSummary;

/// Modification time and length of a file.
type Stamp = (SystemTime, u64);

/// A file as it was, and what it held.
type Reading = (Stamp, Result<WeightsSummary, String>);

#[derive(Default)]
pub(super) struct WeightsCache(Mutex<HashMap<PathBuf, Reading>>);

impl WeightsCache {
    /// Content of a file, or the reason why it cannot be used.
    pub(super) fn known(&self, file: &Path) -> Result<WeightsSummary, String> {
        let unreadable = |error: std::io::Error| format!("{}: {error}", file.display());
        let data = fs::metadata(file).map_err(unreadable)?;
        // Reading a pipe would wait for its writer for ever.
        if !data.is_file() {
            return Err(format!("{}: expected a regular file", file.display()));
        }
        let stamp = (data.modified().map_err(unreadable)?, data.len());
        let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = read.get(file).filter(|(before, _)| *before == stamp) {
            return known.clone();
        }
        let known = Weights::read_bytes(file)
            .map_err(|error| error.to_string())
            .and_then(|bytes| WeightsSummary::from_bytes(&bytes, &file.display().to_string()));
        read.insert(file.to_owned(), (stamp, known.clone()));
        known
    }
}

/// Writes a new file into a folder, which is made if missing. Nothing is ever replaced.
pub(super) fn write_new(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let file = folder.join(name);
    let failed = |error: std::io::Error| format!("cannot write {}: {error}", file.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let mut opened = match fs::File::options().write(true).create_new(true).open(&file) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(format!("{} exists already; give the file another name", file.display()));
        }
        opened => opened.map_err(failed)?,
    };
    if let Err(error) = opened.write_all(bytes).and_then(|()| opened.sync_all()) {
        // What is half written must not be taken for a network; that it cannot be removed adds nothing to the error.
        let _ = fs::remove_file(&file);
        return Err(failed(error));
    }
    Ok(file)
}
