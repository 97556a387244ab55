//! `tabiya run`.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result};
use experiment::{Ending, Experiment, Runner};
use output::utf8;
use terminal::{print_line, stop_on_interrupt};

/// Run a whole experiment: build the store, train the network, measure it, write a report.
///
/// The file is a recipe of `tabiya train` with three more sections: `[data]` says what the store is made of, `[search]` how the
/// network plays, `[[evaluation]]` what is measured. Everything is checked before anything is done; what has a result already is not
/// done again, and an interrupted command is continued.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya run recipes/aichess
  tabiya run recipes/aichess --plan")]
pub(crate) struct Arguments {
    /// The experiment: a TOML file, or a folder with a recipe.toml
    recipe: PathBuf,
    /// Folder of all runs
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    runs: PathBuf,
    /// Print the commands instead of running them
    #[arg(long)]
    plan: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    for path in [&arguments.recipe, &arguments.runs] {
        utf8(path, "the commands of an experiment")?;
    }
    let experiment = Experiment::read(&arguments.recipe, super::check)?;
    let steps = experiment.steps(&arguments.runs)?;
    if arguments.plan {
        let lines: Vec<String> =
            steps.iter().map(|step| format!("tabiya {}", step.arguments.join(" "))).collect();
        writeln!(std::io::stdout(), "{}", lines.join("\n")).context("cannot write to standard output")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut runner = Runner::open(&experiment.folder(&arguments.runs), stop_on_interrupt()?, print_line)?;
    Ok(match runner.run(&steps)? {
        Ending::Finished => ExitCode::SUCCESS,
        Ending::Interrupted => {
            let again = format!("stopped; to go on: tabiya run {}", arguments.recipe.display());
            writeln!(std::io::stderr(), "{again}").context("cannot write to standard error")?;
            // What a shell reports for a program that Ctrl-C ended.
            ExitCode::from(130)
        }
    })
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
