//! A training run on one person's games: its samples, and its gain on held-out games.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use chess::Evaluator;
use dataset::NoObserver;
use files::{FolderLock, OutputError, OutputFile};

use crate::{HeldOutMoves, PersonFile, PersonalError, PersonalStore, samples::hold};

/// The samples of a training on personal games and the measurements around it.
pub struct PersonalTraining {
    samples: PathBuf,
    held_out: HeldOutMoves,
    /// Keeps the samples from being removed while the training reads them.
    _held: File,
}

impl PersonalTraining {
    /// The samples of the games in a folder, with this many positions of history; if a run resumes, the samples that it started
    /// with. `None` if the folder is not a store of personal games.
    ///
    /// # Errors
    /// [`OutputError::Locked`] if another process is writing to the folder, and those of [`PersonalStore::samples`] and
    /// [`HeldOutMoves::read`].
    pub fn of(place: &Path, history: usize, resumes: bool) -> Result<Option<Self>, PersonalError> {
        if !PersonalStore::is_at(place) {
            return Ok(None);
        }
        let store = PersonalStore::open(place)?;
        // If games were added meanwhile, the list of files would not match the samples; nor may anybody remove the samples before
        // they are held.
        let _lock = FolderLock::take(place)?;
        let samples = if resumes {
            // The positions measured before the first step are those of the store that the run began with.
            store.samples_as_before()?
        } else {
            store.samples(history, &mut NoObserver)?
        };
        let held = hold(&samples)?;
        let held_out = HeldOutMoves::read(&samples)?;
        Ok(Some(Self { samples, held_out, _held: held }))
    }

    /// The store of the person's games as samples.
    pub fn samples(&self) -> &Path {
        &self.samples
    }

    /// Writes the record of a run before it begins: the share of the network that it starts from, by name. It must be there before
    /// the first checkpoint, because a resumed run reads it and does not know the start.
    ///
    /// # Errors
    /// The errors of [`HeldOutMoves::before`] and of the file.
    pub fn begin(&self, run: &Path, name: &str, start: &dyn Evaluator) -> Result<PersonFile, PersonalError> {
        let known = self.held_out.before(name, start)?;
        known.write(run)?;
        Ok(known)
    }

    /// Measures the trained network and adds the results to the summary of the run.
    ///
    /// # Errors
    /// The errors of [`HeldOutMoves::after`] and of the files.
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
        let with_person = serde_json::from_str(&text).and_then(|mut summary: serde_json::Value| {
            summary["person"] = measured.summary();
            serde_json::to_string_pretty(&summary)
        });
        let text = with_person.map_err(|error| PersonalError::Damaged {
            path: path.clone(),
            found: error.to_string(),
            expected: "the summary of a run".into(),
        })?;
        OutputFile::open(&path)?.finish(text)?;
        Ok(measured)
    }
}
