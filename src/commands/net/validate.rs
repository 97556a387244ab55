use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{bail, ensure};
use dataset::EvaluationCurve;
use experiment::Learning;
use files::run::ResultKind;
use network::{Spec, ValueKind, Weights};
use player::{network_hash, read_weights};
use terminal::validation_lines;
use training::{
    LossConfig, MatePawns, Samples as _, StoreSamples, StreamConfig, Validation, ValueTarget, validate,
};

use crate::commands::{engine_arguments::named_weights, json_of, machine::program, print_result};

/// Measure a network's predictions on the validation split of a store, compared with trivial baselines.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya net validate default stores/first --value result
  tabiya net validate default stores/example --recipe recipes/aichess")]
pub(super) struct Arguments {
    #[arg(help = named_weights())]
    network: String,
    /// Sample store with the labels
    store: PathBuf,
    /// Approximate number of samples, spread evenly over the store; intervals treat them as independent, and are a little narrow
    #[arg(long, default_value_t = Validation::POSITIONS, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Label for the value
    #[arg(long, value_enum, default_value_t = Target::Evaluation)]
    value: Target,
    /// Measure the losses of this recipe, with its targets and the positions that it makes, to compare networks of different kinds
    /// on one task
    #[arg(long, conflicts_with = "value")]
    recipe: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The kind of the JSON.
const KIND: &str = ResultKind::Validation.text();

/// The validation with its network and data, so that a stored result identifies them.
#[derive(serde::Serialize)]
struct Report<'a> {
    kind: &'static str,
    network: &'a str,
    /// The hash of its file, as in the identity of players.
    identity: Vec<(&'static str, String)>,
    store: &'a Path,
    /// Hash of the store.
    data: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recipe: Option<&'a Path>,
    program: String,
    #[serde(flatten)]
    validation: Validation,
}

/// Labels a value can be compared with.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Target {
    Evaluation,
    Result,
}

impl From<Target> for ValueTarget {
    fn from(target: Target) -> Self {
        let (curve, mates) = (EvaluationCurve::default(), MatePawns::default());
        match target {
            Target::Evaluation => Self::Evaluation { curve, mates },
            Target::Result => Self::Result,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let weights = read_weights(&arguments.network)?;
    let (losses, stream) = match &arguments.recipe {
        Some(recipe) => task_of(recipe, &weights)?,
        None => (LossConfig { value_target: arguments.value.into(), ..LossConfig::default() }, None),
    };
    let samples = StoreSamples::open(&arguments.store, &weights.spec)?
        .with_policy_temperature(losses.policy_temperature)
        .with_stream(stream.as_ref())?;
    let validation = validate(&weights, &samples, arguments.positions as usize, &losses)?;
    let text = if arguments.json {
        let Arguments { network, store, recipe, .. } = arguments;
        json_of(&Report {
            kind: KIND,
            network,
            identity: network_hash(network)?.map(|hash| ("network hash", hash)).into_iter().collect(),
            store,
            data: samples.hash(),
            recipe: recipe.as_deref(),
            program: program(),
            validation,
        })?
    } else {
        format!(
            "held-out positions of {} (in brackets: uniform policy, always the mean value)\n{}",
            arguments.store.display(),
            validation_lines(&validation).join("\n")
        )
    };
    print_result(&text)
}

/// The losses of a recipe and the positions that it makes, if the network's value is in their unit.
fn task_of(path: &Path, weights: &Weights) -> anyhow::Result<(LossConfig, Option<StreamConfig>)> {
    let file = path.display();
    let Learning::Network(mut recipe) = Learning::read(path)? else {
        bail!("{file}: found [learner], expected the [network] and [losses] of a network");
    };
    let (found, expected) = (unit(&recipe.network), unit(&weights.spec));
    ensure!(
        found == expected,
        "{file}: network.value.kind: found {found}, expected {expected} as {} gives them",
        weights.provenance.name
    );
    recipe.network = weights.spec.clone();
    recipe.check_value(&format!("{file}, for {}", weights.provenance.name))?;
    Ok((recipe.losses, recipe.stream))
}

fn unit(spec: &Spec) -> &'static str {
    if matches!(spec.value_kind(), ValueKind::Pawns { .. }) {
        "values in pawns"
    } else {
        "results from -1 to 1"
    }
}
