//! Training on one person's games.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use dataset::Unobserved;
use labelling::{
    PersonalStore,
    personal::{HeldOutMoves, PersonFile},
};
use network::DeviceKind;
use output::{FolderLock, OutputFile};
use player::open_evaluator;
use training::Recipe;

use super::Arguments;

/// What a training on personal games does beside the training.
pub(super) struct PersonalTraining(HeldOutMoves);

impl PersonalTraining {
    /// `None` where the recipe's data are no personal games; where they are, the recipe gets the samples made of them.
    pub(super) fn of(recipe: &mut Recipe, arguments: &Arguments) -> Result<Option<Self>> {
        let place = recipe.data.clone();
        ensure!(
            place.exists(),
            "{}: found no data, expected a store made by `tabiya data build`, or personal games added by `tabiya data personal`",
            place.display()
        );
        if !PersonalStore::is_at(&place) {
            return Ok(None);
        }
        ensure!(
            arguments.from.is_some() || arguments.resume,
            "{}: one person's games are too few to learn chess from; name the network to start from with --from",
            place.display()
        );
        let store = PersonalStore::open(&place)?;
        recipe.data = if arguments.resume {
            store.samples_as_before()?
        } else {
            let _lock = FolderLock::take(&place)?;
            store.samples(recipe.network.history()?, &mut Unobserved)?
        };
        Ok(Some(Self(HeldOutMoves::read(&recipe.data)?)))
    }

    /// What is known before the first step; a run that goes on has written it down.
    pub(super) fn begin(&self, run: &Path, arguments: &Arguments) -> Result<PersonFile> {
        let Some(from) = &arguments.from else { return Ok(PersonFile::read(run)?) };
        let start = open_evaluator(from, DeviceKind::Cpu)?;
        let known = self.0.before(from, start.evaluator.as_ref())?;
        known.write(run)?;
        Ok(known)
    }

    /// Measures the trained network and adds what was found to the summary of the run.
    pub(super) fn end(&self, run: &Path, known: PersonFile, network: &Path) -> Result<PersonFile> {
        let trained = open_evaluator(&network.display().to_string(), DeviceKind::Cpu)?;
        let measured = self.0.after(known, trained.evaluator.as_ref())?;
        measured.write(run)?;
        let path = run.join("summary.json");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut summary: serde_json::Value =
            serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        summary["person"] = measured.summary();
        OutputFile::open(&path)?.finish(serde_json::to_string_pretty(&summary)?)?;
        Ok(measured)
    }
}
