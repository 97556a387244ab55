//! The folder in which a command collects finished work, so that it can resume after a kill.

use std::path::{Path, PathBuf};

use crate::run::FolderKind;
use serde_json::{Map, Value, json};

use crate::{
    FolderLock, Inputs, OutputError, OutputFile, bytes_hash, entries, if_there, read_text, remove_partial,
};

/// The file that says that the output is being given its name.
const PUBLISHED: &str = "published";

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
    /// [`OutputError::Exists`] if the output is there (with [`Begin::Resume`], a leftover work folder of the same work is then
    /// removed, if the work was finished), and those of [`FolderLock::take`] and [`WorkFolder::at`].
    pub fn beside(output: &Path, suffix: &str, setup: &Value, begin: Begin) -> Result<Self, OutputError> {
        let lock = FolderLock::take(output)?;
        let mut path = output.as_os_str().to_owned();
        path.push(".");
        path.push(suffix);
        let path = PathBuf::from(path);
        if output.symlink_metadata().is_ok() {
            // A kill immediately after the output got its name leaves the folder behind. Without its mark the output is somebody
            // else's, and the work is not finished.
            let mut left = path.join(PUBLISHED).exists().then_some(path);
            if let Some(path) = left.take_if(|path| {
                begin == Begin::Resume && expect_setup(&path.join(Self::SETUP), setup).is_ok()
            }) {
                std::fs::remove_dir_all(&path).map_err(OutputError::io("remove", &path))?;
            }
            return Err(OutputError::Exists { output: output.into(), left });
        }
        Self::open(path, lock, None, setup, begin)
    }

    /// The folder `path` of a kind, for work with the settings `setup`. It stays after the command. Files of others in it are ignored.
    ///
    /// # Errors
    /// [`OutputError::OtherKind`] for a folder of another kind, [`OutputError::Begun`] if it contains work and `begin` is
    /// [`Begin::New`], [`OutputError::OtherSetup`], [`OutputError::OtherInput`] or [`OutputError::NoInputs`] if that work was started
    /// differently, [`OutputError::NoSetup`] if its settings were not recorded, and those of [`FolderLock::take`].
    pub fn at(path: &Path, kind: &FolderKind, setup: &Value, begin: Begin) -> Result<Self, OutputError> {
        let lock = FolderLock::take(path)?;
        let mut setup = setup.clone();
        setup[KIND] = kind.name.into();
        Self::open(path.into(), lock, Some(kind), &setup, begin)
    }

    fn open(
        path: PathBuf,
        lock: FolderLock,
        kind: Option<&FolderKind>,
        setup: &Value,
        begin: Begin,
    ) -> Result<Self, OutputError> {
        // A process may have been killed before the setup existed, or while it was rewriting a file.
        remove_partial(&path)?;
        if let Some(kind) = kind {
            expect_kind(&path, kind)?;
        }
        let known = path.join(Self::SETUP);
        let resumed = known.exists();
        if resumed {
            if begin == Begin::New {
                return Err(OutputError::Begun { folder: path });
            }
            expect_setup(&known, setup)?;
            // A kill came before the output had its name.
            let mark = path.join(PUBLISHED);
            if_there(std::fs::remove_file(&mark)).map_err(OutputError::io("remove", &mark))?;
        } else {
            for entry in entries(&path)? {
                let name = entry.file_name().unwrap_or_default().to_string_lossy();
                // A folder of a kind may also hold files of others; without a kind, all of it is the command's work.
                if kind.is_none_or(|kind| kind.signs.contains(&&*name)) {
                    return Err(OutputError::NoSetup { folder: path, file: name.into_owned() });
                }
            }
            write_setup(&path, setup)?;
        }
        Ok(Self { path, resumed, _lock: lock })
    }

    /// True if there may be results of an earlier process.
    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// The hash of the settings as they stand in the folder: what identifies this work in the lines of its journal
    /// ([`crate::Journal::append_hashed`]). Not that of the settings now: an input may be gone when finished work is shown.
    ///
    /// # Errors
    /// [`OutputError::Io`].
    pub fn setup_hash(&self) -> Result<String, OutputError> {
        let path = self.join(Self::SETUP);
        let text = read_text(&path).map_err(OutputError::io("read", &path))?;
        Ok(bytes_hash(text.as_bytes()))
    }

    /// The folder itself, for code that writes to it by its own rules.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file or folder in this folder.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Gives the finished output its name by `publish`, and removes the folder. If a kill comes in between, the next process with
    /// [`Begin::Resume`] removes it.
    ///
    /// # Errors
    /// The errors of `publish`, after which the work may be resumed, and [`OutputError::Io`].
    pub fn publish<T, E: From<OutputError>>(self, publish: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        // The mark comes first. A kill between the output's new name and the removal of the folder leaves both, and without the mark the
        // next process could not tell this finished work from unfinished work next to somebody else's output.
        let mark = self.join(PUBLISHED);
        OutputFile::open(&mark)?.finish("")?;
        let published = publish().inspect_err(|_| {
            // If it stays, the next process removes it before it goes on.
            let _ = std::fs::remove_file(&mark);
        })?;
        std::fs::remove_dir_all(&self.path).map_err(OutputError::io("remove", &self.path))?;
        Ok(published)
    }
}

/// The key of the folder's kind in its settings, and that of its [`Inputs`].
const KIND: &str = "kind";
const INPUTS: &str = "inputs";

/// Makes a folder that of a kind, for a command that keeps its own settings in it. A folder of this kind from an older version, which
/// has no name of its kind, gets one.
///
/// # Errors
/// [`OutputError::OtherKind`] if the folder is of another kind, [`OutputError::BadSetup`], and [`OutputError::Io`].
pub fn claim(folder: &Path, kind: &FolderKind) -> Result<(), OutputError> {
    expect_kind(folder, kind)?;
    if folder.join(WorkFolder::SETUP).exists() {
        Ok(())
    } else {
        write_setup(folder, &json!({KIND: kind.name}))
    }
}

/// The name of a folder's kind, if a command has written it there.
///
/// # Errors
/// [`OutputError::BadSetup`], and [`OutputError::Io`].
pub fn kind_of(folder: &Path) -> Result<Option<String>, OutputError> {
    let path = folder.join(WorkFolder::SETUP);
    let setup = if path.exists() { read_setup(&path)? } else { Map::new() };
    Ok(setup.get(KIND).and_then(Value::as_str).map(str::to_owned))
}

/// Refuses a folder of another kind, by the name in it or, if it has none, by the files in it.
///
/// # Errors
/// [`OutputError::OtherKind`], [`OutputError::BadSetup`], and [`OutputError::Io`].
pub fn expect_kind(folder: &Path, kind: &FolderKind) -> Result<(), OutputError> {
    let named = kind_of(folder)?;
    let recognised = FolderKind::RECOGNISED
        .into_iter()
        .find(|known| known.signs.iter().any(|sign| folder.join(sign).exists()));
    let is_other = match &named {
        Some(name) => name != kind.name,
        None => recognised.is_some_and(|known| known.signs != kind.signs),
    };
    if !is_other {
        return Ok(());
    }
    let found = named.or(recognised.map(|known| known.name.to_owned())).unwrap_or_default();
    Err(OutputError::OtherKind { folder: folder.into(), found, expected: kind.name })
}

fn write_setup(folder: &Path, setup: &Value) -> Result<(), OutputError> {
    std::fs::create_dir_all(folder).map_err(OutputError::io("make the folder", folder))?;
    OutputFile::open(&folder.join(WorkFolder::SETUP))?.finish(format!("{setup:#}"))
}

fn read_setup(path: &Path) -> Result<Map<String, Value>, OutputError> {
    let text = read_text(path).map_err(OutputError::io("read", path))?;
    match serde_json::from_str(&text).map_err(|error| bad_setup(path, error.to_string()))? {
        Value::Object(setup) => Ok(setup),
        _ => Err(bad_setup(path, "another value")),
    }
}

fn bad_setup(path: &Path, found: impl Into<String>) -> OutputError {
    OutputError::BadSetup { path: path.into(), found: found.into() }
}

/// Compares the settings in the file `path` with those of a command that resumes, and then its inputs: a player of another name is
/// another setting, not an input that was replaced.
fn expect_setup(path: &Path, setup: &Value) -> Result<(), OutputError> {
    let folder = path.parent().unwrap_or(path);
    let before = read_setup(path)?;
    let now = setup.as_object().ok_or_else(|| bad_setup(path, "another value"))?;
    if now.contains_key(INPUTS) && !before.contains_key(INPUTS) {
        return Err(OutputError::NoInputs { place: folder.into() });
    }
    for key in before.keys().chain(now.keys()).filter(|&key| key != INPUTS) {
        let (old, new) = (before.get(key).unwrap_or(&Value::Null), now.get(key).unwrap_or(&Value::Null));
        if old != new {
            return Err(OutputError::OtherSetup {
                folder: folder.into(),
                setting: key.clone(),
                before: old.to_string(),
                now: new.to_string(),
            });
        }
    }
    inputs_of(now, path)?.expect_same(&inputs_of(&before, path)?, folder)
}

/// The inputs in some settings, which may have none; `path` is the file that errors name.
fn inputs_of(setup: &Map<String, Value>, path: &Path) -> Result<Inputs, OutputError> {
    let Some(inputs) = setup.get(INPUTS) else { return Ok(Inputs::default()) };
    serde_json::from_value(inputs.clone()).map_err(|error| bad_setup(path, error.to_string()))
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
        let full = || Err(OutputError::Nameless { path: "a full disk".into() });
        let refused: Result<(), OutputError> = open(5, Resume).unwrap().publish(full);
        assert!(refused.unwrap_err().to_string().contains("a full disk"));
        open(5, Resume)
            .unwrap()
            .publish(|| std::fs::write(&output, "done").map_err(OutputError::io("write", &output)))
            .unwrap();
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1);
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
        std::fs::write(&output, "somebody else's").unwrap();
        // Unfinished work was deleted when a file of the output's name had appeared.
        assert!(!open(5, Resume).contains("is no longer needed"));
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 2);
        std::fs::write(place.path().join("out.working").join(PUBLISHED), "").unwrap();
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
        let open = |begin| WorkFolder::at(place.path(), &FolderKind::MATCH, &json!({"games": 2}), begin);
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
        let error =
            WorkFolder::at(&file, &FolderKind::MATCH, &json!({}), Begin::New).unwrap_err().to_string();
        assert!(error.contains("cannot list"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    }

    /// A training run lost its log to self-play in the same folder.
    #[test]
    fn a_folder_of_another_kind_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("x");
        let at = |kind, begin| WorkFolder::at(&folder, kind, &json!({"inputs": {}}), begin).map(drop);
        let refused = |done: Result<(), OutputError>| done.unwrap_err().to_string();
        claim(&folder, &FolderKind::TRAINING).unwrap();
        claim(&folder, &FolderKind::TRAINING).unwrap();
        for message in [
            refused(at(&FolderKind::SELF_PLAY, Resume)),
            refused(at(&FolderKind::MATCH, New)),
            refused(claim(&folder, &FolderKind::REINFORCE)),
        ] {
            assert!(message.contains("found a training run, expected a"), "{message}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
        at(&FolderKind::LADDER, New).unwrap();
        assert!(refused(at(&FolderKind::MATCH, Resume)).contains("found a ladder"));
        at(&FolderKind::LADDER, Resume).unwrap();
    }

    #[test]
    fn folders_of_older_versions_are_known_by_their_files() {
        let place = tempfile::tempdir().unwrap();
        let folder = |name: &str| place.path().join(name);
        for (name, sign) in
            [("run", "checkpoints"), ("store", crate::run::MANIFEST), ("match", "games.jsonl")]
        {
            std::fs::create_dir(folder(name)).unwrap();
            std::fs::write(folder(name).join(sign), "").unwrap();
        }
        claim(&folder("run"), &FolderKind::TRAINING).unwrap();
        let of_others =
            [("run", &FolderKind::LADDER), ("store", &FolderKind::MATCH), ("match", &FolderKind::TRAINING)];
        for (name, kind) in of_others {
            let error = claim(&folder(name), kind).unwrap_err();
            assert!(matches!(error, OutputError::OtherKind { .. }), "{name}: {error}");
        }
        std::fs::write(folder("match").join(WorkFolder::SETUP), "{\"games\": 2}").unwrap();
        let setup = json!({"games": 2, "inputs": {"openings o": [["hash", "1"]]}});
        let error = WorkFolder::at(&folder("match"), &FolderKind::MATCH, &setup, Resume).unwrap_err();
        assert!(matches!(error, OutputError::NoInputs { .. }), "{error}");
    }

    #[test]
    fn work_does_not_go_on_with_another_input_of_the_same_name() {
        let place = tempfile::tempdir().unwrap();
        let at = |hash: &str, begin| {
            let setup =
                json!({"inputs": Inputs::default().with("openings o", vec![("hash".into(), hash.into())])});
            WorkFolder::at(place.path(), &FolderKind::MATCH, &setup, begin).map(drop)
        };
        at("1", New).unwrap();
        at("1", Resume).unwrap();
        let error = at("2", Resume).unwrap_err().to_string();
        assert!(error.contains("openings o is not the one") && error.contains("was 1, now 2"), "{error}");
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
