//! The folder beside an output in which a resumable command gathers it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::{folder_lock::FolderLock, setup_file};

const SETUP: &str = "setup.json";

/// The folder `OUT.SUFFIX`, with the lock on the output. It holds what was asked for and what has been done so far, and is
/// removed when the output is complete.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    path: PathBuf,
    _lock: FolderLock,
}

impl WorkFolder {
    /// Opens the folder for work under `setup`: a new one, or with `resume` one that was left under the same settings.
    pub(crate) fn open(output: &Path, suffix: &str, setup: &Value, resume: bool) -> Result<Self> {
        let lock = FolderLock::take(output)?;
        let mut path = output.as_os_str().to_owned();
        path.push(".");
        path.push(suffix);
        let path = PathBuf::from(path);
        if output.symlink_metadata().is_ok() {
            // The output gets its name when it is complete; a kill right after that leaves the folder behind.
            let left = if path.exists() {
                format!(", and {} is not needed any more", path.display())
            } else {
                String::new()
            };
            bail!("{} exists already{left}; remove it or choose another name", output.display());
        }
        let known = path.join(SETUP);
        if known.exists() {
            ensure!(
                resume,
                "{} holds work that was interrupted; add --resume to go on with it, or remove the folder",
                path.display()
            );
            setup_file::must_equal(&known, setup)?;
        } else {
            let is_new = path.read_dir().map_or(true, |mut entries| entries.next().is_none());
            ensure!(
                is_new,
                "{} holds files but no {SETUP}, which says how they came about; put that back, or remove the folder",
                path.display()
            );
            std::fs::create_dir_all(&path)
                .with_context(|| format!("cannot make the folder {}", path.display()))?;
            setup_file::write(&known, setup)?;
        }
        Ok(Self { path, _lock: lock })
    }

    /// A file or folder in it.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Removes the folder: the output is complete.
    pub(crate) fn remove(self) -> Result<()> {
        std::fs::remove_dir_all(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn work_goes_on_only_under_the_same_settings() {
        let place = tempfile::tempdir().unwrap();
        let output = place.path().join("out");
        let open = |nodes: u32, resume| {
            WorkFolder::open(&output, "working", &json!({"nodes": nodes}), resume)
                .map_err(|error| format!("{error:#}"))
        };
        let first = open(5, false).unwrap();
        assert!(open(5, true).unwrap_err().contains("another process"));
        std::fs::write(first.join("work"), "half").unwrap();
        drop(first);
        assert!(open(5, false).unwrap_err().contains("add --resume"));
        assert!(open(6, true).unwrap_err().contains("started with nodes = 5, not 6"));
        let again = open(5, true).unwrap();
        assert_eq!(std::fs::read_to_string(again.join("work")).unwrap(), "half");
        drop(again);
        std::fs::remove_file(place.path().join("out.working/setup.json")).unwrap();
        assert!(open(5, true).unwrap_err().contains("holds files but no setup.json"));
        std::fs::remove_file(place.path().join("out.working/work")).unwrap();
        open(5, true).unwrap().remove().unwrap();
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
        std::fs::write(&output, "done").unwrap();
        assert!(open(5, true).unwrap_err().contains("exists already"));
    }
}
