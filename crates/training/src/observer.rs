//! Reports during a run.

use std::path::Path;

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
    /// Training speed since this process started training, without validations.
    pub positions_per_second: f64,
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
