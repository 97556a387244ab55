use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use experiment::{ComparisonPlan, Ending, Experiment, Probe, read_comparison};
use player::{DEFAULT_NETWORK, PlayerSpecification, RUNS};
use strength::{MatchSettings, ladder::LadderPlan};
use terminal::{print_line, stop_on_interrupt};

use super::{INTERRUPTED, check};
use crate::commands::{
    machine::program,
    match_options::even,
    run::{count_positions, print_plan},
};

/// Compare experiments: train what is not trained yet, play a round-robin and the ladder, and write one report.
///
/// For each experiment the report gives the parameters, time and losses, the speed and strength of its player with intervals, and
/// the published numbers of the system next to the results here. Finished steps are skipped, and the data of a finished training
/// run is not rebuilt.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya compare recipes/aichess recipes/mlx --games 200 --ladder 200 --plan
  tabiya compare recipes/aichess recipes/mlx --games 200 --ladder 200 --out comparison
  tabiya compare recipes/knights-e1 --data games.pgn --ladder 0
  tabiya compare recipes/mlx --player material --games 20 --ladder 0 --out quick
  tabiya compare --player aichess --player knights-el --games 20 --ladder 0
  tabiya compare recipes/aichess recipes/mlx --out later --against comparison")]
pub(crate) struct Arguments {
    /// The experiments: TOML files, folders with a recipe.toml, or names of those in recipes/
    #[arg(required_unless_present = "players", value_name = "RECIPE")]
    recipes: Vec<PathBuf>,
    /// Another player, which is not trained; may be repeated. The report includes the training of a network and, for networks
    /// of the systems (`cogs188`), the published numbers. Default: `default`, the bundled network
    #[arg(long = "player", value_name = "PLAYER", default_value = DEFAULT_NETWORK)]
    players: Vec<PlayerSpecification>,
    /// Games of each pair in the round-robin
    #[arg(long, default_value_t = MatchSettings::GAMES, value_name = "N", value_parser = even)]
    games: u32,
    /// Games of each player on the ladder of Stockfish's levels; 0 for no ladder
    #[arg(long, default_value_t = LadderPlan::GAMES, value_name = "N")]
    ladder: u32,
    /// Games or positions to use instead of those of the recipes, or one sample store, as in `tabiya run`; may be repeated. A network
    /// that was trained on them needs it too
    #[arg(long, value_name = "FILE")]
    data: Vec<PathBuf>,
    /// Folder of all runs
    #[arg(long, value_name = "FOLDER", default_value = RUNS)]
    runs: PathBuf,
    /// Folder for games and report
    #[arg(long, value_name = "FOLDER", default_value = ComparisonPlan::OUT)]
    out: PathBuf,
    /// Earlier comparison to show next to this one in the report: its folder, or its result.json
    #[arg(long, value_name = "FOLDER")]
    against: Option<PathBuf>,
    /// Print the commands instead of running them, with their times estimated from measurements of a few seconds
    #[arg(long)]
    plan: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut plan = ComparisonPlan::new(check, program());
    (plan.games, plan.ladder) = (arguments.games, arguments.ladder);
    (plan.runs, plan.out) = (arguments.runs.clone(), arguments.out.clone());
    for path in &arguments.recipes {
        let mut experiment = Experiment::read(path, check)?;
        if !arguments.data.is_empty() {
            experiment.use_data(&arguments.data)?;
        }
        plan.add_experiment(experiment)?;
    }
    for player in &arguments.players {
        plan.add_player(player.clone())?;
    }
    plan.against = arguments.against.as_deref().map(read_comparison).transpose()?;
    let stop = stop_on_interrupt()?;
    if arguments.plan {
        return print_plan(&plan.planned(Probe { stop: &stop, count_positions })?);
    }
    Ok(match plan.run(&stop, print_line)? {
        Ending::Finished => ExitCode::SUCCESS,
        Ending::Failed => ExitCode::FAILURE,
        Ending::Interrupted => ExitCode::from(INTERRUPTED),
    })
}
