//! `tabiya train` for a recipe with the section `[learner]`.

use std::{io::Write as _, path::Path, process::ExitCode};

use anyhow::{Context as _, Result, ensure};
use files::{FolderLock, OutputFile, claim, run::FolderKind, utf8};
use player::{network_hash, open_evaluator};
use regression::{LearnerRecipe, TrainingSetting};
use terminal::print_line;

use super::{Arguments, COMMIT};
use crate::commands::machine::machine;

/// Fits the learners and writes them, their errors and the curve of their sweep.
pub(super) fn run(arguments: &Arguments, mut recipe: LearnerRecipe) -> Result<ExitCode> {
    refuse_options_of_networks(arguments)?;
    if let Some(data) = &arguments.data {
        utf8(data, "the recipe of a run")?;
        recipe = recipe.with_store(data);
    }
    if let Some(scale) = arguments.scale {
        recipe = recipe.at_scale(scale);
    }
    let name = arguments.run_name()?;
    // Opens every file the user named before creating output.
    let network = match &recipe.learner.blend {
        Some(blend) => {
            let opened = open_evaluator(&blend.network, None)?;
            Some((opened.evaluator, network_hash(&blend.network)?))
        }
        None => None,
    };
    let folder = arguments.runs.join(&name);
    let _lock = FolderLock::take(&folder)?;
    // Its recipe would be replaced, and without that it cannot be resumed.
    let of_network = [files::run::LOG, files::run::CHECKPOINTS, files::run::NETWORK];
    ensure!(
        of_network.iter().all(|name| !folder.join(name).exists()),
        "{} holds the run of a network: choose another --name",
        folder.display()
    );
    claim(&folder, &FolderKind::TRAINING)?;
    let setting =
        TrainingSetting { name, commit: COMMIT.into(), hardware: machine(), network, say: &print_line };
    print_line(&format!("{}: {}", recipe.title, recipe.store().display()));
    let (ensemble, report) = regression::train(&recipe, &setting)?;
    print_line(&report.to_string());
    write(&folder.join(files::run::RECIPE), recipe.to_toml()?)?;
    write(&folder.join(files::run::LEARNERS), ensemble.to_bytes()?)?;
    if let Some(image) = regression::draw_sweep(&report)? {
        write(&folder.join("sweep.svg"), image)?;
    }
    let json = serde_json::to_string_pretty(&report)?;
    write(&folder.join(files::run::RESULT), &json)?;
    print_line(&format!("learners in {}", folder.join(files::run::LEARNERS).display()));
    if arguments.json {
        writeln!(std::io::stdout(), "{json}").context("cannot write to standard output")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Learners are fitted at once, on the CPU: options that only networks have are refused.
fn refuse_options_of_networks(arguments: &Arguments) -> Result<()> {
    let given = [
        ("--resume", arguments.resume),
        ("--from", arguments.from.is_some()),
        ("--steps", arguments.steps.is_some()),
        ("--threads", arguments.threads.is_some()),
        ("--precision", arguments.precision.is_some()),
    ];
    for (option, is_given) in given {
        let recipe = arguments.recipe.display();
        ensure!(!is_given, "{option}: {recipe} has the section [learner], and this option is for networks");
    }
    Ok(())
}

fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    Ok(OutputFile::open(path)?.finish(content)?)
}
