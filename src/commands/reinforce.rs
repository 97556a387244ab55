//! `tabiya reinforce`.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use chess::StopSignal;
use network::{CpuOptions, Device, Spec, Weights};
use output::{FolderLock, OutputFile};
use player::{PlayerSpecification, read_weights};
use selfplay::reinforce::{ReinforceSettings, drawn_games, graded_samples::GradedSamples, grading};
use serde_json::{Value, json};
use strength::{Contestant, MeasuredCurve, MeasuredPoint, draw_measured_curves, statistics::Measurement};
use training::{EndReason, Observer, Progress, Recipe, Trainer, Validation};

use crate::interrupt::stop_on_interrupt;

/// Improve a network's policy by REINFORCE: moves are drawn from it, an engine grades them, and better ones become likelier.
///
/// In each iteration the network plays games by drawing every move from its policy; the engine looks at every position once, and the
/// grade of a move is the expected score after it less that before it. Everything is written to runs/NAME: the network of each
/// iteration, and the mean grade with its 95 % interval as log.jsonl and curves.svg. Started again, the run goes on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya reinforce recipes/reinforce --from default --engine uci=stockfish,nodes=2000
  tabiya reinforce recipes/reinforce --from runs/first/network.tabiya --engine default,nodes=100")]
pub(crate) struct Arguments {
    /// The recipe: that of a training without data, with a table `[reinforce]`
    recipe: PathBuf,
    /// The network to begin with, which must have the recipe's [network], if that has one: a weights file, or `default`
    #[arg(long, value_name = "NETWORK")]
    from: String,
    /// The engine that grades, as players are named everywhere, with its limit a position
    #[arg(long, value_name = "PLAYER")]
    engine: PlayerSpecification,
    /// Iterations after which the run ends, those of earlier starts included
    #[arg(long, value_name = "N", default_value_t = 20)]
    iterations: u32,
    /// Name of the run and its folder in runs/; by default that of the recipe's folder or file
    #[arg(long)]
    name: Option<String>,
    /// Folder of all runs
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    runs: PathBuf,
    /// Engines that grade at the same time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=512))]
    engines: u64,
    /// Print one line of JSON for each iteration on stdout
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let start = read_weights(&arguments.from)?;
    let (recipe, settings) = read_recipe(&arguments.recipe, &start.spec)?;
    let name = super::train::run_name(arguments.name.as_deref(), &arguments.recipe, &arguments.runs)?;
    anyhow::ensure!(
        start.spec == recipe.network,
        "{}: a {} network, and not exactly the [network] of the recipe ({}), which must have the same keys",
        arguments.from,
        start.spec.shape_name(),
        recipe.network.shape_name()
    );
    let run = Run {
        folder: arguments.runs.join(name),
        engine: arguments.engine.contestant_for_positions()?,
        engines: arguments.engines as usize,
        start: start.to_bytes()?,
        recipe,
        settings,
        json: arguments.json,
    };
    let _lock = FolderLock::take(&run.folder)?;
    std::fs::create_dir_all(&run.folder).with_context(|| format!("cannot make {}", run.folder.display()))?;
    for iteration in 1..=arguments.iterations {
        if run.network(iteration).exists() {
            continue;
        }
        if stop.is_stopped() || !run.iterate(iteration, &stop)? {
            return Ok(ExitCode::from(130));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A run in progress.
struct Run {
    folder: PathBuf,
    recipe: Recipe,
    settings: ReinforceSettings,
    engine: Contestant,
    engines: usize,
    /// The network that the run began with.
    start: Vec<u8>,
    json: bool,
}

impl Run {
    /// The network that an iteration makes; 0 is the start.
    fn network(&self, iteration: u32) -> PathBuf {
        self.folder.join(format!("{iteration:05}.tabiya"))
    }

    /// Plays, grades and learns; false where the signal came first.
    fn iterate(&self, iteration: u32, stop: &StopSignal) -> Result<bool> {
        let device = Device::open(network::DeviceKind::Cpu)?;
        let before = if iteration == 1 {
            self.start.clone()
        } else {
            let path = self.network(iteration - 1);
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?
        };
        let open = |bytes: &[u8]| network::from_bytes(bytes, &device, CpuOptions::default());
        let (now, start) = (open(&before)?, open(&self.start)?);
        let games = drawn_games::play(now.as_ref(), start.as_ref(), &self.settings, iteration)?;
        let grades = grading::grade_games(&self.engine, &games, self.engines)?;
        self.report(iteration - 1, &grades)?;
        let name = format!("{}, iteration {iteration}", self.recipe.title);
        let spec = &self.recipe.network;
        let encodings = (spec.input_encoding()? as _, spec.move_encoding()? as _);
        let samples = GradedSamples::new(name, &games, &grades, encodings, &self.settings);
        let from = Weights::from_bytes(&before, &format!("network {}", iteration - 1))?;
        let folder = self.folder.join(format!("{iteration:05}"));
        // A lesson of seconds that broke off begins anew.
        remove(&folder)?;
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut trainer = Trainer::start(self.recipe.clone(), &samples, &folder, &device, Some(&from))?;
        let outcome = trainer.run(&mut Silent, stop)?;
        if outcome.ending == EndReason::Interrupted {
            return Ok(false);
        }
        let network = outcome.network.context("the training ended without a network")?;
        std::fs::rename(&network, self.network(iteration))
            .with_context(|| format!("cannot put {} into its place", network.display()))?;
        remove(&folder)?;
        Ok(true)
    }

    /// Writes down the mean grade of the moves that a network drew.
    fn report(&self, network: u32, grades: &[Vec<f32>]) -> Result<()> {
        let games: Vec<Vec<f64>> =
            grades.iter().map(|game| game.iter().map(|&grade| f64::from(grade)).collect()).collect();
        let mean = Measurement::grouped_mean(&games, -1.0..=1.0).context("no move was drawn")?;
        let line = json!({
            "kind": "step",
            "step": network,
            "reinforce": { "grade": mean.value, "grade_lower": mean.lower, "grade_upper": mean.upper, "moves": mean.samples },
        });
        writeln!(
            std::io::stderr(),
            "network {network}: mean grade {:.4} ({:.4} to {:.4}) of {} moves in {} games",
            mean.value,
            mean.lower,
            mean.upper,
            mean.samples,
            grades.len()
        )?;
        if self.json {
            writeln!(std::io::stdout(), "{line}")?;
        }
        let path = self.folder.join("log.jsonl");
        let known = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            known => known.with_context(|| format!("cannot read {}", path.display()))?,
        };
        // An iteration that was broken off after its grades has its line already.
        let kept = known.lines().take(network as usize).map(|line| format!("{line}\n"));
        let log = format!("{}{line}\n", kept.collect::<String>());
        OutputFile::open(&path)?.finish(&log)?;
        let curve = curve(&log).with_context(|| path.display().to_string())?;
        let image = draw_measured_curves(&self.recipe.title, &[curve]).map_err(anyhow::Error::msg);
        let image = image.context("cannot draw the grades")?;
        Ok(OutputFile::open(&self.folder.join("curves.svg"))?.finish(image)?)
    }
}

/// The mean grades of a log.
fn curve(log: &str) -> Result<MeasuredCurve> {
    let points = log.lines().map(|line| {
        let line: Value = serde_json::from_str(line)?;
        let number = |name: &str| {
            line["reinforce"][name].as_f64().with_context(|| format!("found no {name}, expected a number"))
        };
        Ok(MeasuredPoint {
            step: u32::try_from(line["step"].as_u64().context("found no step, expected a number")?)?,
            value: number("grade")?,
            interval: Some([number("grade_lower")?, number("grade_upper")?]),
        })
    });
    Ok(MeasuredCurve {
        title: "mean grade of the moves drawn, as expected score (bars: 95 %); 0 is the engine's choice"
            .into(),
        points: points.collect::<Result<_>>()?,
        reference: None,
    })
}

/// The recipe of one iteration's training, and how games are drawn. One without a network takes that of the start.
fn read_recipe(path: &Path, start: &Spec) -> Result<(Recipe, ReinforceSettings)> {
    let path = if path.is_dir() { path.join("recipe.toml") } else { path.to_path_buf() };
    let place = path.display().to_string();
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read the recipe {place}"))?;
    let mut training: toml::Table = text.parse().with_context(|| place.clone())?;
    let settings =
        training.remove("reinforce").with_context(|| format!("{place}: found no table [reinforce]"))?;
    let settings: ReinforceSettings = settings.try_into().with_context(|| format!("{place}: [reinforce]"))?;
    settings.check().with_context(|| place.clone())?;
    anyhow::ensure!(
        training.insert("data".into(), "drawn games".into()).is_none(),
        "{place}: found `data`, expected none: the moves are drawn"
    );
    let recipe = Recipe::from_table(training, Some(start), &place)?;
    let smoothing = recipe.losses.label_smoothing;
    anyhow::ensure!(
        smoothing == 0.0,
        "{place}: losses.label_smoothing = {smoothing}: expected 0: targets are signed"
    );
    Ok((recipe, settings))
}

fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// The steps of an iteration are too few to report.
struct Silent;

impl Observer for Silent {
    fn step(&mut self, _: &Progress) {}

    fn validation(&mut self, _: u64, _: &Validation) {}

    fn checkpoint(&mut self, _: u64, _: &Path) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipe_of_the_repository_is_valid() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes/reinforce");
        let start = read_weights("default").unwrap().spec;
        let (recipe, settings) = read_recipe(&folder, &start).unwrap();
        assert!(recipe.network == start && settings.games > 0);
    }
}
