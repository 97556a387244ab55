//! Origins of the compared networks: from the run of an experiment, or from the weights file of a player.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use player::{PlayerSpecification, SystemNetwork, weights_of};
use serde::Deserialize;
use strength::comparison::ComparedExperiment;
use training::{Metric, Recipe, TrainingError, Validation};

use super::read;
use crate::{
    Experiment, ExperimentError, Learning, Sections,
    step::TRAINING,
    steps::{result_of_step, words_of},
};

/// The fields of a training run's summary that a comparison reads.
#[derive(Deserialize)]
struct Summary {
    positions: u64,
    seconds: f64,
    validation: Option<Validation>,
}

/// Adds the results of an experiment's training and what was published about it.
pub(super) fn add_run(
    experiment: &Experiment,
    runs: &Path,
    found: &mut ComparedExperiment,
) -> Result<(), ExperimentError> {
    let summary = experiment.folder(runs).join(experiment.learning.result_file());
    let outcome: Summary = read(&summary)?.ok_or_else(|| {
        let place = summary.display();
        ExperimentError::Unexpected(format!("{place}: expected the summary of the training"))
    })?;
    found.parameters = experiment.learning.parameters()?;
    found.training_positions = Some(outcome.positions);
    found.training_seconds = Some(outcome.seconds);
    let folder = experiment.folder(runs);
    let mut validation = outcome.validation;
    for step in experiment.sections.validations() {
        // The separate validation step uses more positions than the training's own.
        validation = read(&result_of_step(&folder, &step.name, &experiment.learning))?.or(validation);
    }
    if let Some(validation) = validation {
        add_losses(&validation, found);
    }
    let pairings = experiment.pairings(&folder)?;
    found.published = pairings.into_iter().map(|one| vec![one.what, one.paper, one.here]).collect();
    found.published_samples = experiment.sections.published_samples();
    Ok(())
}

/// Adds the held-out losses of the heads that the network has.
fn add_losses(Validation { overall, value_unit, .. }: &Validation, found: &mut ComparedExperiment) {
    let policy = [overall.policy_loss, overall.baselines.policy_loss];
    found.policy_loss = (overall.policy_positions > 0).then_some(policy);
    found.value_loss = overall.value_loss.zip(overall.baselines.value_loss).map(<[f64; 2]>::from);
    found.value_unit = Some(value_unit.clone()).filter(|unit| !unit.is_empty());
}

/// A metric in a weights file, and the same of a trivial predictor.
fn with_baseline(metrics: &BTreeMap<String, f64>, metric: Metric) -> Option<[f64; 2]> {
    Some([*metrics.get(metric.key())?, *metrics.get(&metric.baseline_key()?)?])
}

/// The sample store that the recipe of a system makes.
pub(super) fn store_of(system: &SystemNetwork) -> Option<PathBuf> {
    Some(Recipe::from_toml(system.recipe, system.network.name).ok()?.data)
}

/// The arguments by which the recipe of a system measures its network on held-out positions: published numbers are compared with
/// what this command prints.
pub(super) fn validation(
    system: &SystemNetwork,
    network: &str,
    store: &str,
    recipe: &str,
) -> Option<Vec<String>> {
    let sections: Sections = toml::from_str(system.recipe).ok()?;
    let names = [("network", network), ("store", store), ("recipe", recipe)];
    let mut arguments = words_of(&sections.validations().next()?.command, &names);
    arguments.push("--json".into());
    Some(arguments)
}

/// Adds the provenance in a player's weights file, and for a network of one of the systems its losses in
/// `validation`, if that exists, and the published results in its recipe.
pub(super) fn add_weights(
    player: &PlayerSpecification,
    validation: &Path,
    found: &mut ComparedExperiment,
) -> Result<(), ExperimentError> {
    let Some(net) = player.net() else { return Ok(()) };
    let Some(weights) = weights_of(net).map_err(ExperimentError::at(&player.name))? else { return Ok(()) };
    let provenance = weights.provenance;
    found.parameters = Some(weights.spec.parameter_count().map_err(TrainingError::from)? as u64);
    // 0 in an imported network means unknown.
    found.training_positions = Some(provenance.positions).filter(|&positions| positions > 0);
    found.training_seconds = Some(provenance.seconds).filter(|&seconds| seconds > 0.0);
    let policy_loss = with_baseline(&provenance.metrics, Metric::PolicyLoss);
    found.policy_loss = policy_loss.filter(|_| weights.spec.has_policy());
    found.value_loss = with_baseline(&provenance.metrics, Metric::ValueLoss);
    let Some(system) = SystemNetwork::of_player(&player.text) else { return Ok(()) };
    let name = system.network.name;
    let sections: Sections = toml::from_str(system.recipe).map_err(ExperimentError::at(name))?;
    let recipe = Recipe::from_toml(system.recipe, name).map_err(TrainingError::from)?;
    let measured: Option<serde_json::Value> = read(validation)?;
    if let Some(value) = &measured {
        add_losses(&serde_json::from_value(value.clone()).map_err(ExperimentError::at(name))?, found);
    }
    let pairings = sections.pairings(&Learning::Network(Box::new(recipe)), |step| {
        let samples = found.training_positions.filter(|_| step == TRAINING);
        let is_validation = sections.validations().any(|one| one.name == step);
        let training = samples.map(|positions| serde_json::json!({ "positions": positions }));
        Ok(training.or(measured.clone().filter(|_| is_validation)))
    })?;
    found.published = pairings.into_iter().map(|one| vec![one.what, one.paper, one.here]).collect();
    found.published_samples = sections.published_samples();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was published of mlx is about results, and mlx-corrected learns from evaluations.
    #[test]
    fn a_system_is_validated_by_the_command_of_its_recipe() {
        let of = |net: &str| validation(SystemNetwork::find(net).unwrap(), net, "s", "r").unwrap().join(" ");
        assert_eq!(of("mlx-corrected"), "net validate mlx-corrected s --value result --json");
        assert_eq!(of("knights-e1"), "net validate knights-e1 s --recipe r --json");
        for system in player::SYSTEMS {
            assert!(of(system.network.name).starts_with("net validate "), "{system:?}");
        }
    }
}
