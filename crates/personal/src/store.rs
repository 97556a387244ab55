//! The folder of a person's games.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use dataset::DatasetError;
use files::{FolderLock, OutputError, read_text, remove_folder};
use serde::{Deserialize, Serialize};

use crate::PersonalError;

/// The name of the person in the games of a store.
pub(crate) const PERSON: &str = "You";

/// First field of `personal.json`; never reused for something else.
const FORMAT: &str = "tabiya-personal";

/// Version of the layout.
const VERSION: u32 = 1;

const SETTINGS: &str = files::run::PERSONAL;

/// Time for which [`PersonalStore::lock`] waits. Chosen: adding takes milliseconds, deleting and making samples seconds.
const PATIENCE: Duration = Duration::from_secs(5);

const GAMES: &str = "games";

/// A person's games.
#[derive(Clone, Debug)]
pub struct PersonalStore {
    folder: PathBuf,
}

/// Content of `personal.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    format: String,
    version: u32,
    /// True if the page adds the games that are played on it.
    page: bool,
}

impl PersonalStore {
    /// Locks a folder for a program that adds a single game, which nobody adds again: waits a few seconds for another that writes.
    ///
    /// # Errors
    /// The errors of [`FolderLock::wait`].
    pub fn lock(folder: &Path) -> Result<FolderLock, PersonalError> {
        Ok(FolderLock::wait(folder, PATIENCE)?)
    }

    /// True if a folder holds personal games.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(SETTINGS).is_file()
    }

    /// The store in a folder.
    ///
    /// # Errors
    /// [`PersonalError::NoPersonalStore`] if there is none, [`PersonalError::Damaged`] if it has another version.
    pub fn open(folder: &Path) -> Result<Self, PersonalError> {
        if !Self::is_at(folder) {
            return Err(PersonalError::NoPersonalStore { path: folder.into() });
        }
        let store = Self { folder: folder.into() };
        store.settings()?;
        Ok(store)
    }

    /// Opens the store in a folder, or creates it in an empty or missing one. A new store does not collect games by itself.
    ///
    /// # Errors
    /// [`DatasetError::Exists`] if the folder holds something else, and every error of [`PersonalStore::open`].
    pub fn open_or_make(folder: &Path) -> Result<Self, PersonalError> {
        // An earlier `add` may have been killed, even at its first game.
        for written in [folder, folder.join(GAMES).as_path()] {
            files::remove_partial(written)?;
        }
        if Self::is_at(folder) {
            return Self::open(folder);
        }
        fs::create_dir_all(folder).map_err(OutputError::io("create", folder))?;
        // A folder with something else is most likely a mistyped one, and private games do not belong among other files.
        let mut content = fs::read_dir(folder).map_err(OutputError::io("read", folder))?;
        if content.next().is_some() {
            return Err(DatasetError::Exists { path: folder.into() }.into());
        }
        let store = Self { folder: folder.into() };
        store.write_settings(&Settings { format: FORMAT.into(), version: VERSION, page: false })?;
        Ok(store)
    }

    /// Path of the folder, as given.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns true if the page adds the games that are played on it.
    ///
    /// # Errors
    /// [`PersonalError::Damaged`] if `personal.json` is damaged.
    pub fn collects_from_page(&self) -> Result<bool, PersonalError> {
        Ok(self.settings()?.page)
    }

    /// Sets whether the page may add games.
    ///
    /// # Errors
    /// [`PersonalError::Output`] if the choice cannot be written.
    pub fn collect_from_page(&self, wanted: bool) -> Result<(), PersonalError> {
        self.write_settings(&Settings { page: wanted, ..self.settings()? })
    }

    /// Deletes the games, their samples and the folder. Keeps other files, and the folder if it has any.
    ///
    /// # Errors
    /// [`PersonalError::Output`] with the first path that could not be deleted; [`PersonalError::InUse`] if a training reads the
    /// samples.
    pub fn delete(self) -> Result<(), PersonalError> {
        self.remove_samples()?;
        let games = self.games_folder();
        remove_folder(&games).map_err(OutputError::io("delete", &games))?;
        files::remove_partial(&self.folder)?;
        // Last, so that a folder whose deletion failed or was interrupted is still recognised as one of personal games, by this program
        // and by the person, and can be deleted again. Without the file nobody would find what is left.
        let settings = self.folder.join(SETTINGS);
        fs::remove_file(&settings).map_err(OutputError::io("delete", &settings))?;
        Ok(fs::remove_dir(&self.folder).map_err(OutputError::io("delete", &self.folder))?)
    }

    pub(super) fn games_folder(&self) -> PathBuf {
        self.folder.join(GAMES)
    }

    pub(super) fn samples_folder(&self) -> PathBuf {
        self.folder.join("samples")
    }

    fn settings(&self) -> Result<Settings, PersonalError> {
        let path = self.folder.join(SETTINGS);
        let text = read_text(&path).map_err(OutputError::io("read", &path))?;
        let found = match serde_json::from_str::<Settings>(&text) {
            Ok(settings) if settings.format == FORMAT && settings.version == VERSION => return Ok(settings),
            Ok(settings) => format!("{:?} version {}", settings.format, settings.version),
            Err(error) => error.to_string(),
        };
        Err(PersonalError::Damaged { path, found, expected: format!("{FORMAT:?} version {VERSION}") })
    }

    fn write_settings(&self, settings: &Settings) -> Result<(), PersonalError> {
        let path = self.folder.join(SETTINGS);
        let text =
            serde_json::to_string_pretty(settings).expect("text, a number and a choice are always JSON");
        Ok(files::write_private(&path, text).map_err(OutputError::io("write", &path))?)
    }
}
