use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{bail, ensure};
use dataset::EvaluationCurve;
use experiment::Learning;
use files::run::ResultKind;
use network::{Inputs, NetworkError, ValueKind, Weights, onnx::OnnxNetwork};
use player::{network_hash, read_weights};
use terminal::validation_lines;
use training::{
    LossConfig, MatePawns, Samples as _, StoreSamples, StreamConfig, TrainingError, Validation, ValueTarget,
    validate, validate_graph,
};

use crate::commands::{engine_arguments::named_networks, json_of, machine::program, print_result};

/// Measure a network's predictions on the validation split of a store, compared with trivial baselines.
///
/// An ONNX file is measured with the encodings in its metadata, on legal moves only; Maia-3's contract has no encoding for samples.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya net validate default stores/first --value result
  tabiya net validate default stores/example --recipe recipes/aichess")]
pub(super) struct Arguments {
    #[arg(help = named_networks())]
    network: String,
    /// Sample store with the labels
    store: PathBuf,
    /// Approximate number of samples, spread evenly over the store; intervals treat them as independent, and are a little narrow
    #[arg(long, default_value_t = Validation::POSITIONS, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Label for the value
    #[arg(long, value_enum, default_value_t = Target::Evaluation)]
    value: Target,
    /// Measure the losses of this recipe, with its targets and generated positions, to compare networks of different kinds
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
    let measured = Measured::open(&arguments.network)?;
    let (losses, stream) = match &arguments.recipe {
        Some(recipe) => task_of(recipe, &measured)?,
        None => (LossConfig { value_target: arguments.value.into(), ..LossConfig::default() }, None),
    };
    let samples = StoreSamples::with_inputs(&arguments.store, measured.inputs()?)?
        .with_policy_temperature(losses.policy_temperature)
        .with_stream(stream.as_ref())?;
    let validation = measured.validate(&samples, arguments.positions as usize, &losses)?;
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

/// The network that is measured.
enum Measured {
    Weights(Box<Weights>),
    /// An ONNX file.
    Graph(Box<OnnxNetwork>),
}

impl Measured {
    fn open(network: &str) -> anyhow::Result<Self> {
        let path = Path::new(network);
        Ok(if OnnxNetwork::is_one(path) {
            Self::Graph(Box::new(OnnxNetwork::read(path)?))
        } else {
            Self::Weights(Box::new(read_weights(network)?))
        })
    }

    fn name(&self) -> String {
        match self {
            Self::Weights(weights) => weights.provenance.name.clone(),
            Self::Graph(network) => format!("the contract {}", network.contract()),
        }
    }

    fn inputs(&self) -> Result<Inputs, NetworkError> {
        match self {
            Self::Weights(weights) => weights.spec.inputs(),
            Self::Graph(network) => network.inputs(),
        }
    }

    fn value_kind(&self) -> Result<ValueKind, NetworkError> {
        match self {
            Self::Weights(weights) => Ok(weights.spec.value_kind()),
            Self::Graph(network) => network.value_kind(),
        }
    }

    fn validate(
        &self,
        samples: &StoreSamples,
        positions: usize,
        losses: &LossConfig,
    ) -> Result<Validation, TrainingError> {
        match self {
            Self::Weights(weights) => validate(weights, samples, positions, losses),
            Self::Graph(network) => validate_graph(network, samples, positions, losses),
        }
    }
}

/// The losses of a recipe and the positions that it makes, if the network's value is in their unit.
fn task_of(path: &Path, measured: &Measured) -> anyhow::Result<(LossConfig, Option<StreamConfig>)> {
    let file = path.display();
    let Learning::Network(recipe) = Learning::read(path)? else {
        bail!("{file}: found [learner], expected the [network] and [losses] of a network");
    };
    let kind = measured.value_kind()?;
    let (found, expected) = (unit(recipe.network.value_kind()), unit(kind));
    ensure!(
        found == expected,
        "{file}: network.value.kind: found {found}, expected {expected} as {} gives them",
        measured.name()
    );
    recipe.check_value(kind, &format!("{file}, for {}", measured.name()))?;
    Ok((recipe.losses, recipe.stream))
}

fn unit(kind: ValueKind) -> &'static str {
    if matches!(kind, ValueKind::Pawns { .. }) { "values in pawns" } else { "results from -1 to 1" }
}
