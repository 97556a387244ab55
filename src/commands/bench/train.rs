use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use experiment::Learning;
use network::{Spec, TrainingPrecision};
use selfplay::SelfPlayRecipe;
use training::{MAX_THREADS, Recipe, Samples, SpeedRequest, StoreSamples, TrainingConfig, measure_training};

use crate::commands::machine;

/// Benchmark training on this machine.
///
/// Trains a new network for some steps and times the phases of a step: waiting for the loader, encoding, forward pass,
/// backward pass, update. Each figure is the median over the steps. Without a store the samples are random numbers,
/// made before the first step.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya bench train --blocks 6 --channels 64 --squeeze-excite 4\n  tabiya bench train \
                        --recipe recipes/first --data stores/first --precision bf16 --json"
)]
pub(crate) struct Arguments {
    /// The network: a TOML file with the keys of a recipe's [network]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recipe", "blocks", "channels", "squeeze_excite"])]
    spec: Option<PathBuf>,
    /// The network of a recipe
    #[arg(long, conflicts_with_all = ["blocks", "channels", "squeeze_excite"])]
    recipe: Option<PathBuf>,
    /// Residual blocks
    #[arg(long, default_value_t = 6)]
    blocks: usize,
    /// Channels of the tower
    #[arg(long, default_value_t = 64)]
    channels: usize,
    /// Squeeze-excite in every block with this ratio (0: none)
    #[arg(long, value_name = "RATIO", default_value_t = 0)]
    squeeze_excite: usize,
    /// Sample store; includes its loader in the measurement
    #[arg(long, value_name = "STORE")]
    data: Option<PathBuf>,
    /// Threads for arithmetic, and as many for the loader (0: all cores)
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=MAX_THREADS as i64))]
    threads: u16,
    /// Samples per step; by default the recipe's, or 256
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    batch: Option<u32>,
    /// Number format of the products in convolutions and dense layers: f32 or bf16
    #[arg(long, default_value_t = TrainingPrecision::F32)]
    precision: TrainingPrecision,
    /// Steps to measure, after two warm-up steps
    #[arg(long, default_value_t = SpeedRequest::STEPS, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Samples in the loader's shuffle window; small, so it does not read for minutes before the first step.
const SHUFFLE_WINDOW: usize = 65_536;

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (spec, batch) = network_and_batch(arguments)?;
    let threads = machine::threads_or_all(arguments.threads);
    let store = arguments.data.as_ref().map(|path| StoreSamples::open(path, &spec)).transpose()?;
    let request = SpeedRequest {
        spec,
        precision: arguments.precision,
        batch: arguments.batch.map_or(batch, |batch| batch as usize),
        threads,
        shuffle_window: SHUFFLE_WINDOW,
        steps: arguments.steps as usize,
    };
    let speed = measure_training(&request, store.as_ref().map(|store| store as &dyn Samples))?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&speed)?)?;
    } else {
        speed.lines().iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The network, and the batch size for which it was designed.
fn network_and_batch(arguments: &Arguments) -> anyhow::Result<(Spec, usize)> {
    if let Some(path) = &arguments.recipe {
        let recipe = recipe(path)?;
        return Ok((recipe.network, recipe.training.batch));
    }
    let spec = if let Some(path) = &arguments.spec {
        let text = files::read_text(path).with_context(|| format!("cannot read {}", path.display()))?;
        Spec::from_toml(&text).with_context(|| path.display().to_string())?
    } else {
        let Arguments { blocks, channels, squeeze_excite, .. } = arguments;
        Spec::from_toml(&format!(
            "blocks = {blocks}\nchannels = {channels}\nsqueeze_excite = {{ ratio = {squeeze_excite} }}"
        ))?
    };
    Ok((spec, TrainingConfig::BATCH as usize))
}

/// A recipe with a network. Self-play recipes, whose `[network]` is one of several tables, are accepted too.
fn recipe(path: &Path) -> anyhow::Result<Recipe> {
    if SelfPlayRecipe::is_at(path) {
        return Ok(SelfPlayRecipe::read(path)?.training);
    }
    match Learning::read(path)? {
        Learning::Network(recipe) => Ok(*recipe),
        Learning::Learners(_) => bail!("{}: a recipe of learners has no network to train", path.display()),
    }
}
