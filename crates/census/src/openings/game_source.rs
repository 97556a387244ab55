//! Games in the folders of a shelf, from which tables can be made.

use std::{fs::Metadata, path::Path};

use files::{OutputError, entries, if_there};

use crate::openings::{ExplorerError, TableInput};

/// Depth to which folders are searched for sources.
pub(crate) const DEPTH: usize = 3;
/// Endings of files that may have games, compressed or not; `bin` is a book.
const ENDINGS: &[&str] = &["pgn", "bin", "pgn.gz", "pgn.bz2", "pgn.zst", "zip"];

/// Something that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSource {
    /// Name in requests: the path below the folder in which the source was found.
    pub name: String,
    /// Its length; 0 for a store.
    pub bytes: u64,
    pub(crate) inputs: Vec<TableInput>,
}

/// Sources in a folder and below it; hidden files and folders are left out.
pub(crate) fn find(
    root: &Path,
    folder: &Path,
    depth: usize,
    found: &mut Vec<GameSource>,
) -> Result<(), ExplorerError> {
    for path in entries(folder)? {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if file.starts_with('.') {
            continue;
        }
        let is_store = path.join(files::run::MANIFEST).is_file();
        let lower_case = file.to_lowercase();
        let is_known = ENDINGS.iter().any(|ending| lower_case.ends_with(&format!(".{ending}")));
        if is_store || (is_known && path.is_file()) {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            found.push(GameSource { name, bytes: bytes_of(&path)?, inputs: vec![TableInput::of(&path)] });
        } else if path.is_dir() && depth > 1 {
            find(root, &path, depth - 1, found)?;
        }
    }
    Ok(())
}

/// The games of a folder as one source; `None` if it has no games.
pub(crate) fn gathered(name: &str, folder: &Path) -> Result<Option<GameSource>, ExplorerError> {
    let mut files = entries(folder)?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "pgn"));
    let bytes = files.iter().map(|file| bytes_of(file)).sum::<Result<u64, _>>()?;
    let inputs: Vec<TableInput> = files.iter().map(|file| TableInput::of(file)).collect();
    Ok((!inputs.is_empty()).then(|| GameSource { name: name.into(), bytes, inputs }))
}

/// Length of a file; 0 for a folder, and for a file that was removed since it was listed.
fn bytes_of(path: &Path) -> Result<u64, ExplorerError> {
    let data = if_there(path.metadata()).map_err(OutputError::io("look at", path))?;
    Ok(data.filter(Metadata::is_file).map_or(0, |data| data.len()))
}
