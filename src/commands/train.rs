mod learners;
mod personal;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use dataset::Split;
use experiment::Learning;
use network::{TrainingPrecision, Weights};
use player::{RUNS, read_weights};
use terminal::{TrainingProgress, stop_on_interrupt};
use training::{EndReason, Recipe, RecipeChanges, Samples, Scale, StoreSamples, Trainer, TrainingOutcome};

use figures::DurationText;
use files::{FolderLock, claim, remove_partial, run::FolderKind, utf8};

use crate::commands::{INTERRUPTED, machine::COMMIT};

/// Train a network from a recipe.
///
/// Everything is written to runs/NAME: the resolved recipe, checkpoints, log.jsonl, curves.svg, and at the end network.tabiya
/// and summary.json. Ctrl-C writes a checkpoint and stops; --resume continues from there. A recipe with the section `learner`
/// fits learners without a network instead and writes learners.tabiya, result.json and sweep.svg.
///
/// A recipe whose data are personal games (`tabiya data personal`) trains a network to play like their player. The summary
/// gives its top-1 accuracy on the player's moves in held-out games, before and after training.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya train recipes/first --data stores/first --name first
  tabiya train recipes/first --name first --resume --steps 40000
  tabiya train recipes/first --name tuned --from runs/first/network.tabiya
  tabiya train recipes/knights-classical --data stores/knights
  tabiya train recipes/you --from human")]
pub(crate) struct Arguments {
    /// The recipe: a TOML file, a folder with a recipe.toml, or the name of one in recipes/.
    recipe: PathBuf,
    /// The sample store or the personal games, instead of the recipe's.
    #[arg(long, value_name = "STORE")]
    data: Option<PathBuf>,
    /// Name of the run and its folder in runs/; the recipe's folder or file name by default.
    #[arg(long)]
    name: Option<String>,
    /// Folder of all runs.
    #[arg(long, value_name = "FOLDER", default_value = RUNS)]
    runs: PathBuf,
    /// Continue the run of this name from its newest checkpoint. Steps, schedule and the settings of validations, checkpoints
    /// and the log may differ from before, so a finished run can continue with more steps
    #[arg(long)]
    resume: bool,
    /// Start from the weights of this network instead of random ones: .tabiya, lc0's .pb.gz, or a bundled network. A recipe
    /// without a [network] uses that of the weights. The [network] of any other recipe must be the same, but may add planes of
    /// the input encoding (such as tabiya-rated instead of tabiya), blocks with squeeze-and-excitation, and the policy head of
    /// 3x3 convolutions
    #[arg(long, value_name = "NETWORK", conflicts_with = "resume")]
    from: Option<String>,
    /// Device: `cpu`. On a GPU, the Python package trains the same recipes
    #[arg(long, default_value = "cpu", value_parser = the_cpu)]
    device: String,
    /// Steps of the whole run, instead of the recipe's. If the recipe's warm-up does not fit into them, it is shortened to a
    /// tenth of them.
    #[arg(long)]
    steps: Option<u64>,
    /// Train a fraction of the recipe's steps, such as 0.01, or learners on a fraction of its positions, in the run NAME-at-0.01
    #[arg(long, value_name = "SHARE")]
    scale: Option<Scale>,
    /// Threads, instead of the recipe's; 0 = all cores.
    #[arg(long)]
    threads: Option<usize>,
    /// Precision of the products in convolutions and dense layers, instead of the recipe's: f32 or bf16.
    #[arg(long)]
    precision: Option<TrainingPrecision>,
    /// Print the outcome as JSON on stdout; progress goes to stderr.
    #[arg(long)]
    json: bool,
}

/// Accepts the only device that this program trains on.
fn the_cpu(device: &str) -> Result<String, String> {
    if device == "cpu" {
        return Ok(device.into());
    }
    Err("expected cpu: on a GPU, train with `python -m tabiya.train RECIPE --data STORE`".into())
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(recipe) = Learning::learners(&arguments.recipe)? {
        return learners::run(arguments, recipe);
    }
    let name = arguments.run_name()?;
    let folder = arguments.runs.join(&name);
    // Opens every file the user named before creating output.
    let from = arguments.from.as_deref().map(read_weights).transpose()?;
    let mut recipe = resolve(arguments, &folder, from.as_ref())?;
    let personal = personal::of(&mut recipe, arguments)?;
    let samples = StoreSamples::of_recipe(&recipe)?;
    // The folder is touched only from here on, after everything that can be wrong with the arguments: a mistyped path must not leave an
    // empty run behind, and a second process must not clear the files of the first.
    let _lock = FolderLock::take(&folder)?;
    // A checkpoint cut off by a kill may be large.
    for written in [&folder, &folder.join(files::run::CHECKPOINTS)] {
        remove_partial(written)?;
    }
    let mut report = TrainingProgress::new(&recipe);
    report.line(&introduction(&recipe, &samples)?);
    claim(&folder, &FolderKind::TRAINING)?;
    let begins = personal.as_ref().zip(arguments.from.as_deref());
    let begun = begins.map(|(personal, from)| personal::begin(personal, &folder, from)).transpose()?;
    let trainer = if arguments.resume {
        Trainer::resume(recipe, &samples, &folder)?
    } else {
        Trainer::start(recipe, &samples, &folder, from.as_ref())?
    };
    let mut trainer = trainer.built_from(COMMIT);
    report.line(&format!("computing with {}", trainer.arithmetic()));
    if let Some(weights) = &from {
        report.line(&format!("starting from the weights of {}", weights.provenance.name));
    }
    if arguments.resume {
        report.line(&format!("resuming {} after step {}", folder.display(), trainer.step()));
        for change in trainer.changes().iter().filter(|change| change.after_step == trainer.step()) {
            report.line(&format!("changed from here on: {}", change.difference));
        }
    }
    let known = personal.as_ref().map(|_| personal::known(begun, &folder)).transpose()?;
    let outcome = trainer.run(&mut report, &stop_on_interrupt()?)?;
    report.finish();
    report.line(&farewell(&outcome, arguments, &name));
    let mut summary = serde_json::to_value(&outcome)?;
    if let (Some(personal), Some(known), Some(network)) = (&personal, known, &outcome.network) {
        let measured = personal::end(personal, &folder, known, network)?;
        report.line(&measured.describe());
        summary["person"] = measured.summary();
    }
    if arguments.json {
        use std::io::Write as _;
        writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&summary)?)?;
    }
    Ok(if outcome.ending == EndReason::Interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// The recipe with the changes of the command line. A recipe without a network gets that of the starting weights or of the run
/// in `folder`.
fn resolve(arguments: &Arguments, folder: &Path, from: Option<&Weights>) -> anyhow::Result<Recipe> {
    let begun = folder.join(files::run::RECIPE);
    let resumed = (arguments.resume && begun.exists()).then(|| Recipe::read(&begun)).transpose()?;
    let network = from.map(|weights| &weights.spec).or(resumed.as_ref().map(|recipe| &recipe.network));
    let mut recipe = Recipe::read_for(&arguments.recipe, network)?;
    if let Some(scale) = arguments.scale {
        recipe = recipe.at_scale(scale);
    }
    if let Some(data) = &arguments.data {
        utf8(data, "the recipe of a run")?;
    }
    let changes = RecipeChanges {
        data: arguments.data.clone(),
        steps: arguments.steps,
        threads: arguments.threads,
        precision: arguments.precision,
    };
    changes.apply(&mut recipe);
    recipe.check("command line")?;
    Ok(recipe)
}

impl Arguments {
    /// The name of the run.
    fn run_name(&self) -> anyhow::Result<String> {
        let name = run_name(self.name.as_deref(), &self.recipe, &self.runs)?;
        Ok(self.scale.filter(|_| self.name.is_none()).map_or(name.clone(), |scale| scale.name(&name)))
    }
}

/// The given name, or the name of the recipe's folder or file.
pub(crate) fn run_name(given: Option<&str>, recipe: &Path, runs: &Path) -> anyhow::Result<String> {
    if let Some(name) = given {
        let is_name = files::is_name(Path::new(name));
        anyhow::ensure!(is_name, "--name {name:?}: expected the name of a folder in {}", runs.display());
        return Ok(name.to_owned());
    }
    player::recipe_name(&player::recipe_file(recipe)).context("name the run with --name NAME")
}

fn introduction(recipe: &Recipe, samples: &StoreSamples) -> anyhow::Result<String> {
    let stream = recipe.stream.as_ref().map(|stream| format!("; {stream}")).unwrap_or_default();
    Ok(format!(
        "{}: {} network, {} parameters, {}; {} training and {} held-out positions in {}{stream}",
        recipe.title,
        recipe.network.shape_name(),
        recipe.network.parameter_count()?,
        recipe.network.inputs()?,
        samples.positions(Split::Train),
        samples.positions(Split::Validation),
        recipe.data.display(),
    ))
}

fn farewell(outcome: &TrainingOutcome, arguments: &Arguments, name: &str) -> String {
    let TrainingOutcome { step, positions, seconds, .. } = outcome;
    let so_far = format!("after step {step}, {positions} positions, {}", DurationText(*seconds));
    match (&outcome.ending, &outcome.network, outcome.exported_step) {
        (EndReason::Interrupted, _, _) => format!(
            "stopped {so_far}; to continue: tabiya train {} --name {name} --resume (and the other options as before)",
            arguments.recipe.display()
        ),
        (ending, Some(network), Some(exported)) => {
            let reason =
                if *ending == EndReason::Stale { "ended early (no better loss)" } else { "finished" };
            format!("{reason} {so_far}; weights of step {exported} in {}", network.display())
        }
        _ => format!("ended {so_far}"),
    }
}
