//! The loop of a run, and what it leaves in the run's folder.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use chess::StopSignal;
use dataset::{Batch, LoaderState, Split};
use serde::Serialize;

use super::{
    checkpoint::{Checkpoint, Checkpoints},
    curves,
    log::{Log, LogLine, read_log},
    provenance::hardware,
    samples::{Epochs, Samples, StreamRequest, first_batches, spread_batches},
    validation::Validation,
};
use crate::{
    Device, Learner, NetworkError, Recipe, StepReport, container,
    passes::Values,
    weights::{Provenance, Weights},
};

/// Hears what a run does; the library itself never prints.
pub trait Observer: Send {
    /// After every step.
    fn step(&mut self, progress: &Progress);

    /// After every validation.
    fn validation(&mut self, step: u64, validation: &Validation);

    /// After every checkpoint.
    fn checkpoint(&mut self, step: u64, path: &Path);
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps taken, earlier parts of a resumed run included.
    pub step: u64,
    /// Steps of the whole run.
    pub steps: u64,
    /// Passes over the data completed.
    pub epoch: u64,
    /// Learning rate of this step.
    pub learning_rate: f32,
    /// What the step did.
    pub report: StepReport,
    /// Since this process began to train, validations left out.
    pub positions_per_second: f64,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// All steps were taken.
    Finished,
    /// Validation stopped getting better.
    Stale,
    /// The stop signal came; a checkpoint was written.
    Interrupted,
}

/// How a run ended; also the content of `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Why.
    pub ending: Ending,
    /// Steps taken.
    pub step: u64,
    /// Samples seen.
    pub positions: u64,
    /// Seconds of training.
    pub seconds: f64,
    /// Step of the exported weights, where there are any.
    pub exported_step: Option<u64>,
    /// The exported weights file; in `summary.json` its name in the run's folder.
    pub network: Option<PathBuf>,
    /// Validation of the exported weights.
    pub validation: Option<Validation>,
}

/// Where a run begins.
enum Beginning {
    /// Before the first step.
    Fresh(Checkpoint),
    /// At a checkpoint's file.
    From(PathBuf),
}

/// A run in progress.
pub struct Trainer<'a> {
    recipe: Recipe,
    samples: &'a dyn Samples,
    folder: PathBuf,
    learner: Learner,
    state: Checkpoint,
    checkpoints: Checkpoints,
    /// Looked at by every validation: held-out samples, and training samples for the normalisation statistics.
    held_out: Vec<Batch>,
    measured_on: Vec<Batch>,
}

impl<'a> Trainer<'a> {
    /// Begins a run in an empty or new folder.
    ///
    /// # Errors
    /// [`NetworkError::Training`] when the folder holds a run already; everything that recipe, data and device can bring.
    pub fn start(
        recipe: Recipe,
        samples: &'a dyn Samples,
        folder: &Path,
        device: &Device,
    ) -> Result<Self, NetworkError> {
        if folder.join("log.jsonl").exists() || !Checkpoints::new(folder)?.all()?.is_empty() {
            return Err(NetworkError::Training(format!(
                "{} holds a run already: continue it with --resume or choose another --name",
                folder.display()
            )));
        }
        let state = Checkpoint { recipe: recipe.to_toml()?, data: samples.hash(), ..Checkpoint::default() };
        container::write(&folder.join("recipe.toml"), state.recipe.as_bytes())?;
        let trainer = Self::with_state(recipe, samples, folder, device, Beginning::Fresh(state))?;
        // From here on there is always a checkpoint to resume from, however early the run is cut off.
        trainer.save()?;
        Ok(trainer)
    }

    /// Continues a run from its newest checkpoint: the next loss is the one that would have come without the
    /// interruption.
    ///
    /// # Errors
    /// [`NetworkError::Training`] when there is no checkpoint, or it belongs to another recipe or store.
    pub fn resume(
        recipe: Recipe,
        samples: &'a dyn Samples,
        folder: &Path,
        device: &Device,
    ) -> Result<Self, NetworkError> {
        let newest = Checkpoints::new(folder)?.all()?.pop().ok_or_else(|| {
            NetworkError::Training(format!("{} has no checkpoint to resume from", folder.display()))
        })?;
        let trainer = Self::with_state(recipe, samples, folder, device, Beginning::From(newest.clone()))?;
        // Recipes are compared as they are understood: one that was kept before a setting existed has its default.
        let recipe = &trainer.state.recipe;
        let same = Recipe::from_toml(recipe, &newest.display().to_string())? == trainer.recipe;
        for (what, same, found, expected) in [
            ("recipe", same, recipe, &trainer.recipe.to_toml()?),
            ("data hash", trainer.state.data == samples.hash(), &trainer.state.data, &samples.hash()),
        ] {
            if !same {
                return Err(NetworkError::Training(format!(
                    "{}: its {what} differs from the one given now: found\n{found}\nexpected\n{expected}",
                    newest.display()
                )));
            }
        }
        Ok(trainer)
    }

    fn with_state(
        recipe: Recipe,
        samples: &'a dyn Samples,
        folder: &Path,
        device: &Device,
        beginning: Beginning,
    ) -> Result<Self, NetworkError> {
        let training = &recipe.training;
        let mut learner =
            Learner::new(&recipe.network, recipe.losses, recipe.optimiser, training.seed, device)?
                .with_precision(training.precision)?;
        let state = match beginning {
            Beginning::Fresh(state) => state,
            Beginning::From(path) => Checkpoint::read(&path, &mut learner)?,
        };
        let held_out_request = request(&recipe, Split::Validation, LoaderState::default());
        let held_out = spread_batches(samples, held_out_request, training.validation_positions)?;
        let measured_request = request(&recipe, Split::Train, LoaderState::default());
        let measured_on = first_batches(samples, measured_request, training.statistics_positions)?;
        let checkpoints = Checkpoints::new(folder)?;
        let folder = folder.to_path_buf();
        Ok(Self { recipe, samples, folder, learner, state, checkpoints, held_out, measured_on })
    }

    /// Notes the commit the running program was built from; a resumed run keeps those of its earlier parts.
    #[must_use]
    pub fn built_from(mut self, commit: &str) -> Self {
        let known = &mut self.state.commit;
        if known.is_empty() {
            *known = commit.into();
        } else if known.rsplit(", then ").next() != Some(commit) {
            *known = format!("{known}, then {commit}");
        }
        self
    }

    /// What computes, in a few words for people.
    pub fn arithmetic(&self) -> String {
        self.learner.arithmetic()
    }

    /// Steps taken so far.
    pub fn step(&self) -> u64 {
        self.state.step
    }

    /// Trains to the end, or until the signal. Threads are those of the recipe.
    ///
    /// # Errors
    /// Everything that data, device and disk can bring. The newest checkpoint stays valid.
    pub fn run(&mut self, observer: &mut dyn Observer, stop: &StopSignal) -> Result<Outcome, NetworkError> {
        let threads = self.recipe.training.threads;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
            NetworkError::Training(format!("{threads} threads cannot be started: {error}"))
        })?;
        pool.install(|| self.run_here(observer, stop))
    }

    fn run_here(&mut self, observer: &mut dyn Observer, stop: &StopSignal) -> Result<Outcome, NetworkError> {
        let training = self.recipe.training.clone();
        let mut log = Log::after(&self.folder.join("log.jsonl"), self.state.step)?;
        let mut epochs = Epochs::new(self.samples, request(&self.recipe, Split::Train, self.state.position))?;
        let mut meter = Meter::default();
        let mut validated = None;
        let mut ending = Ending::Finished;
        while self.state.step < training.steps {
            if stop.is_stopped() {
                ending = Ending::Interrupted;
                break;
            }
            let begin = Instant::now();
            let progress = self.one_step(&mut epochs, &mut meter, begin)?;
            observer.step(&progress);
            let step = self.state.step;
            if step.is_multiple_of(training.log_interval) || step == 1 {
                log.write(&LogLine::step(step, progress.learning_rate, &progress.report, meter.lap()))?;
            }
            let last = step == training.steps;
            if step.is_multiple_of(training.validation_interval) || last {
                let validation = self.validate()?;
                self.judge(&validation)?;
                log.write(&LogLine::Validation { step, validation: Box::new(validation.clone()) })?;
                observer.validation(step, &validation);
                curves::draw(
                    &self.folder.join("curves.svg"),
                    &self.recipe.title,
                    &read_log(&self.log_path())?,
                )?;
                validated = Some(validation);
            }
            if step.is_multiple_of(training.checkpoint_interval) || last {
                observer.checkpoint(step, &self.save()?);
            }
            if training.patience > 0 && self.state.stale >= training.patience {
                ending = Ending::Stale;
                break;
            }
        }
        if ending == Ending::Interrupted {
            observer.checkpoint(self.state.step, &self.save()?);
            return Ok(self.outcome(ending, None));
        }
        self.finish(ending, validated)
    }

    fn one_step(
        &mut self,
        epochs: &mut Epochs<'_>,
        meter: &mut Meter,
        begin: Instant,
    ) -> Result<Progress, NetworkError> {
        let batch = epochs.next_batch()?;
        let step = self.state.step + 1;
        let steps = self.recipe.training.steps;
        let learning_rate = self.recipe.schedule.rate(step, steps);
        let report = self.learner.step(&batch, learning_rate)?;
        let seconds = begin.elapsed().as_secs_f64();
        meter.add(batch.size, seconds);
        self.state.step = step;
        self.state.position = epochs.position();
        self.state.positions += batch.size as u64;
        self.state.seconds += seconds;
        let epoch = self.state.position.epoch;
        Ok(Progress { step, steps, epoch, learning_rate, report, positions_per_second: meter.rate() })
    }

    fn log_path(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    fn statistics(&mut self) -> Result<Values, NetworkError> {
        self.learner.measure_statistics(&self.measured_on)
    }

    /// Measures the averaged weights on the held-out samples.
    fn validate(&mut self) -> Result<Validation, NetworkError> {
        let statistics = self.statistics()?;
        let Self { learner, held_out, recipe, .. } = self;
        let kind = recipe.network.value.kind;
        let answers = |batch: &Batch| learner.answers(&statistics, batch);
        Validation::measure(kind, answers, held_out, &recipe.losses)
    }

    /// Keeps the checkpoint if it is the best so far.
    fn judge(&mut self, validation: &Validation) -> Result<(), NetworkError> {
        if self.state.best.is_none_or(|(best, _)| validation.overall.loss < best) {
            self.state.best = Some((validation.overall.loss, self.state.step));
            self.state.stale = 0;
            self.state.write(&self.learner, &self.checkpoints.best())
        } else {
            self.state.stale += 1;
            Ok(())
        }
    }

    fn save(&self) -> Result<PathBuf, NetworkError> {
        let path = self.checkpoints.path(self.state.step);
        self.state.write(&self.learner, &path)?;
        self.checkpoints.prune(self.recipe.training.keep)?;
        Ok(path)
    }

    /// Exports the best weights and writes the summary.
    fn finish(&mut self, ending: Ending, validated: Option<Validation>) -> Result<Outcome, NetworkError> {
        let ended = self.state.clone();
        let validation = match (validated, self.state.best) {
            (Some(validation), Some((_, step))) if step == self.state.step => validation,
            _ => {
                // The best weights are not the last ones, or the run was already complete when it was resumed.
                Checkpoint::read(&self.checkpoints.best(), &mut self.learner)?;
                self.validate()?
            }
        };
        let exported_step = self.learner.steps();
        let path = self.folder.join("network.tabiya");
        self.export(&path, &ended, &validation)?;
        self.state = ended;
        let mut outcome = self.outcome(ending, Some(validation));
        outcome.exported_step = Some(exported_step);
        // Where the run lies on this machine is nothing for a file that travels with it.
        outcome.network = path.file_name().map(PathBuf::from);
        let summary = serde_json::to_vec_pretty(&outcome).map_err(|error| NetworkError::Syntax {
            place: "summary.json".into(),
            reason: error.to_string(),
        })?;
        container::write(&self.folder.join("summary.json"), &summary)?;
        outcome.network = Some(path);
        Ok(outcome)
    }

    fn export(
        &mut self,
        path: &Path,
        ended: &Checkpoint,
        validation: &Validation,
    ) -> Result<(), NetworkError> {
        let statistics = self.statistics()?;
        let Learner { architecture, device, state, .. } = &self.learner;
        let name = self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let provenance = Provenance {
            name: name.unwrap_or_else(|| "network".into()),
            recipe: self.recipe.portable().to_toml()?,
            data: ended.data.clone(),
            commit: if ended.commit.is_empty() { "unknown".into() } else { ended.commit.clone() },
            hardware: hardware(device, rayon::current_num_threads()),
            seed: self.recipe.training.seed,
            steps: self.learner.steps(),
            positions: ended.positions,
            seconds: ended.seconds,
            metrics: validation.metrics(),
            source: None,
        };
        Weights::new(architecture, &state.average, &statistics, provenance).write(path)
    }

    fn outcome(&self, ending: Ending, validation: Option<Validation>) -> Outcome {
        Outcome {
            ending,
            step: self.state.step,
            positions: self.state.positions,
            seconds: self.state.seconds,
            exported_step: None,
            network: None,
            validation,
        }
    }
}

fn request(recipe: &Recipe, split: Split, start: LoaderState) -> StreamRequest {
    let training = &recipe.training;
    StreamRequest {
        split,
        batch_size: training.batch,
        seed: training.seed,
        shuffle_window: training.shuffle_window,
        threads: thread_count(training.threads),
        start,
    }
}

/// The recipe's number of threads, where 0 stands for all cores.
fn thread_count(threads: usize) -> usize {
    if threads > 0 { threads } else { std::thread::available_parallelism().map_or(1, usize::from) }
}

/// Positions per second, in total and since the last line of the log.
#[derive(Default)]
struct Meter {
    positions: f64,
    seconds: f64,
    lap_positions: f64,
    lap_seconds: f64,
}

impl Meter {
    fn add(&mut self, positions: usize, seconds: f64) {
        self.positions += positions as f64;
        self.seconds += seconds;
        self.lap_positions += positions as f64;
        self.lap_seconds += seconds;
    }

    fn rate(&self) -> f64 {
        self.positions / self.seconds.max(1e-9)
    }

    fn lap(&mut self) -> f64 {
        let rate = self.lap_positions / self.lap_seconds.max(1e-9);
        self.lap_positions = 0.0;
        self.lap_seconds = 0.0;
        rate
    }
}
