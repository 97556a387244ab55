//! The sample store of a person's moves.

use std::{
    fs::{self, File, TryLockError},
    io::Write as _,
    path::{Path, PathBuf},
};

use dataset::{BuildConfig, BuildObserver, Filters, Manifest, build};
use files::{OutputError, entries, if_there, remove_folder};

use crate::{PersonalError, PersonalStore, store::PERSON};

/// Minimum number of games: fewer are too few to train and to measure on.
pub const LEAST_GAMES: usize = 20;

/// Share of the games that are held out: a fifth, because there are few.
pub const HELD_OUT: f64 = 0.2;

impl PersonalStore {
    /// The sample store of the person's moves, with this many positions of history, rebuilt if games were added or removed.
    ///
    /// # Errors
    /// [`PersonalError::TooFewGames`] for fewer than [`LEAST_GAMES`], or if all fell on one side of the split;
    /// [`PersonalError::InUse`] if a training reads the samples of other games; every error of building a store.
    pub fn samples(
        &self,
        history: usize,
        observer: &mut dyn BuildObserver,
    ) -> Result<PathBuf, PersonalError> {
        let games = self.files()?;
        if games.len() < LEAST_GAMES {
            return Err(self.too_few(format!("{} games", games.len())));
        }
        let folder = self.samples_folder();
        let output = folder.join(name(&games, history));
        if !output.exists() {
            // One store at a time: `samples_as_before` takes the one it finds.
            self.remove_samples()?;
            fs::create_dir_all(&folder).map_err(OutputError::io("create", &folder))?;
            self.build(&games, &output, history, observer)?;
        }
        let manifest = Manifest::read(&output)?;
        let counts = &manifest.counts;
        if counts.validation_games == 0 || counts.validation_games == counts.games {
            let found = format!("{} games, {} of them held out", counts.games, counts.validation_games);
            return Err(self.too_few(found));
        }
        Ok(output)
    }

    /// The sample store made last, even if games have been added or removed since: a resumed run uses it.
    ///
    /// # Errors
    /// [`PersonalError::Damaged`] if it does not exist, [`PersonalError::Output`] if the folder cannot be
    /// read.
    pub fn samples_as_before(&self) -> Result<PathBuf, PersonalError> {
        let folder = self.samples_folder();
        let found = entries(&folder)?.into_iter().find(|path| path.is_dir());
        found.ok_or_else(|| PersonalError::Damaged {
            path: folder,
            found: "no samples: games were removed, or nothing was learned from them yet".into(),
            expected: "the samples of the run (begin a new run)".into(),
        })
    }

    /// Removes all samples.
    ///
    /// # Errors
    /// [`PersonalError::InUse`] if a training reads them, which would fail hours later; [`PersonalError::Output`].
    pub(crate) fn remove_samples(&self) -> Result<(), PersonalError> {
        let folder = self.samples_folder();
        for samples in entries(&folder)?.into_iter().filter(|path| path.is_dir()) {
            let manifest = samples.join(files::run::MANIFEST);
            let opened = if_there(File::open(&manifest)).map_err(OutputError::io("read", &manifest))?;
            if opened.is_some_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock))) {
                return Err(PersonalError::InUse { path: samples });
            }
        }
        Ok(remove_folder(&folder).map_err(OutputError::io("delete", &folder))?)
    }

    fn build(
        &self,
        games: &[PathBuf],
        output: &Path,
        history: usize,
        observer: &mut dyn BuildObserver,
    ) -> Result<(), PersonalError> {
        // One file instead of thousands, because the manifest names every source. It is in the store, so that deleting the store
        // deletes everything.
        let folder = self.samples_folder();
        let mut all = tempfile::NamedTempFile::new_in(&folder).map_err(OutputError::io("write", &folder))?;
        for game in games {
            let text = files::read_text(game).map_err(OutputError::io("read", game))?;
            all.write_all(text.as_bytes()).map_err(OutputError::io("write", &folder))?;
        }
        let config = BuildConfig {
            filters: Filters { player: Some(PERSON.into()), ..Filters::default() },
            validation_share: HELD_OUT,
            history,
            ..BuildConfig::new(output, [all.path()])
        };
        build(&config, observer)?;
        Ok(())
    }

    fn too_few(&self, found: String) -> PersonalError {
        PersonalError::TooFewGames { path: self.folder().into(), found, expected: LEAST_GAMES }
    }
}

/// Keeps samples from being removed until the file is closed, as it is when the process ends. Several trainings may hold them.
/// Without file locks, as on some network file systems, nothing is kept.
pub(crate) fn hold(samples: &Path) -> Result<File, PersonalError> {
    let path = samples.join(files::run::MANIFEST);
    let file = File::open(&path).map_err(OutputError::io("read", &path))?;
    if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return Err(PersonalError::InUse { path: samples.into() });
    }
    Ok(file)
}

/// The name of the samples of these games: a hash of the games' names, which are hashes of their moves.
fn name(games: &[PathBuf], history: usize) -> String {
    // Samples of the same games differ by their history.
    let mut hasher = xxhash_rust::xxh3::Xxh3::with_seed(history as u64);
    for game in games {
        hasher.update(game.file_name().unwrap_or_default().as_encoded_bytes());
    }
    format!("{:016x}", hasher.digest())
}
