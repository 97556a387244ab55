//! Training runs and results on disk; only notes about a run are written.

mod curves;
mod folder;
mod latest_game;
mod log_end;
mod probes;
mod results;
mod selfplay;
mod watchers;

use std::{
    fs,
    path::{Path, PathBuf},
};

use files::if_there;

use crate::error::ApiError;

pub(crate) use curves::Curves;
pub(crate) use folder::{RunDetail, RunStatus, RunSummary, find, list};
pub(crate) use latest_game::{LatestGame, latest_game};
pub(crate) use probes::{ProbeMoment, probes};
pub(crate) use results::{ResultSummary, pgn, results, stamps};
pub(crate) use watchers::Watchers;

/// False for names with separators or leading dots, which lead elsewhere.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|letter| letter.is_alphanumeric() || "-_.+ @".contains(letter))
}

/// The folder of a run; an error if there is none of this name.
fn run_folder(runs: &Path, name: &str) -> Result<PathBuf, ApiError> {
    let folder = runs.join(name);
    if is_plain(name) && folder.is_dir() { Ok(folder) } else { Err(ApiError::missing("run", name)) }
}

/// A text file of a run; `None` if the run has not written it.
fn read_file(folder: &Path, file: &str) -> Result<Option<String>, ApiError> {
    let path = folder.join(file);
    if_there(files::read_text(&path))
        .map_err(|error| ApiError::failed(format!("cannot read {}: {error}", path.display())))
}

/// Notes about a run: the only file in its folder that the page writes.
const NOTES: &str = "notes.txt";
/// Longest notes, bytes.
const LONGEST_NOTES: usize = 16 << 10;

/// The notes of a run; empty if there are none.
fn read_notes(folder: &Path) -> Result<String, ApiError> {
    Ok(read_file(folder, NOTES)?.unwrap_or_default())
}

/// Replaces the notes of a run; empty ones are removed.
pub(crate) fn write_notes(runs: &Path, name: &str, text: &str) -> Result<(), ApiError> {
    let folder = run_folder(runs, name)?;
    if text.len() > LONGEST_NOTES {
        let message = format!("notes: found {} bytes, expected at most {LONGEST_NOTES}", text.len());
        return Err(ApiError::invalid("invalid_notes", message));
    }
    let path = folder.join(NOTES);
    let written = if text.trim().is_empty() {
        if_there(fs::remove_file(&path)).map(drop)
    } else {
        files::write(&path, text)
    };
    written.map_err(|error| ApiError::failed(format!("cannot write {}: {error}", path.display())))
}

/// Reasons why files of a run are unreadable, gathered so that one of them hides neither the run nor the others.
#[derive(Default)]
struct Problems(Vec<String>);

impl Problems {
    /// The value that was read; records the reason if there is none.
    fn note<T>(&mut self, read: Result<T, impl Into<ApiError>>) -> Option<T> {
        read.map_err(|error| self.add(Some(error.into().refusal.message))).ok()
    }

    /// Adds a reason, only once if several readers of a file found the same.
    fn add(&mut self, problem: Option<String>) {
        self.0.extend(problem.filter(|problem| !self.0.contains(problem)));
    }

    /// All reasons; `None` if everything could be read.
    fn text(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_no_runs() {
        let parent = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(parent.path().join("runs/mini")).unwrap();
        std::fs::create_dir(parent.path().join("other")).unwrap();
        let runs = parent.path().join("runs");
        assert!(run_folder(&runs, "mini").is_ok());
        for name in ["", ".", "..", "../other", "/etc", "mini/../../other", "..%2fother"] {
            assert!(run_folder(&runs, name).is_err(), "{name}");
        }
    }
}
