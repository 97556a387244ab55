//! Summary of a network from its file alone.

use figures::DurationText;
use network::{
    Inputs, Weights,
    architecture::{Architecture, LayerRow},
    onnx::OnnxNetwork,
};

use crate::engine::NetworkLayer;

/// The part of a network's file that the page shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WeightsSummary {
    /// The input encoding by name; `None` if the network takes no planes.
    pub(super) input: Option<String>,
    /// True for a graph with the players' ratings as input.
    pub(super) is_rated_graph: bool,
    pub(super) shape: String,
    pub(super) parameters: u64,
    pub(super) facts: Vec<(String, String)>,
    pub(super) layers: Vec<NetworkLayer>,
    pub(super) metrics: Vec<(String, f64)>,
    pub(super) recipe: String,
}

impl WeightsSummary {
    /// A file's content; `file` names it in errors.
    pub(super) fn from_bytes(bytes: &[u8], file: &str) -> Result<Self, String> {
        let summary = if OnnxNetwork::is_content(bytes, file) {
            OnnxNetwork::from_bytes(bytes, file).map(|network| Self::of_graph(&network))
        } else {
            Weights::from_bytes(bytes, file).map(|weights| Self::new(&weights))
        };
        summary.map_err(|error| error.to_string())
    }

    fn of_graph(network: &OnnxNetwork) -> Self {
        let said = network.metadata().map(|(name, value)| fact(name, value.into()));
        Self {
            input: network.input().map(|input| input.name().into()),
            is_rated_graph: network.shows_ratings(),
            shape: format!("ONNX, {}", network.contract()),
            parameters: network.parameters() as u64,
            facts: said.collect(),
            layers: Vec::new(),
            metrics: Vec::new(),
            recipe: String::new(),
        }
    }

    fn new(weights: &Weights) -> Self {
        let (spec, origin) = (&weights.spec, &weights.provenance);
        let inputs = spec.inputs().ok();
        let mut facts = match &inputs {
            Some(Inputs::Planes(input, moves)) => {
                vec![fact("Input encoding", input.name().into()), fact("Move encoding", moves.name().into())]
            }
            Some(Inputs::Features(sets)) => vec![fact("Features", sets[0].name().into())],
            // Reading a file checks its encodings.
            None => Vec::new(),
        };
        match &origin.source {
            Some(source) => {
                facts.push(fact("Imported from", source.file.clone()));
                facts.push(fact("XXH3 of that file", source.hash.clone()));
                facts.extend(lc0_facts(&source.lc0));
            }
            None => facts.extend([
                fact("Run", origin.name.clone()),
                fact("Steps", origin.steps.to_string()),
                fact("Positions seen", origin.positions.to_string()),
                fact("Training time", DurationText(origin.seconds).to_string()),
                fact("Hardware", origin.hardware.clone()),
                fact("Seed", origin.seed.to_string()),
                fact("Data", origin.data.clone()),
                fact("Commit", origin.commit.clone()),
            ]),
        }
        let input = match inputs {
            Some(Inputs::Planes(input, _)) => Some(input.name().into()),
            _ => None,
        };
        // Reading a file lays the network out as well, so that none without a layout comes here.
        let rows = Architecture::new(spec).map(|architecture| architecture.layers()).unwrap_or_default();
        Self {
            input,
            is_rated_graph: false,
            shape: spec.shape_name(),
            parameters: weights.parameter_count() as u64,
            facts,
            layers: rows.into_iter().map(layer).collect(),
            metrics: origin.metrics.iter().map(|(name, value)| (name.clone(), *value)).collect(),
            recipe: origin.recipe.clone(),
        }
    }
}

/// Facts that an lc0 file records about itself; missing ones are left out.
fn lc0_facts(description: &network::lc0::Description) -> Vec<(String, String)> {
    let version = description.minimum_version.map(|(major, minor, patch)| format!("{major}.{minor}.{patch}"));
    let facts = [
        ("Licence", description.license.clone()),
        ("For lc0 from", version),
        ("Steps", description.training_steps.map(|steps| steps.to_string())),
        ("Learning rate at the end", description.learning_rate.map(|rate| rate.to_string())),
        ("Value loss at the end", description.value_loss.map(|loss| loss.to_string())),
        ("Policy loss at the end", description.policy_loss.map(|loss| loss.to_string())),
        ("Policy accuracy at the end", description.policy_accuracy.map(|share| format!("{share} %"))),
        ("Parameters of its games", description.lc0_parameters.clone()),
    ];
    facts.into_iter().filter_map(|(name, text)| Some(fact(name, text?))).collect()
}

fn layer(LayerRow { name, layer, shape, parameters }: LayerRow) -> NetworkLayer {
    NetworkLayer { name, layer, shape, parameters: parameters as u64 }
}

fn fact(name: &str, text: String) -> (String, String) {
    (name.to_owned(), text)
}
