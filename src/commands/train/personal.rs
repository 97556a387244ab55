//! Training on one person's games.

use std::path::Path;

use anyhow::{Result, ensure};
use personal::{PersonFile, PersonalStore, PersonalTraining};
use player::open_evaluator;
use training::{Recipe, Trainer};

use super::Arguments;

/// Sets up training on personal games if those are the recipe's data, and sets the recipe's data to their
/// samples. `None` for other data.
pub(super) fn of(recipe: &mut Recipe, arguments: &Arguments) -> Result<Option<PersonalTraining>> {
    let place = &recipe.data;
    ensure!(
        place.exists(),
        "{}: found no data, expected a store made by `tabiya data build`, or personal games added by `tabiya data personal`",
        place.display()
    );
    ensure!(
        !PersonalStore::is_at(place) || arguments.from.is_some() || arguments.resume,
        "{}: one person's games are too few to learn chess from; name the network to start from with --from",
        place.display()
    );
    let personal = PersonalTraining::of(place, recipe.network.history()?, arguments.resume)?;
    if let Some(personal) = &personal {
        personal.samples().clone_into(&mut recipe.data);
    }
    Ok(personal)
}

/// Writes the record of a run that begins from this network, before its first checkpoint.
pub(super) fn begin(personal: &PersonalTraining, run: &Path, from: &str) -> Result<PersonFile> {
    Trainer::expect_no_run(run)?;
    let start = open_evaluator(from, None)?;
    Ok(personal.begin(run, from, start.evaluator.as_ref())?)
}

/// The record that this call has written, or the one with which a resumed run began.
pub(super) fn known(begun: Option<PersonFile>, run: &Path) -> Result<PersonFile> {
    begun.map_or_else(|| Ok(PersonFile::read(run)?), Ok)
}

/// Measures the trained network and adds the results to the summary of the run.
pub(super) fn end(
    personal: &PersonalTraining,
    run: &Path,
    known: PersonFile,
    network: &Path,
) -> Result<PersonFile> {
    let trained = open_evaluator(&network.display().to_string(), None)?;
    Ok(personal.end(run, known, trained.evaluator.as_ref())?)
}
