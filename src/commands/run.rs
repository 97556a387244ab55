use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context as _, Result};
use experiment::{Ending, Experiment, PlannedStep, Probe, Runner, plan_lines};
use files::utf8;
use player::RUNS;
use terminal::{print_line, stop_on_interrupt};
use training::Scale;

use super::INTERRUPTED;

/// Run an experiment: build the data, train the network, measure it, write a report.
///
/// The file is a recipe of `tabiya train` with three more sections: `[data]` defines the store, `[search]` how the network
/// plays, `[[evaluation]]` what is measured. The store is built from files (`sources`) or from games that an engine plays
/// (`generate`). An engine may evaluate its positions (`label`) and others one random move away (`neighbours`); Stockfish's own
/// network can do this too (`extract`). All sections are checked before the first step; finished steps are skipped, interrupted
/// ones resumed. At the end, each published number of the system is printed next to the result of the run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya run recipes/catfish-v3
  tabiya run recipes/catfish-v3 --plan
  tabiya run recipes/catfish-v3 --scale 0.01
  tabiya run recipes/catfish-v3 --data games.pgn")]
pub(crate) struct Arguments {
    /// The experiment: a TOML file, a folder with a recipe.toml, or the name of one in recipes/
    recipe: PathBuf,
    /// Folder of all runs
    #[arg(long, value_name = "FOLDER", default_value = RUNS)]
    runs: PathBuf,
    /// Games or positions to use instead of the recipe's, in any format of `tabiya data build`, or one sample store; may be
    /// repeated
    #[arg(long, value_name = "FILE")]
    data: Vec<PathBuf>,
    /// Run a fraction of the experiment, such as 0.01: of its games, steps, positions and matches, at least as many as every step
    /// needs. It has its own store and folder (NAME-at-0.01)
    #[arg(long, value_name = "SHARE")]
    scale: Option<Scale>,
    /// Print the commands instead of running them, with their times estimated from measurements of a few seconds
    #[arg(long)]
    plan: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    for path in [&arguments.recipe, &arguments.runs].into_iter().chain(&arguments.data) {
        utf8(path, "the commands of an experiment")?;
    }
    let mut experiment = Experiment::read_at(&arguments.recipe, arguments.scale, super::check)?;
    if !arguments.data.is_empty() {
        experiment.use_data(&arguments.data)?;
    }
    // All steps are planned, and their commands parsed, before the first runs: a typing error in the evaluation would otherwise appear
    // after a night of training.
    let steps = experiment.steps(&arguments.runs)?;
    let stop = stop_on_interrupt()?;
    if arguments.plan {
        let probe = Probe { stop: &stop, count_positions };
        return print_plan(&experiment.planned(steps, probe));
    }
    experiment.check_inputs(&arguments.runs)?;
    let folder = experiment.folder(&arguments.runs);
    let mut runner = Runner::open(&folder, stop, print_line)?;
    experiment.keep(&arguments.runs)?;
    Ok(match runner.run(&steps)? {
        Ending::Finished => {
            for pairing in experiment.pairings(&folder)? {
                writeln!(std::io::stdout(), "{pairing}").context("cannot write to standard output")?;
            }
            ExitCode::SUCCESS
        }
        Ending::Failed => ExitCode::FAILURE,
        Ending::Interrupted => {
            let data = arguments.data.iter().map(|file| format!(" --data {}", file.display()));
            let data: String = data.collect();
            let scale = arguments.scale.map(|scale| format!(" --scale {scale}")).unwrap_or_default();
            let elsewhere = Some(&arguments.runs).filter(|runs| runs.as_path() != Path::new(RUNS));
            let runs = elsewhere.map(|runs| format!(" --runs {}", runs.display())).unwrap_or_default();
            let again =
                format!("stopped; to continue: tabiya run {}{runs}{data}{scale}", arguments.recipe.display());
            writeln!(std::io::stderr(), "{again}").context("cannot write to standard error")?;
            ExitCode::from(INTERRUPTED)
        }
    })
}

/// Time for counting the positions of files.
const COUNTING: Duration = Duration::from_secs(3);

/// Counts the positions of files for a plan; large files are estimated.
pub(crate) fn count_positions(files: &[PathBuf]) -> Result<Option<u64>, String> {
    let count = dataset::count_positions(files, COUNTING).map_err(|error| error.to_string())?;
    Ok(count.map(|count| count.positions))
}

/// Prints the steps with their estimated times.
pub(crate) fn print_plan(planned: &[PlannedStep]) -> Result<ExitCode> {
    let lines = plan_lines(planned).join("\n");
    writeln!(std::io::stdout(), "{lines}").context("cannot write to standard output")?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use experiment::Learning;

    use super::*;

    /// The recipes of the five systems that `tabiya run` reads.
    const OF_SYSTEMS: [&str; 24] = [
        "aichess",
        "aichess-corrected",
        "catfish-corrected",
        "catfish-v1",
        "catfish-v2",
        "catfish-v3",
        "cogs188",
        "cogs188-corrected",
        "cogs188-report",
        "knights-blend",
        "knights-classical",
        "knights-e1",
        "knights-e3",
        "knights-e4",
        "knights-e7",
        "knights-el",
        "knights-el-corrected",
        "knights-report",
        "knights-sl",
        "knights-sl-1",
        "knights-sl-2",
        "knights-sl-4",
        "mlx",
        "mlx-corrected",
    ];

    /// A fraction of a recipe is valid, is smaller, and shares no result with the whole.
    #[test]
    fn every_recipe_of_a_system_has_a_plan_at_a_small_scale() {
        let runs = Path::new(RUNS);
        for name in OF_SYSTEMS {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes").join(name);
            let read = |scale| Experiment::read_at(&path, scale, crate::commands::check).unwrap();
            let (whole, small) = (read(None), read(Some("0.01".parse().unwrap())));
            match (&whole.learning, &small.learning) {
                (Learning::Network(whole), Learning::Network(small)) => {
                    small.check(name).unwrap();
                    let training = &small.training;
                    assert_eq!(
                        training.steps,
                        (whole.training.steps as f64 / 100.0).round() as u64,
                        "{name}"
                    );
                    assert!(training.steps / training.validation_interval <= 4, "{name}");
                }
                (Learning::Learners(whole), Learning::Learners(small)) => {
                    assert!(small.learner.positions < whole.learner.positions, "{name}");
                    let network = small.learner.blend.as_ref().map(|blend| blend.network.as_str());
                    assert!(network.is_none_or(|network| network.contains("-at-0.01/")), "{name}");
                }
                _ => panic!("{name}"),
            }
            let [all, few] = [&whole, &small].map(|experiment| experiment.steps(runs).unwrap());
            assert_eq!(all.len(), few.len(), "{name}");
            let results: BTreeSet<&Path> = all.iter().map(|step| step.output.result()).collect();
            for step in &few {
                assert!(!results.contains(step.output.result()), "{name}: {} is shared", step.name);
                let is_match = ["match", "ladder"].contains(&step.arguments[0].as_str());
                let games = step.arguments.iter().position(|word| is_match && word == "--games");
                let games: Option<u32> = games.map(|place| step.arguments[place + 1].parse().unwrap());
                assert!(games.is_none_or(|games| games >= 2 && games.is_multiple_of(2)), "{name}: {games:?}");
            }
            // Its own file of the whole experiment can be read again, as reports do.
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(files::run::EXPERIMENT);
            std::fs::write(&file, small.to_toml().unwrap()).unwrap();
            let again = Experiment::read(&file, crate::commands::check).unwrap();
            if let (Learning::Network(again), Learning::Network(small)) = (&again.learning, &small.learning) {
                assert_eq!(again.training, small.training, "{name}");
            }
            assert_eq!(
                again.pairings(folder.path()).unwrap(),
                small.pairings(folder.path()).unwrap(),
                "{name}"
            );
        }
    }

    #[test]
    fn every_system_that_is_played_is_among_the_recipes() {
        for system in player::SYSTEMS {
            assert!(OF_SYSTEMS.contains(&system.network.name), "{system:?}");
        }
    }

    /// The report of a network that is ours opens with the system's own number, not with "no step measures it".
    #[test]
    fn a_corrected_system_is_measured_by_what_was_published() {
        let nothing = tempfile::tempdir().unwrap();
        // AIChess published no result.
        for name in ["catfish-corrected", "cogs188-corrected", "knights-el-corrected", "mlx-corrected"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes").join(name);
            let pairings =
                Experiment::read(&path, crate::commands::check).unwrap().pairings(nothing.path()).unwrap();
            let first = pairings.first().unwrap().to_string();
            assert!(first.contains("; yours: not measured yet; different: "), "{name}: {first}");
        }
    }

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
