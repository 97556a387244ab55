//! The folder in which a command collects finished work, so that it can resume after a kill.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{FolderLock, OutputError, OutputFile, entries, read_text, remove_partial};

/// The treatment of earlier work in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// The command starts, and refuses a folder with work.
    New,
    /// The command continues, or starts if there is no work yet.
    Resume,
}

impl Begin {
    /// The variant for the flag `--resume`, which is given or not.
    pub fn from_flag(resume: bool) -> Self {
        if resume { Self::Resume } else { Self::New }
    }
}

/// A locked folder with a command's finished work and its settings in `setup.json`.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    resumed: bool,
    _lock: FolderLock,
}

impl WorkFolder {
    /// The file with the settings. It exists as soon as there is something to resume.
    pub const SETUP: &str = "setup.json";

    /// The folder `OUTPUT.SUFFIX` for work with the settings `setup`: a new one or, with [`Begin::Resume`], one that was left
    /// with the same settings. The lock is that of the output, which appears when it is complete.
    ///
    /// # Errors
    /// [`OutputError::Exists`] if the output is complete (with [`Begin::Resume`], a leftover work folder of the same work is
    /// then removed), and those of [`FolderLock::take`] and [`WorkFolder::at`].
    pub fn beside(output: &Path, suffix: &str, setup: &Value, begin: Begin) -> Result<Self, OutputError> {
        let lock = FolderLock::take(output)?;
        let mut path = output.as_os_str().to_owned();
        path.push(".");
        path.push(suffix);
        let path = PathBuf::from(path);
        if output.symlink_metadata().is_ok() {
            // The output gets its name when it is complete; a kill immediately after that leaves the folder behind.
            let mut left = path.exists().then_some(path);
            if let Some(path) = left.take_if(|path| {
                begin == Begin::Resume && expect_setup(&path.join(Self::SETUP), setup).is_ok()
            }) {
                std::fs::remove_dir_all(&path).map_err(OutputError::io("remove", &path))?;
            }
            return Err(OutputError::Exists { output: output.into(), left });
        }
        Self::open(path, lock, |_| true, setup, begin)
    }

    /// The folder `path` for work with the settings `setup`. It stays after the command. Files in it other than
    /// `results` are ignored.
    ///
    /// # Errors
    /// [`OutputError::Begun`] if it contains work and `begin` is [`Begin::New`], [`OutputError::OtherSetup`] if that work was
    /// started with other settings, [`OutputError::NoSetup`] if its settings were not recorded, and those of
    /// [`FolderLock::take`].
    pub fn at(path: &Path, results: &[&str], setup: &Value, begin: Begin) -> Result<Self, OutputError> {
        let lock = FolderLock::take(path)?;
        Self::open(path.into(), lock, |name| results.contains(&name), setup, begin)
    }

    fn open(
        path: PathBuf,
        lock: FolderLock,
        is_result: impl Fn(&str) -> bool,
        setup: &Value,
        begin: Begin,
    ) -> Result<Self, OutputError> {
        // A process may have been killed before the setup existed, or while it was rewriting a file.
        remove_partial(&path)?;
        let known = path.join(Self::SETUP);
        let resumed = known.exists();
        if resumed {
            if begin == Begin::New {
                return Err(OutputError::Begun { folder: path });
            }
            expect_setup(&known, setup)?;
        } else {
            let mut names = entries(&path)?
                .into_iter()
                .filter_map(|entry| entry.file_name().map(|name| name.to_string_lossy().into_owned()));
            if let Some(file) = names.find(|name| is_result(name)) {
                return Err(OutputError::NoSetup { folder: path, file });
            }
            std::fs::create_dir_all(&path).map_err(OutputError::io("make the folder", &path))?;
            write_setup(&known, setup)?;
        }
        Ok(Self { path, resumed, _lock: lock })
    }

    /// True if there may be results of an earlier process.
    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// The folder itself, for code that writes to it by its own rules.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file or folder in this folder.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Removes the folder, because the output is complete.
    ///
    /// # Errors
    /// [`OutputError::Io`].
    pub fn remove(self) -> Result<(), OutputError> {
        std::fs::remove_dir_all(&self.path).map_err(OutputError::io("remove", &self.path))
    }
}

/// Writes the settings of a command that starts.
///
/// # Errors
/// [`OutputError::Io`].
pub fn write_setup(path: &Path, setup: &Value) -> Result<(), OutputError> {
    OutputFile::open(path)?.finish(format!("{setup:#}"))
}

/// Compares the settings in the file `path` with those of a command that resumes.
///
/// # Errors
/// [`OutputError::OtherSetup`] with the first setting that differs, [`OutputError::BadSetup`] for a file without settings.
pub fn expect_setup(path: &Path, setup: &Value) -> Result<(), OutputError> {
    let text = read_text(path).map_err(OutputError::io("read", path))?;
    let bad = |found: String| OutputError::BadSetup { path: path.into(), found };
    let before: Value = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let (Some(before), Some(now)) = (before.as_object(), setup.as_object()) else {
        return Err(bad("another value".into()));
    };
    for key in before.keys().chain(now.keys()) {
        let (old, new) = (before.get(key).unwrap_or(&Value::Null), now.get(key).unwrap_or(&Value::Null));
        if old != new {
            return Err(OutputError::OtherSetup {
                folder: path.parent().unwrap_or(path).into(),
                setting: key.clone(),
                before: old.to_string(),
                now: new.to_string(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{
        Begin::{New, Resume},
        *,
    };

    #[test]
    fn work_goes_on_only_under_the_same_settings() {
        let place = tempfile::tempdir().unwrap();
        let output = place.path().join("out");
        let open = |nodes: u32, begin| {
            WorkFolder::beside(&output, "working", &json!({"nodes": nodes}), begin)
                .map_err(|error| error.to_string())
        };
        let first = open(5, New).unwrap();
        assert!(!first.is_resumed());
        assert!(open(5, Resume).unwrap_err().contains("another process"));
        std::fs::write(first.join("work"), "half").unwrap();
        drop(first);
        assert!(open(5, New).unwrap_err().contains("add --resume"));
        assert!(open(6, Resume).unwrap_err().contains("started with nodes = 5, not 6"));
        let again = open(5, Resume).unwrap();
        assert!(again.is_resumed());
        assert_eq!(std::fs::read_to_string(again.join("work")).unwrap(), "half");
        drop(again);
        std::fs::remove_file(place.path().join("out.working/setup.json")).unwrap();
        assert!(open(5, Resume).unwrap_err().contains("holds work but no setup.json"));
        std::fs::remove_file(place.path().join("out.working/work")).unwrap();
        open(5, Resume).unwrap().remove().unwrap();
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
        std::fs::write(&output, "done").unwrap();
        assert!(open(5, Resume).unwrap_err().contains("exists already"));
    }

    /// A kill between the naming of the output and the removal of the folder left the folder forever.
    #[test]
    fn a_folder_that_is_not_needed_any_more_goes_when_its_work_is_resumed() {
        let place = tempfile::tempdir().unwrap();
        let output = place.path().join("out");
        let open = |nodes: u32, begin| {
            WorkFolder::beside(&output, "working", &json!({"nodes": nodes}), begin).unwrap_err().to_string()
        };
        drop(WorkFolder::beside(&output, "working", &json!({"nodes": 5}), New).unwrap());
        std::fs::write(&output, "done").unwrap();
        for (nodes, begin) in [(5, New), (6, Resume)] {
            assert!(open(nodes, begin).contains("is no longer needed"));
        }
        assert!(!open(5, Resume).contains("is no longer needed"));
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1);
    }

    /// A kill between the creation of the folder and its setup left half a file, because of which the folder was
    /// refused forever.
    #[test]
    fn a_folder_whose_setup_was_cut_off_is_begun_again() {
        let place = tempfile::tempdir().unwrap();
        let output = place.path().join("out");
        let folder = place.path().join("out.working");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(".tabiya-8TPGkX.partial"), "{\"nod").unwrap();
        let begun = WorkFolder::beside(&output, "working", &json!({"nodes": 5}), New).unwrap();
        assert!(!begun.is_resumed());
        let names: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [WorkFolder::SETUP]);
    }

    #[test]
    fn a_folder_that_stays_may_hold_files_of_others_but_no_results_without_setup() {
        let place = tempfile::tempdir().unwrap();
        let open = |begin| WorkFolder::at(place.path(), &["games.pgn"], &json!({"games": 2}), begin);
        std::fs::write(place.path().join("notes"), "mine").unwrap();
        std::fs::write(place.path().join("games.pgn"), "").unwrap();
        let error = open(Resume).unwrap_err().to_string();
        assert!(error.contains("holds games.pgn but no setup.json"), "{error}");
        std::fs::remove_file(place.path().join("games.pgn")).unwrap();
        assert!(!open(New).unwrap().is_resumed());
        assert!(matches!(open(New), Err(OutputError::Begun { .. })));
        assert!(open(Resume).unwrap().is_resumed());
        assert_eq!(std::fs::read_to_string(place.path().join("notes")).unwrap(), "mine");
    }

    #[test]
    fn a_folder_that_cannot_be_listed_is_not_an_empty_one() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("games");
        std::fs::write(&file, "mine").unwrap();
        let error = WorkFolder::at(&file, &["games.pgn"], &json!({}), Begin::New).unwrap_err().to_string();
        assert!(error.contains("cannot list"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    }

    proptest! {
        /// Whatever the file contains, the result is an error, or the settings are the requested ones.
        #[test]
        fn any_setup_file_is_compared_or_refused(bytes in any::<Vec<u8>>(), object in "\\{(\"games\": ?[0-9.e]{1,4},?){0,2}\\}") {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().join(WorkFolder::SETUP);
            for content in [bytes.as_slice(), object.as_bytes()] {
                std::fs::write(&path, content).unwrap();
                if expect_setup(&path, &json!({"games": 2})).is_ok() {
                    let read: Value = serde_json::from_slice(content).unwrap();
                    prop_assert_eq!(read, json!({"games": 2}));
                }
            }
        }
    }
}
