use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Result;
use files::{Begin, Inputs, WorkFolder, run::FolderKind};
use player::{PlayerSpecification, RUNS, read_weights, with_network, with_player};
use serde_json::json;
use terminal::{print_line, stop_on_interrupt};

use selfplay::{
    reinforce::{NetworkGrade, ReinforceRecipe, ReinforceRun},
    run_end,
};

use super::INTERRUPTED;

/// Improve a network's policy by REINFORCE: sample moves from it, grade them with an engine, and make better ones likelier.
///
/// In each iteration the network plays games by sampling every move from its policy. The engine evaluates every position once,
/// and the grade of a move is the expected score after it minus the expected score before it. Everything is written to
/// runs/NAME: the network of each iteration, and the mean grade with its 95 % interval as log.jsonl and curves.svg. The same
/// command resumes an interrupted run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya reinforce recipes/reinforce --from cnn --engine uci=stockfish,nodes=2000
  tabiya reinforce recipes/reinforce --from runs/first/network.tabiya --engine default,nodes=100")]
pub(crate) struct Arguments {
    /// The recipe of a training without data, with a table `[reinforce]`
    recipe: PathBuf,
    /// The network to start from: a weights file, or `default`. If the recipe has a [network], this network must match it
    #[arg(long, value_name = "NETWORK")]
    from: String,
    /// The engine that grades, named like any player, with its limit per position
    #[arg(long, value_name = "PLAYER")]
    engine: PlayerSpecification,
    /// Iterations after which the run ends, including those of earlier starts
    #[arg(long, value_name = "N", default_value_t = ReinforceRun::ITERATIONS)]
    iterations: u32,
    /// Name of the run and its folder in runs/; by default the name of the recipe's folder or file
    #[arg(long)]
    name: Option<String>,
    /// Folder of all runs
    #[arg(long, value_name = "FOLDER", default_value = RUNS)]
    runs: PathBuf,
    /// Number of engines that grade in parallel
    #[arg(long, value_name = "N", default_value_t = ReinforceRun::ENGINES, value_parser = clap::value_parser!(u64).range(1..=512))]
    engines: u64,
    /// Print one line of JSON for each iteration on stdout
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let start = read_weights(&arguments.from)?;
    let recipe = ReinforceRecipe::read(&arguments.recipe, &start.spec)?;
    let name = super::train::run_name(arguments.name.as_deref(), &arguments.recipe, &arguments.runs)?;
    anyhow::ensure!(
        start.spec == recipe.training.network,
        "{}: found a {} network, expected exactly the [network] of the recipe ({}), with the same keys",
        arguments.from,
        start.spec.shape_name(),
        recipe.training.network.shape_name()
    );
    let run = ReinforceRun {
        folder: arguments.runs.join(name),
        engine: arguments.engine.contestant_for_positions()?,
        engines: arguments.engines as usize,
        start: start.to_bytes()?,
        recipe,
    };
    let inputs = with_player(with_network(Inputs::default(), &arguments.from), &arguments.engine);
    let setup = json!({
        "inputs": inputs,
        "from": arguments.from,
        "engine": arguments.engine.to_string(),
        "recipe": run.recipe.to_toml()?,
    });
    let _folder = WorkFolder::at(&run.folder, &FolderKind::REINFORCE, &setup, Begin::Resume)?;
    if !run.network(arguments.iterations).exists() {
        run_end::go_on(&run.folder)?;
    }
    for iteration in 1..=arguments.iterations {
        if run.network(iteration).exists() {
            continue;
        }
        if stop.is_stopped() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        let is_complete = run.iterate(iteration, &stop, &mut |grade: &NetworkGrade| {
            print_line(&grade.to_string());
            if arguments.json { writeln!(std::io::stdout(), "{}", grade.line()) } else { Ok(()) }
        })?;
        if !is_complete {
            return Ok(ExitCode::from(INTERRUPTED));
        }
    }
    run_end::finish(&run.folder)?;
    Ok(ExitCode::SUCCESS)
}
