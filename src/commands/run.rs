use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result};
use experiment::{Ending, Experiment, PlannedStep, Runner, plan_lines};
use output::utf8;
use player::RUNS;
use terminal::{print_line, stop_on_interrupt};

use super::INTERRUPTED;

/// Run a whole experiment: make the data, train the network, measure it, write a report.
///
/// The file is a recipe of `tabiya train` with three more sections: `[data]` defines the store, `[search]` how the network
/// plays, `[[evaluation]]` what is measured. The store is built from files (`sources`) or from games that an engine plays
/// (`generate`). An engine may evaluate its positions (`label`) and others one random move away (`neighbours`); Stockfish's own
/// network can do this too (`extract`). Everything is checked before anything is run; finished steps are skipped, interrupted
/// ones resumed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya run recipes/catfish-v3
  tabiya run recipes/catfish-v3 --plan
  tabiya run recipes/catfish-v3 --data games.pgn")]
pub(crate) struct Arguments {
    /// The experiment: a TOML file, or a folder with a recipe.toml
    recipe: PathBuf,
    /// Folder of all runs
    #[arg(long, value_name = "FOLDER", default_value = RUNS)]
    runs: PathBuf,
    /// Games or positions to use instead of the recipe's, in any format of `tabiya data build`, or one sample store; may be
    /// repeated
    #[arg(long, value_name = "FILE")]
    data: Vec<PathBuf>,
    /// Print the commands instead of running them, with the time that each will take, estimated from measurements of a few seconds
    #[arg(long)]
    plan: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    for path in [&arguments.recipe, &arguments.runs].into_iter().chain(&arguments.data) {
        utf8(path, "the commands of an experiment")?;
    }
    let mut experiment = Experiment::read(&arguments.recipe, super::check)?;
    if !arguments.data.is_empty() {
        experiment.use_data(&arguments.data)?;
    }
    let steps = experiment.steps(&arguments.runs)?;
    let stop = stop_on_interrupt()?;
    if arguments.plan {
        return print_plan(&experiment.planned(steps, &stop));
    }
    let mut runner = Runner::open(&experiment.folder(&arguments.runs), stop, print_line)?;
    Ok(match runner.run(&steps)? {
        Ending::Finished => ExitCode::SUCCESS,
        Ending::Failed => ExitCode::FAILURE,
        Ending::Interrupted => {
            let data = arguments.data.iter().map(|file| format!(" --data {}", file.display()));
            let data: String = data.collect();
            let again = format!("stopped; to continue: tabiya run {}{data}", arguments.recipe.display());
            writeln!(std::io::stderr(), "{again}").context("cannot write to standard error")?;
            ExitCode::from(INTERRUPTED)
        }
    })
}

/// Prints what would be done, and how long it would take.
pub(crate) fn print_plan(planned: &[PlannedStep]) -> Result<ExitCode> {
    let lines = plan_lines(planned).join("\n");
    writeln!(std::io::stdout(), "{lines}").context("cannot write to standard output")?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_is_checked_by_the_commands_that_read_it() {
        let data = "data = \"stores/x\"";
        for (sections, expected) in [
            (
                "data = { store = \"x\", sources = [\"a\"], options = { min-elo = 5 } }".into(),
                "unexpected argument '--min-elo'",
            ),
            ("data = { store = \"x\", sources = [\"a\"], options = { speed = \"slow\" } }".into(), "slow"),
            (
                "data = { store = \"x\", generate = { engine = \"uci=stockfish,nodes=9\", gmaes = 5 } }"
                    .into(),
                "unexpected argument '--gmaes'",
            ),
            (
                "data = { store = \"x\", sources = [\"a\"], label = { engine = \"uci=stockfish,dpeth=9\" } }"
                    .into(),
                "dpeth",
            ),
            (
                format!("{data}\nevaluation = [{{ name = \"x\", command = \"measure {{player}}\" }}]"),
                "unrecognized subcommand",
            ),
            (
                format!("{data}\nevaluation = [{{ name = \"x\", command = \"match {{player}} somebody\" }}]"),
                "somebody",
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("trial.toml");
            let training = "[training]\nsteps = 1000\n[network]\nblocks = 1\nchannels = 8\n";
            std::fs::write(&file, format!("title = \"Trial\"\n{sections}\n{training}")).unwrap();
            let read = Experiment::read(&file, crate::commands::check);
            let message = format!("{:#}", anyhow::Error::new(read.err().unwrap()));
            assert!(message.contains(expected), "{sections}: {message}");
            assert!(message.contains("trial.toml"), "{message}");
        }
    }
}
