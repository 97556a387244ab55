//! The training loop, and the files it writes to the run's folder.
//!
//! # Resuming
//!
//! A resumed run ends with the same bits as an uninterrupted one, because a step is a function of the checkpoint alone:
//!
//! - parameters, averages of gradients and their squares, averaged weights; of tables also how many steps each row has taken, and
//!   the settings of all steps so far, because a row makes up for a missed step with that step's learning rate, even if the
//!   schedule was changed meanwhile;
//! - the number of the step, from which the learning rate, the bias corrections and the random numbers of layers follow
//!   (`Learner`: seed and step);
//! - the position of the next batch, from which the loader computes its order (`dataset::LoaderState`).
//!
//! Nothing else may influence a step. There is no generator of random numbers with a state, sums do not depend on the number of
//! threads, normalisation statistics are measured again for each validation, and held-out samples follow from store and recipe.
//! Anything random that is added to a step must be derived from seed and step, or be part of the checkpoint.
//!
//! # Order of the files
//!
//! In a step: log line, validation, best checkpoint, checkpoint. So log, probes and best weights may be ahead of the newest
//! checkpoint, never behind it. A resumed run cuts log and probes back to its step and finds the same losses again; the best
//! checkpoint is written again with the same weights. With other settings, best weights that are ahead do not count.

mod begin;
mod export;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Instant,
};

use chess::StopSignal;
use dataset::{Batch, LoaderState, Split};
use network::{
    Origin, Provenance,
    passes::{Outputs, Statistics},
};
use serde::Serialize;

use crate::{
    LayerNorms, Learner, Recipe, StepReport, TrainingError,
    checkpoint::{Checkpoint, Checkpoints},
    curves,
    learner::{StepDetail, StepDetails},
    log::{Log, LogLine, Measured, read_log},
    probes::{self, Probes},
    samples::{Epochs, HeldOut, Samples, StreamRequest, thread_count},
    usage::{UsageMeter, thread_pool},
    validation::Validation,
};

/// One in this many lines of the log has the norms of each layer, which are many and change slowly.
const LINES_TO_LAYERS: u64 = 10;

/// A run in progress: recipe, samples, network and folder.
pub struct Trainer<'a> {
    recipe: Recipe,
    samples: &'a dyn Samples,
    folder: PathBuf,
    learner: Learner,
    state: Checkpoint,
    checkpoints: Checkpoints,
    /// Used by every validation: held-out samples, and training samples for the normalisation statistics.
    held_out: HeldOut,
    measured_on: Vec<Batch>,
    probes: Probes,
}

impl Trainer<'_> {
    /// Records the commit from which the running program was built; a resumed run also keeps those of its earlier
    /// parts.
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

    /// Human-readable description of the backend.
    pub fn arithmetic(&self) -> String {
        self.learner.arithmetic()
    }

    /// Number of optimiser steps taken so far.
    pub fn step(&self) -> u64 {
        self.state.step
    }

    /// Trains to the end, or until the stop signal, with the recipe's number of threads.
    ///
    /// # Errors
    /// Any error of data or disk. The newest checkpoint stays valid.
    pub fn run(
        &mut self,
        observer: &mut dyn TrainingObserver,
        stop: &StopSignal,
    ) -> Result<TrainingOutcome, TrainingError> {
        thread_pool(self.recipe.training.threads)?.install(|| self.run_in_pool(observer, stop))
    }

    fn run_in_pool(
        &mut self,
        observer: &mut dyn TrainingObserver,
        stop: &StopSignal,
    ) -> Result<TrainingOutcome, TrainingError> {
        let training = self.recipe.training.clone();
        let mut log = Log::after(&self.log_path(), self.state.step)?;
        probes::keep_until(&self.folder, self.state.step)?;
        let mut epochs = Epochs::new(self.samples, request(&self.recipe, Split::Train, self.state.position))?;
        let mut meter = Meter::default();
        let mut usage = UsageMeter::start();
        let mut validated = None;
        if self.state.origin.is_some() && self.state.step == 0 {
            // The weights from which it starts are the first to beat.
            self.state.best = None;
            validated = Some(self.record_validation(&mut log, observer)?);
        }
        while self.state.step < training.steps {
            if stop.is_stopped() {
                observer.checkpoint(self.state.step, &self.save()?);
                return Ok(self.outcome(EndReason::Interrupted, None));
            }
            if training.patience > 0 && self.state.stale >= training.patience {
                return self.finish(EndReason::Stale, validated);
            }
            let (progress, layers) = self.one_step(&mut epochs, &mut meter)?;
            observer.step(&progress);
            let step = self.state.step;
            if is_due(step, training.log_interval) {
                let measured = Measured {
                    positions_per_second: meter.lap(),
                    usage: usage.lap(),
                    device: self.learner.network.device_usage(),
                    layers,
                };
                log.write(&LogLine::step(step, progress.learning_rate, &progress.report, measured))?;
            }
            let last = step == training.steps;
            if step.is_multiple_of(training.validation_interval) || last {
                validated = Some(self.record_validation(&mut log, observer)?);
            }
            // `Epochs` reads one batch ahead, so the position has already moved to the next epoch when the last batch was
            // trained.
            if training.epoch_checkpoints && self.state.position.batch == 0 {
                let path = self.checkpoints.epoch(self.state.position.epoch);
                self.state.write(&self.learner, &path)?;
                observer.checkpoint(step, &path);
            }
            if step.is_multiple_of(training.checkpoint_interval) || last {
                observer.checkpoint(step, &self.save()?);
            }
        }
        if self.state.best.is_none() {
            // The run was stopped before the first validation, and resumed with no steps left.
            validated = Some(self.record_validation(&mut log, observer)?);
        }
        self.finish(EndReason::Finished, validated)
    }

    /// Validates, writes the log and keeps the best checkpoint.
    fn record_validation(
        &mut self,
        log: &mut Log,
        observer: &mut dyn TrainingObserver,
    ) -> Result<Validation, TrainingError> {
        let step = self.state.step;
        let (validation, probed) = self.validate_and_probe()?;
        let kind = self.learner.architecture.spec().value_kind();
        probes::append(&self.folder, &self.probes.line(step, kind, &probed))?;
        self.keep_if_best(&validation)?;
        log.write(&LogLine::Validation { step, validation: Box::new(validation.clone()) })?;
        observer.validation(step, &validation);
        curves::draw(
            &self.folder.join(files::run::CURVES),
            &self.recipe.title,
            &read_log(&self.log_path())?,
        )?;
        Ok(validation)
    }

    fn one_step(
        &mut self,
        epochs: &mut Epochs<'_>,
        meter: &mut Meter,
    ) -> Result<(StepProgress, BTreeMap<String, LayerNorms>), TrainingError> {
        let begin = Instant::now();
        let batch = epochs.next_batch()?;
        let step = self.state.step + 1;
        let steps = self.recipe.training.steps;
        let learning_rate = self.recipe.schedule.rate(step, steps);
        let details = if is_due(step, LINES_TO_LAYERS.saturating_mul(self.recipe.training.log_interval)) {
            StepDetails::CostsAndLayers
        } else {
            StepDetails::Costs
        };
        let StepDetail { report, layers, .. } = self.learner.detailed_step(&batch, learning_rate, details)?;
        let seconds = begin.elapsed().as_secs_f64();
        meter.add(batch.size, seconds);
        self.state.step = step;
        self.state.position = epochs.position();
        self.state.positions += batch.size as u64;
        self.state.seconds += seconds;
        let epoch = self.state.position.epoch;
        let positions_per_second = meter.rate();
        Ok((StepProgress { step, steps, epoch, learning_rate, report, positions_per_second }, layers))
    }

    fn log_path(&self) -> PathBuf {
        self.folder.join(files::run::LOG)
    }

    fn statistics(&mut self) -> Result<Statistics, TrainingError> {
        self.learner.measure_statistics(&self.measured_on)
    }

    /// Measures the averaged weights on the held-out samples.
    fn validate(&mut self) -> Result<Validation, TrainingError> {
        Ok(self.validate_and_probe()?.0)
    }

    /// Validates, and also returns the outputs in the probe positions. Both need the normalisation statistics of the averaged weights,
    /// whose measurement takes as many forward passes as the validation itself.
    fn validate_and_probe(&mut self) -> Result<(Validation, Outputs), TrainingError> {
        let statistics = self.statistics()?;
        let Self { learner, held_out, recipe, probes, .. } = self;
        let architecture = learner.architecture.clone();
        let average = learner.network.averaged();
        let measured = Validation::measure(
            &architecture,
            |batch| learner.forward(&average, &statistics, batch),
            held_out,
            &recipe.losses,
        )?;
        let probed = learner.forward(&average, &statistics, probes.batch())?;
        Ok((Validation { dead_units: learner.network.dead_units(), ..measured }, probed))
    }

    /// Keeps the checkpoint if it is the best so far; otherwise the validation counts towards the recipe's patience.
    fn keep_if_best(&mut self, validation: &Validation) -> Result<(), TrainingError> {
        if self.state.best.is_none_or(|(best, _)| validation.overall.loss < best) {
            self.state.best = Some((validation.overall.loss, self.state.step));
            self.state.stale = 0;
            Ok(self.state.write(&self.learner, &self.checkpoints.best())?)
        } else {
            self.state.stale += 1;
            Ok(())
        }
    }

    fn save(&self) -> Result<PathBuf, TrainingError> {
        let path = self.checkpoints.path(self.state.step);
        self.state.write(&self.learner, &path)?;
        self.checkpoints.prune(self.recipe.training.keep)?;
        Ok(path)
    }
}

/// True for the first step and each one that ends an interval.
fn is_due(step: u64, interval: u64) -> bool {
    step == 1 || step.is_multiple_of(interval)
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

/// Follows a run; the library itself never prints.
pub trait TrainingObserver: Send {
    /// Called after every step.
    fn step(&mut self, progress: &StepProgress);

    /// Called after every validation; `step` counts the steps before it.
    fn validation(&mut self, step: u64, validation: &Validation);

    /// Called after every checkpoint, with its path.
    fn checkpoint(&mut self, step: u64, path: &Path);
}

/// Reports nothing: for training runs that are part of a larger task.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl TrainingObserver for Unobserved {
    fn step(&mut self, _: &StepProgress) {}

    fn validation(&mut self, _: u64, _: &Validation) {}

    fn checkpoint(&mut self, _: u64, _: &Path) {}
}

/// The state of a run after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepProgress {
    /// Number of steps taken, including earlier parts of a resumed run.
    pub step: u64,
    /// Number of steps of the whole run.
    pub steps: u64,
    /// Number of completed passes over the data.
    pub epoch: u64,
    /// Learning rate of this step.
    pub learning_rate: f32,
    /// Losses and gradient norm of this step.
    pub report: StepReport,
    /// Training speed of the last minute, without validations.
    pub positions_per_second: f64,
}

/// Positions per second, of the last steps and since the last line of the log.
#[derive(Default)]
struct Meter {
    /// The last steps, the earlier the less.
    recent: Count,
    lap: Count,
}

/// Time constant of the speed that is shown, in seconds of training: after a night of sleep, or when another program starts, the
/// remaining time is right again within minutes.
const MEMORY_SECONDS: f64 = 30.0;

#[derive(Default)]
struct Count {
    positions: f64,
    seconds: f64,
}

impl Count {
    fn rate(&self) -> f64 {
        self.positions / self.seconds.max(1e-9)
    }
}

impl Meter {
    fn add(&mut self, positions: usize, seconds: f64) {
        let kept = (-seconds / MEMORY_SECONDS).exp();
        self.recent.positions *= kept;
        self.recent.seconds *= kept;
        for count in [&mut self.recent, &mut self.lap] {
            count.positions += positions as f64;
            count.seconds += seconds;
        }
    }

    fn rate(&self) -> f64 {
        self.recent.rate()
    }

    /// The rate since the last call.
    fn lap(&mut self) -> f64 {
        std::mem::take(&mut self.lap).rate()
    }
}

/// The cause of a run's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// All steps were taken.
    Finished,
    /// Validation stopped improving.
    Stale,
    /// The stop signal was received; a checkpoint was written.
    Interrupted,
}

/// The result of a run; also the content of `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingOutcome {
    /// The cause of the end.
    pub ending: EndReason,
    /// Number of steps taken.
    pub step: u64,
    /// Number of samples seen.
    pub positions: u64,
    /// Seconds spent in training.
    pub seconds: f64,
    /// The step of the exported weights, if there are any.
    pub exported_step: Option<u64>,
    /// The exported weights file; in `summary.json` its name in the run's folder.
    pub network: Option<PathBuf>,
    /// Validation of the exported weights.
    pub validation: Option<Validation>,
    /// Provenance of the exported weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<SummaryProvenance>,
}

/// Provenance of a run's weights: the part of [`Provenance`] that a reader of `summary.json` without the weights file
/// needs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummaryProvenance {
    /// Git commit of the program; `unknown` outside a checkout.
    pub commit: String,
    /// Hash of the sample store.
    pub data: String,
    /// Processor and threads.
    pub hardware: String,
    /// The network from which training started, unless it started from random weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl From<&Provenance> for SummaryProvenance {
    fn from(provenance: &Provenance) -> Self {
        let Provenance { commit, data, hardware, origin, .. } = provenance.clone();
        Self { commit, data, hardware, origin }
    }
}

#[cfg(test)]
mod tests;
