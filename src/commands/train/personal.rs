//! Training on one person's games.

use std::path::Path;

use anyhow::{Result, ensure};
use personal::{PersonFile, PersonalStore, PersonalTraining};
use player::open_evaluator;
use training::Recipe;

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

/// The record before the first step; a resumed run has already written it.
pub(super) fn begin(personal: &PersonalTraining, run: &Path, arguments: &Arguments) -> Result<PersonFile> {
    let Some(from) = &arguments.from else { return Ok(personal.begin(run, None)?) };
    let start = open_evaluator(from, None)?;
    Ok(personal.begin(run, Some((from.as_str(), start.evaluator.as_ref())))?)
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
