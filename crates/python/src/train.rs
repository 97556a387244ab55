//! Trainings, as `tabiya train` runs them.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::Duration,
};

use chess::StopSignal;
use files::{FolderLock, claim, remove_partial, run::FolderKind};
use network::{TrainingPrecision, Weights};
use personal::{PersonFile, PersonalStore, PersonalTraining};
use player::{open_evaluator, read_weights};
use pyo3::{prelude::*, types::PyBool};
use serde_json::{Value, json};
use training::{
    Learner, Recipe, RecipeChanges, StepProgress, StoreSamples, Trainer, TrainingObserver, TrainingOutcome,
    Validation,
};

use crate::{failure::failure, named::table, statistics::json as text_of, torch::InTorch, waiting::watched};

/// The options of `tabiya train`, by the names of its flags.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TrainingValues {
    /// The run's folder.
    out: PathBuf,
    data: Option<PathBuf>,
    resume: bool,
    start: Option<String>,
    steps: Option<u64>,
    threads: Option<usize>,
    precision: Option<String>,
    /// Builds the PyTorch network from the resolved recipe as JSON; `None` for the program's own kernels.
    torch: Option<Py<PyAny>>,
}

/// Commit recorded in the provenance: the package does not record its own.
const COMMIT: &str = "unknown";

/// Trains a network; returns its outcome as JSON. `report` is called with JSON after each step (`step`, losses), validation
/// (`validation`) and checkpoint (`checkpoint`), and the training waits for its answer; if that is `False` it stops with a
/// checkpoint, as after Ctrl-C.
#[pyfunction]
pub(crate) fn train(
    py: Python<'_>,
    recipe: String,
    values: TrainingValues,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let stop = StopSignal::default();
    let (answered, answers) = mpsc::channel();
    let is_heard = report.is_some();
    let trained = watched(
        py,
        &stop,
        |send: &mut (dyn FnMut(String) + Send)| {
            let mut reporter = Reporter { send, answers, is_heard, stop: stop.clone() };
            values.run(&recipe, &stop, &mut reporter)
        },
        |py, text: String| {
            let Some(report) = &report else { return Ok(()) };
            let answer = report.call1(py, (text,))?;
            if answer.bind(py).cast::<PyBool>().is_ok_and(|goes_on| !goes_on.is_true()) {
                stop.stop();
            }
            // Fails only when the training has ended.
            let _ = answered.send(());
            Ok(())
        },
    );
    text_of(&trained??)
}

impl TrainingValues {
    fn run(&self, recipe: &str, stop: &StopSignal, reporter: &mut Reporter<'_>) -> PyResult<TrainingOutcome> {
        let start = self.start.as_deref().map(read_weights).transpose().map_err(failure)?;
        let mut recipe = self.resolve(recipe, start.as_ref())?;
        let personal = self.personal(&mut recipe)?;
        let samples = StoreSamples::of_recipe(&recipe).map_err(failure)?;
        let learner = match &self.torch {
            None => Learner::of_recipe(&recipe),
            Some(make) => Learner::of_recipe_in(&recipe, Box::new(InTorch::new(make, &recipe)?)),
        };
        let learner = learner.map_err(failure)?;
        let folder = &self.out;
        // As in `tabiya train`: the lock comes before anything is removed, leftovers of killed processes go before the folder is
        // claimed, and only a folder of this kind is written to.
        let _lock = FolderLock::take(folder).map_err(failure)?;
        for written in [folder, &folder.join(files::run::CHECKPOINTS)] {
            remove_partial(written).map_err(failure)?;
        }
        claim(folder, &FolderKind::TRAINING).map_err(failure)?;
        let begun = personal.as_ref().zip(self.start.as_deref());
        let begun = begun.map(|(personal, start)| self.begin(personal, start)).transpose()?;
        let trainer = if self.resume {
            Trainer::resume_with(recipe, &samples, folder, learner)
        } else {
            Trainer::start_with(recipe, &samples, folder, start.as_ref(), learner)
        };
        let mut trainer = trainer.map_err(failure)?.built_from(COMMIT);
        let known = match begun {
            None if personal.is_some() => Some(PersonFile::read(folder).map_err(failure)?),
            begun => begun,
        };
        let outcome = trainer.run(reporter, stop).map_err(failure)?;
        if let (Some(personal), Some(known), Some(network)) = (&personal, known, &outcome.network) {
            let trained = open_evaluator(&network.to_string_lossy(), None).map_err(failure)?;
            personal.end(folder, known, trained.evaluator.as_ref()).map_err(failure)?;
        }
        Ok(outcome)
    }

    /// Sets up training on personal games if those are the recipe's data, and sets the recipe's data to their
    /// samples. `None` for other data.
    fn personal(&self, recipe: &mut Recipe) -> PyResult<Option<PersonalTraining>> {
        let place = &recipe.data;
        if PersonalStore::is_at(place) && self.start.is_none() && !self.resume {
            return Err(failure(format_args!(
                "{}: one person's games are too few to learn chess from; name the network to start from with `start`",
                place.display()
            )));
        }
        let history = recipe.network.history().map_err(failure)?;
        let personal = PersonalTraining::of(place, history, self.resume).map_err(failure)?;
        if let Some(personal) = &personal {
            personal.samples().clone_into(&mut recipe.data);
        }
        Ok(personal)
    }

    /// Writes down the share of the person's moves that the start finds, before the first checkpoint of the run.
    fn begin(&self, personal: &PersonalTraining, name: &str) -> PyResult<PersonFile> {
        Trainer::expect_no_run(&self.out).map_err(failure)?;
        let start = open_evaluator(name, None).map_err(failure)?;
        personal.begin(&self.out, name, start.evaluator.as_ref()).map_err(failure)
    }

    /// Resolves the recipe, a path or a table as JSON, with the caller's changes. A recipe without a network
    /// gets that of the run in the folder, or of `start`.
    fn resolve(&self, recipe: &str, start: Option<&Weights>) -> PyResult<Recipe> {
        if self.resume && start.is_some() {
            return Err(failure(
                "start: found a network together with `resume`, which continues from a checkpoint",
            ));
        }
        let begun = self.out.join(files::run::RECIPE);
        let resumed = (self.resume && begun.exists()).then(|| Recipe::read(&begun));
        let resumed = resumed.transpose().map_err(failure)?;
        let network = start.map(|weights| &weights.spec).or(resumed.as_ref().map(|recipe| &recipe.network));
        let mut recipe = if recipe.starts_with('{') {
            Recipe::from_table(table(recipe)?, network, "recipe")
        } else {
            Recipe::read_for(Path::new(recipe), network)
        }
        .map_err(failure)?;
        let precision = self.precision.as_deref().map(str::parse::<TrainingPrecision>);
        let changes = RecipeChanges {
            data: self.data.clone(),
            steps: self.steps,
            threads: self.threads,
            precision: precision.transpose().map_err(failure)?,
        };
        changes.apply(&mut recipe);
        recipe.check("train").map_err(failure)?;
        Ok(recipe)
    }
}

/// Sends the events of a training to the interpreter's thread.
struct Reporter<'a> {
    send: &'a mut (dyn FnMut(String) + Send),
    answers: Receiver<()>,
    /// True if the caller wants reports.
    is_heard: bool,
    stop: StopSignal,
}

/// Interval at which a training that waits for an answer checks whether to stop, because after an exception
/// there is no answer.
const ASKED: Duration = Duration::from_millis(20);

impl Reporter<'_> {
    fn send(&mut self, event: &Value) {
        if !self.is_heard {
            return;
        }
        (self.send)(event.to_string());
        while self.answers.recv_timeout(ASKED) == Err(RecvTimeoutError::Timeout) {
            if self.stop.is_stopped() {
                break;
            }
        }
    }
}

impl TrainingObserver for Reporter<'_> {
    fn step(&mut self, progress: &StepProgress) {
        let StepProgress { step, steps, epoch, learning_rate, report, positions_per_second } = progress;
        self.send(&json!({
            "step": step,
            "steps": steps,
            "epoch": epoch,
            "learning_rate": learning_rate,
            "policy_loss": report.policy_loss,
            "value_loss": report.value_loss,
            "total_loss": report.total_loss,
            "positions_per_second": positions_per_second,
        }));
    }

    fn validation(&mut self, step: u64, validation: &Validation) {
        self.send(&json!({ "step": step, "validation": validation }));
    }

    fn checkpoint(&mut self, step: u64, path: &Path) {
        self.send(&json!({ "step": step, "checkpoint": path.to_string_lossy() }));
    }
}
