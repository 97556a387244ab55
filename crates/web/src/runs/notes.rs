//! Notes about a run: a text file in its folder, the only file there that the page writes.

use std::{fs, path::Path};

use super::{folder::read_file, path::run_folder};
use crate::error::ApiError;

const NOTES: &str = "notes.txt";
/// Longest notes, bytes.
pub(crate) const LONGEST: usize = 16 << 10;

/// The notes of a run; empty if there are none.
pub(super) fn read(folder: &Path) -> Result<String, ApiError> {
    Ok(read_file(folder, NOTES)?.unwrap_or_default())
}

/// Replaces the notes of a run; empty ones are removed.
pub(crate) fn write_notes(runs: &Path, name: &str, text: &str) -> Result<(), ApiError> {
    let folder = run_folder(runs, name)?;
    if text.len() > LONGEST {
        let message = format!("notes: found {} bytes, expected at most {LONGEST}", text.len());
        return Err(ApiError::invalid("invalid_notes", message));
    }
    let path = folder.join(NOTES);
    let written = if text.trim().is_empty() {
        files::if_there(fs::remove_file(&path)).map(drop)
    } else {
        files::write(&path, text)
    };
    written.map_err(|error| ApiError::failed(format!("cannot write {}: {error}", path.display())))
}
