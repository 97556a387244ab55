//! Reports of a run, during it and at its end.

use std::path::{Path, PathBuf};

use network::{Origin, Provenance};
use serde::Serialize;

use crate::{StepReport, validation::Validation};

/// Follows a run; the library itself never prints.
pub trait TrainingObserver: Send {
    /// Called after every step.
    fn step(&mut self, progress: &StepProgress);

    /// Called after every validation; `step` counts the steps before it.
    fn validation(&mut self, step: u64, validation: &Validation);

    /// Called after every checkpoint, with its path.
    fn checkpoint(&mut self, step: u64, path: &Path);
}

/// Reports nothing: for trainings that are steps of something larger.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl TrainingObserver for NoObserver {
    fn step(&mut self, _: &StepProgress) {}

    fn validation(&mut self, _: u64, _: &Validation) {}

    fn checkpoint(&mut self, _: u64, _: &Path) {}
}

/// The state of a run after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepProgress {
    /// Steps taken, earlier parts of a resumed run included.
    pub step: u64,
    /// Steps of the whole run.
    pub steps: u64,
    /// Passes over the data completed.
    pub epoch: u64,
    /// Learning rate of this step.
    pub learning_rate: f32,
    /// Losses and gradient norm of this step.
    pub report: StepReport,
    /// Since this process began to train, validations left out.
    pub positions_per_second: f64,
}

/// The cause of a run's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// All steps were taken.
    Finished,
    /// Validation stopped improving.
    Stale,
    /// The stop signal came; a checkpoint was written.
    Interrupted,
}

/// The result of a run; also the content of `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The cause of the end.
    pub ending: EndReason,
    /// Steps taken.
    pub step: u64,
    /// Samples seen.
    pub positions: u64,
    /// Seconds spent in training.
    pub seconds: f64,
    /// Step of the exported weights, if there are any.
    pub exported_step: Option<u64>,
    /// The exported weights file; in `summary.json` its name in the run's folder.
    pub network: Option<PathBuf>,
    /// Validation of the exported weights.
    pub validation: Option<Validation>,
    /// Where the exported weights come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<SummaryProvenance>,
}

/// Where the weights of a run come from: the part of [`Provenance`] that a reader of `summary.json` needs who does
/// not have the weights file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummaryProvenance {
    /// Git commit of the program; `unknown` outside a checkout.
    pub commit: String,
    /// Hash of the sample store.
    pub data: String,
    /// Processor and device.
    pub hardware: String,
    /// The network that the training started from, where that was not random weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl From<&Provenance> for SummaryProvenance {
    fn from(provenance: &Provenance) -> Self {
        let Provenance { commit, data, hardware, origin, .. } = provenance.clone();
        Self { commit, data, hardware, origin }
    }
}

/// Positions per second, in total and since the last line of the log.
#[derive(Default)]
pub(super) struct Meter {
    total: Count,
    lap: Count,
}

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
    pub(super) fn add(&mut self, positions: usize, seconds: f64) {
        for count in [&mut self.total, &mut self.lap] {
            count.positions += positions as f64;
            count.seconds += seconds;
        }
    }

    pub(super) fn rate(&self) -> f64 {
        self.total.rate()
    }

    /// The rate since the last call.
    pub(super) fn lap(&mut self) -> f64 {
        std::mem::take(&mut self.lap).rate()
    }
}
