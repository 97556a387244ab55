use std::{collections::BTreeMap, path::Path, process::ExitCode};

use chess::{Evaluator as _, Heads};
use figures::DurationText;
use network::lc0::Description;
use network::{
    Provenance, Source, Weights,
    architecture::{Architecture, LayerRow},
    onnx::OnnxNetwork,
};
use player::{PlayerRating, holds_learners, provenance_of, rating, read_weights};
use serde_json::json;
use training::Metric;

use crate::commands::{engine_arguments::named_networks, print_result};

/// Print layers, size and provenance of a network.
///
/// The table lists each layer with its output for one position (the matrix, for sparse networks) and its parameters.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya net info default
  tabiya net info maia-1900.pb.gz --json
  tabiya net info maia3.onnx")]
pub(super) struct Arguments {
    #[arg(help = named_networks())]
    network: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if holds_learners(&arguments.network) {
        return learners(arguments);
    }
    if OnnxNetwork::is_one(Path::new(&arguments.network)) {
        return graph(arguments);
    }
    let weights = read_weights(&arguments.network)?;
    let rating = rating(&arguments.network)?;
    let text =
        if arguments.json { json(&weights, rating.as_ref())? } else { text(&weights, rating.as_ref())? };
    print_result(&text)
}

/// Prints the inputs and outputs of an ONNX file.
fn graph(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let network = OnnxNetwork::read(Path::new(&arguments.network))?;
    let metadata: BTreeMap<&str, &str> = network.metadata().collect();
    let text = if arguments.json {
        let (contract, heads) = (network.contract(), network.heads());
        let value = json!({ "contract": contract, "heads": heads, "parameters": network.parameters(), "metadata": metadata });
        serde_json::to_string_pretty(&value)?
    } else {
        let lines: Vec<String> = metadata.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        format!("{network}\n\n{}", lines.join("\n"))
    };
    print_result(&text.trim_end())
}

/// Prints the content of a file of learners.
fn learners(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let provenance = provenance_of(&arguments.network)?;
    let text = if arguments.json {
        serde_json::to_string_pretty(&json!({ "provenance": provenance }))?
    } else {
        format!(
            "{}: learners\n\n{}\n{}",
            provenance.name,
            provenance.recipe,
            trained(&provenance, Heads::BOTH)
        )
    };
    print_result(&text)
}

fn json(weights: &Weights, rating: Option<&PlayerRating>) -> anyhow::Result<String> {
    let parameters = weights.parameter_count();
    let layers = Architecture::new(&weights.spec)?.layers();
    let heads = weights.spec.heads();
    let provenance = &weights.provenance;
    let value = json!({ "spec": weights.spec, "heads": heads, "parameters": parameters, "layers": layers, "provenance": provenance, "rating": rating });
    Ok(serde_json::to_string_pretty(&value)?)
}

fn text(weights: &Weights, rating: Option<&PlayerRating>) -> anyhow::Result<String> {
    let provenance = &weights.provenance;
    let heads = weights.spec.heads();
    let origin = provenance.source.as_ref().map_or_else(|| trained(provenance, heads), imported);
    let lacks = heads.missing();
    let separator = if lacks.is_empty() { "" } else { ", " };
    let rated =
        rating.map(|rating| format!("\nrating: {rating}\n  {}\n  {}", rating.setting, rating.conditions));
    Ok(format!(
        "{}: {}, {} parameters{separator}{lacks}\n\n{}\n\n{}\n{origin}{}",
        provenance.name,
        weights.spec.shape_name(),
        weights.parameter_count(),
        layers(&Architecture::new(&weights.spec)?.layers()),
        weights.spec.to_toml()?,
        rated.unwrap_or_default(),
    ))
}

/// The layers as a table.
fn layers(rows: &[LayerRow]) -> String {
    let names = width(rows.iter().map(|row| &row.name));
    let layers = width(rows.iter().map(|row| &row.layer));
    let shapes = width(rows.iter().map(|row| &row.shape));
    let mut lines = Vec::with_capacity(rows.len());
    for LayerRow { name, layer, shape, parameters } in rows {
        lines.push(format!("{name:names$}  {layer:layers$}  {shape:shapes$}  {parameters:>10}"));
    }
    lines.join("\n")
}

/// The width of a column, in characters.
fn width<'a>(texts: impl Iterator<Item = &'a String>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

fn trained(provenance: &Provenance, heads: Heads) -> String {
    let Provenance { data, commit, hardware, seed, steps, positions, seconds, metrics, .. } = provenance;
    let line = |(name, value): (&String, &f64)| {
        let digits = if name == "samples" || name.ends_with("positions") { 0 } else { 4 };
        format!("\n  {name} = {value:.digits$}")
    };
    let held_out = if metrics.is_empty() {
        " not recorded".to_owned()
    } else {
        let measured = metrics.iter().filter(|(name, _)| !is_of_missing_head(name, heads));
        measured.map(line).collect::<Vec<_>>().concat()
    };
    format!(
        "trained: {steps} steps, {positions} positions, {}, seed {seed}\non: {hardware}\ndata: {data}\n\
         program: {commit}\nheld out:{held_out}",
        DurationText(*seconds),
    )
}

/// True for a metric, of all samples or of a part of them, that says nothing because the network lacks the head.
fn is_of_missing_head(name: &str, heads: Heads) -> bool {
    let metric = Metric::ALL.into_iter().find(|metric| name.contains(metric.key()));
    metric.is_some_and(|metric| if metric.is_of_policy() { !heads.policy } else { !heads.value })
}

fn imported(source: &Source) -> String {
    let Description { license, minimum_version, training_steps, .. } = &source.lc0;
    let Description { learning_rate, value_loss, policy_loss, policy_accuracy, lc0_parameters, .. } =
        &source.lc0;
    let said = [
        ("licence", license.clone()),
        ("for lc0 from", minimum_version.map(|(major, minor, patch)| format!("{major}.{minor}.{patch}"))),
        ("training steps", training_steps.map(|steps| steps.to_string())),
        ("learning rate", learning_rate.map(|rate| rate.to_string())),
        ("value loss (squared error)", value_loss.map(|loss| loss.to_string())),
        ("policy loss", policy_loss.map(|loss| loss.to_string())),
        ("policy accuracy, %", policy_accuracy.map(|accuracy| accuracy.to_string())),
        ("parameters of its games", lc0_parameters.clone()),
    ];
    let lines = said.into_iter().filter_map(|(name, value)| Some(format!("\n  {name}: {}", value?)));
    format!(
        "imported from lc0: {} (xxh3 {}), which says of itself:{}",
        source.file,
        source.hash,
        lines.collect::<String>()
    )
}
