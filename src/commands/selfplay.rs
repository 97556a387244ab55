mod report;
mod workers;

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io::Read as _,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context as _, Result};
use chess::StopSignal;
use files::{Begin, FolderLock, Inputs, WorkFolder, expect_kind, run::FolderKind};
use player::{RUNS, read_weights, with_network};
use serde_json::json;
use terminal::stop_on_interrupt;

use selfplay::{
    Gate, Generation, LearningLoop, NetworkName, ReplayStore, RunEngines, RunTrainer, SelfPlayRecipe,
    Storage, Worker,
    generation::check_worker_name,
    replay::{OPENINGS, RunState},
    run_end, run_log,
    storage::is_url,
};

use self::{report::ProgressReport, workers::Workers};
use crate::commands::{
    INTERRUPTED,
    machine::{self, COMMIT},
};

/// Train a network on games against itself.
///
/// Games of the current network go into a replay store. When a generation has enough of them, training continues from the last
/// weights on the newest generations, and a gating match decides whether the new network is promoted. Everything is written to
/// runs/NAME, including curves.svg; a run that was killed resumes when started again. More workers, on this machine or others, join
/// with --join and the replay store: a shared folder, or s3://BUCKET/PREFIX in a program built with --features s3.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya selfplay recipes/selfplay-toy --generations 20
  tabiya selfplay recipes/selfplay-toy --store /mnt/shared/toy --workers 2
  tabiya selfplay --join /mnt/shared/toy --name box-2")]
pub(crate) struct Arguments {
    /// The recipe: a TOML file, a folder with a recipe.toml, or the name of one in recipes/
    #[arg(required_unless_present = "join")]
    recipe: Option<PathBuf>,
    /// Only play games, for the run with this replay store
    #[arg(long, value_name = "STORE", conflicts_with_all = ["recipe", "store", "workers", "generations", "runs"])]
    join: Option<String>,
    /// Name of the run and its folder in runs/, by default the name of the recipe's folder or file; with --join the name of the
    /// worker, by default the name of the machine and the process ID
    #[arg(long)]
    name: Option<String>,
    /// Folder of all runs
    #[arg(long, value_name = "FOLDER", default_value = RUNS)]
    runs: PathBuf,
    /// The replay store, a folder or s3://BUCKET/PREFIX; by default runs/NAME/replay
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// Worker processes on this machine; with 0 this process plays, and trains when there are enough games
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=512))]
    workers: u16,
    /// Generations after which the run ends, including those of earlier starts
    #[arg(long, value_name = "N", default_value_t = LearningLoop::GENERATIONS)]
    generations: u32,
    /// Threads of each process that plays; 0 = all cores, shared by the workers
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=512))]
    threads: u16,
    /// Print one line of JSON for each generation on stdout; progress goes to stderr
    #[arg(long)]
    json: bool,
    /// Stop when standard input is closed, which is how a run stops its workers
    #[arg(long, hide = true, requires = "join")]
    attached: bool,
}

/// Version of the program, which runs compare: games of different versions are not mixed.
const PROGRAM: &str = concat!("tabiya ", env!("CARGO_PKG_VERSION"));

/// Interval at which a learner without games of its own polls for games.
const LOOK_EVERY: Duration = Duration::from_millis(500);

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    match (&arguments.join, &arguments.recipe) {
        (Some(store), _) => join(arguments, store, &stop)?,
        (None, Some(recipe)) => learn(arguments, recipe, &stop)?,
        (None, None) => anyhow::bail!("expected a recipe or --join"),
    }
    Ok(if stop.is_stopped() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Plays games for a run of another process.
fn join(arguments: &Arguments, store: &str, stop: &StopSignal) -> Result<()> {
    let replay = ReplayStore::open(Storage::open(store)?, PROGRAM)?;
    let recipe = SelfPlayRecipe::from_toml(replay.recipe(), &format!("{store}/run.json"))?;
    if let Some(file) = recipe.games.opening_file() {
        replay.check_openings(file)?;
    }
    let engines = RunEngines::new(&recipe.games.play)?;
    let name = arguments.name.clone().unwrap_or_else(own_name);
    check_worker_name(&name)?;
    if arguments.attached {
        stop_with_input(stop.clone());
    }
    let report = ProgressReport::new(arguments.json);
    report.line(&format!("{name} plays for {store}"));
    let worker = worker(&replay, &recipe, &engines, name, threads(arguments.threads, 1));
    worker.work(stop, &|progress| report.progress(progress))?;
    Ok(())
}

/// Trains on games, and plays them itself if there are no other workers.
fn learn(arguments: &Arguments, path: &Path, stop: &StopSignal) -> Result<()> {
    let recipe = SelfPlayRecipe::read(path)?;
    let engines = RunEngines::new(&recipe.games.play)?;
    let name = crate::commands::train::run_name(arguments.name.as_deref(), path, &arguments.runs)?;
    let folder = arguments.runs.join(&name);
    let own_store = folder.join(files::run::REPLAY).display().to_string();
    let place = arguments.store.clone().unwrap_or(own_store);
    // The games first, then the run: of two learners that share a store under different names of runs, the second must fail before it
    // creates a folder.
    let _games = lock_games(&place)?;
    let inputs = inputs(&recipe)?;
    let setup = json!({ "inputs": inputs, "recipe": recipe.to_toml()? });
    let _folder = WorkFolder::at(&folder, &FolderKind::SELF_PLAY, &setup, Begin::Resume)?;
    let replay = open_games(&place, &recipe, &inputs)?;
    let report = ProgressReport::new(arguments.json);
    report.line(&format!("{}: games in {place}", recipe.training.title));
    let mut known = replay.generations()?;
    known.iter().try_for_each(|generation| report.generation(generation))?;
    let log_path = folder.join(files::run::LOG);
    run_log::write(&log_path, &recipe.training.title, &known)?;
    let is_finished = |known: &[Generation]| known.len() as u32 >= arguments.generations;
    if !is_finished(&known) {
        run_end::go_on(&folder)?;
    }
    let threads = threads(arguments.threads, arguments.workers.max(1));
    let worker = worker(&replay, &recipe, &engines, "learner".into(), threads);
    let mut workers = Workers::start(arguments.workers, &place, threads)?;
    let gate = Gate {
        settings: &recipe.games.gate,
        nodes: recipe.games.gate.nodes.unwrap_or(recipe.games.play.nodes),
        engines: &engines,
        threads,
    };
    let mut trainer = RunTrainer {
        recipe: &recipe.training,
        supervised: recipe.games.supervised.as_ref(),
        commit: COMMIT,
        gate,
        say: &|text| report.line(text),
    };
    let learner = LearningLoop {
        replay: &replay,
        settings: &recipe.games.replay,
        folder: folder.join("work"),
        history: recipe.training.network.history()?,
        generations: arguments.generations,
    };
    let mut failed = None;
    learner.run(
        &mut |state: &RunState| {
            if arguments.workers == 0 {
                worker.play_generation(state, stop, &|progress| report.progress(progress))?;
            } else {
                workers.check()?;
                std::thread::sleep(LOOK_EVERY);
            }
            Ok(())
        },
        &mut trainer,
        stop,
        &mut |generation: &Generation| {
            known.push(generation.clone());
            let written = report
                .generation(generation)
                .and_then(|()| Ok(run_log::write(&log_path, &recipe.training.title, &known)?));
            // A log that cannot be written does not end the run, whose games and networks are in the store; the first failure is
            // reported when it ends.
            failed = failed.take().or(written.err());
        },
    )?;
    failed.map_or(Ok(()), Err)?;
    if is_finished(&known) {
        run_end::finish(&folder)?;
    }
    Ok(())
}

/// The initial network of the run, its openings, and the store to train on besides its games.
fn inputs(recipe: &SelfPlayRecipe) -> Result<Inputs> {
    let mut inputs = with_network(Inputs::default(), &recipe.games.start);
    for file in recipe.games.opening_files() {
        inputs = inputs.with_path(OPENINGS, file)?;
    }
    Ok(match &recipe.games.supervised {
        Some(supervised) => inputs.with_path("[supervised] data", &supervised.data)?,
        None => inputs,
    })
}

/// Locks a folder of games, so that this process is its only learner, under all names of the folder, and refuses a folder of
/// another kind. Workers need no lock: they only add games, and a bucket refuses a game that it already has.
fn lock_games(place: &str) -> Result<Option<FolderLock>> {
    if is_url(place) {
        return Ok(None);
    }
    let folder = Path::new(place);
    let lock = FolderLock::take(folder)?;
    expect_kind(folder, &FolderKind::REPLAY)?;
    Ok(Some(lock))
}

/// Creates or continues the store of the games, and removes temporary files of killed processes.
fn open_games(place: &str, recipe: &SelfPlayRecipe, inputs: &Inputs) -> Result<ReplayStore> {
    let start = start_weights(&recipe.games.start)?;
    let storage = Storage::open(place)?;
    storage.remove_partial()?;
    let replay = ReplayStore::create(storage, PROGRAM, &recipe.to_toml()?, inputs)?;
    if let Some(weights) = start {
        replay.put_weights(NetworkName(0), weights)?;
    }
    replay.go_on()?;
    Ok(replay)
}

fn worker<'a>(
    replay: &'a ReplayStore,
    recipe: &'a SelfPlayRecipe,
    engines: &'a RunEngines,
    name: String,
    threads: usize,
) -> Worker<'a> {
    let (settings, games) = (&recipe.games.play, recipe.games.replay.games);
    let program = format!("{PROGRAM}, commit {COMMIT}");
    Worker { replay, name, program, settings, games, threads, engines }
}

/// The weights that the run begins with; none for `uniform`.
fn start_weights(start: &str) -> Result<Option<Vec<u8>>> {
    if start == "uniform" {
        return Ok(None);
    }
    let weights = read_weights(start).context("start")?;
    Ok(Some(weights.to_bytes()?))
}

fn threads(wanted: u16, processes: u16) -> usize {
    let cores = machine::threads();
    if wanted > 0 { wanted.into() } else { (cores / usize::from(processes)).max(1) }
}

/// Name of the machine and number of the process.
fn own_name() -> String {
    let machine = files::system::host_name().unwrap_or_default();
    let plain: String = machine.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    let process = std::process::id();
    if plain.is_empty() {
        // Processes on two machines without a name can have the same ID; their games must not get the same name in the store.
        let random = RandomState::new().build_hasher().finish();
        return format!("worker{random:016x}-{process}");
    }
    format!("{plain}-{process}")
}

/// Stops at the end of standard input, which follows any end of the parent process.
fn stop_with_input(stop: StopSignal) {
    std::thread::spawn(move || {
        let mut input = std::io::stdin();
        let mut byte = [0];
        while matches!(input.read(&mut byte), Ok(1)) {}
        stop.stop();
    });
}
