//! A training run on one person's games: its samples, and its gain on held-out games.

use std::path::{Path, PathBuf};

use chess::Evaluator;
use dataset::NoObserver;
use files::{FolderLock, OutputError, OutputFile};

use crate::{HeldOutMoves, PersonFile, PersonalError, PersonalStore};

/// The samples of a training on personal games and the measurements around it.
pub struct PersonalTraining {
    samples: PathBuf,
    held_out: HeldOutMoves,
}

impl PersonalTraining {
    /// The samples of the games in a folder, with this many positions of history; if a run resumes, the samples that it started
    /// with. `None` if the folder is not a store of personal games.
    ///
    /// # Errors
    /// Those of [`PersonalStore::samples`] and [`HeldOutMoves::read`].
    pub fn of(place: &Path, history: usize, resumes: bool) -> Result<Option<Self>, PersonalError> {
        if !PersonalStore::is_at(place) {
            return Ok(None);
        }
        let store = PersonalStore::open(place)?;
        let samples = if resumes {
            // The positions measured before the first step are those of the store that the run began with.
            store.samples_as_before()?
        } else {
            // If games were added meanwhile, the list of files would not match the samples.
            let _lock = FolderLock::take(place)?;
            store.samples(history, &mut NoObserver)?
        };
        let held_out = HeldOutMoves::read(&samples)?;
        Ok(Some(Self { samples, held_out }))
    }

    /// The store of the person's games as samples.
    pub fn samples(&self) -> &Path {
        &self.samples
    }

    /// The record before the first step of the run in a folder: the share of the network that it starts from, by name. A resumed
    /// run reads the record that it has written.
    ///
    /// # Errors
    /// Those of [`HeldOutMoves::before`] and of the file.
    pub fn begin(
        &self,
        run: &Path,
        start: Option<(&str, &dyn Evaluator)>,
    ) -> Result<PersonFile, PersonalError> {
        let Some((name, start)) = start else { return PersonFile::read(run) };
        let known = self.held_out.before(name, start)?;
        known.write(run)?;
        Ok(known)
    }

    /// Measures the trained network and adds the results to the summary of the run.
    ///
    /// # Errors
    /// Those of [`HeldOutMoves::after`] and of the files.
    pub fn end(
        &self,
        run: &Path,
        known: PersonFile,
        trained: &dyn Evaluator,
    ) -> Result<PersonFile, PersonalError> {
        let measured = self.held_out.after(known, trained)?;
        measured.write(run)?;
        let path = run.join(files::run::SUMMARY);
        let text = files::read_text(&path).map_err(OutputError::io("read", &path))?;
        let damaged = |error: serde_json::Error| PersonalError::Damaged {
            path: path.clone(),
            found: error.to_string(),
            expected: "the summary of a run".into(),
        };
        let mut summary: serde_json::Value = serde_json::from_str(&text).map_err(damaged)?;
        summary["person"] = measured.summary();
        let text = serde_json::to_string_pretty(&summary).map_err(damaged)?;
        OutputFile::open(&path)?.finish(text)?;
        Ok(measured)
    }
}
