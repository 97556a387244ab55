//! Origins of the compared networks: from the run of an experiment, or from the weights file of a player.

use std::path::Path;

use player::{PlayerSpecification, SystemNetwork, weights_of};
use serde::Deserialize;
use strength::comparison::ComparedExperiment;
use training::{Metric, TrainingError, Validation};

use super::read;
use crate::{Experiment, ExperimentError, Learning, Published};

/// The fields of a training run's summary that a comparison reads.
#[derive(Deserialize)]
struct Summary {
    positions: u64,
    seconds: f64,
    validation: Option<Validation>,
}

/// The part of a system's recipe that says what was published about it.
#[derive(Deserialize)]
struct PublishedSection {
    #[serde(default)]
    published: Vec<Published>,
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
    if let Some(Validation { overall, .. }) = outcome.validation {
        let has_policy =
            !matches!(&experiment.learning, Learning::Network(recipe) if !recipe.network.has_policy());
        found.policy_loss = has_policy.then_some([overall.policy_loss, overall.baselines.policy_loss]);
        found.value_loss = overall.value_loss.zip(overall.baselines.value_loss).map(<[f64; 2]>::from);
    }
    add_published(&experiment.sections.published, found);
    Ok(())
}

/// Adds what a player's weights file says about itself, and for a network of one of the systems the published results in its
/// recipe.
pub(super) fn add_weights(
    player: &PlayerSpecification,
    found: &mut ComparedExperiment,
) -> Result<(), ExperimentError> {
    let Some(net) = player.net() else { return Ok(()) };
    let Some(weights) = weights_of(net).map_err(ExperimentError::at(&player.name))? else { return Ok(()) };
    let provenance = weights.provenance;
    found.parameters = Some(weights.spec.parameter_count().map_err(TrainingError::from)? as u64);
    // An imported network says 0, which means that it is not known.
    found.training_positions = Some(provenance.positions).filter(|&positions| positions > 0);
    found.training_seconds = Some(provenance.seconds).filter(|&seconds| seconds > 0.0);
    let named = |name: &str| provenance.metrics.get(name).copied();
    let pair = |metric: Metric| Some([named(metric.key())?, named(&metric.baseline_key()?)?]);
    found.policy_loss = pair(Metric::PolicyLoss).filter(|_| weights.spec.has_policy());
    found.value_loss = pair(Metric::ValueLoss);
    if let Some(system) = SystemNetwork::of_player(&player.text) {
        let section: PublishedSection =
            toml::from_str(system.recipe).map_err(ExperimentError::at(system.network.name))?;
        add_published(&section.published, found);
    }
    Ok(())
}

fn add_published(published: &[Published], found: &mut ComparedExperiment) {
    found.published_samples = published.iter().find_map(|one| one.samples);
    found.published = published.iter().map(|one| [one.what.clone(), one.value.clone()]).collect();
}
