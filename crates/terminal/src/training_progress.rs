//! Progress of a training run: a bar on a terminal, otherwise a plain line from time to time.

use std::{io::IsTerminal as _, path::Path, time::Duration};

use indicatif::{ProgressBar, ProgressStyle};
use training::{Observer, Progress, Validation};

use crate::{
    log_lines::{LogInterval, print_line},
    validation::validation_lines,
};

/// Time between plain lines where stderr is not a terminal.
const QUIET_INTERVAL: Duration = Duration::from_secs(30);

/// Share of the past in the loss that is shown.
const SMOOTHING: f64 = 0.98;

/// Prints a run to standard error.
pub struct TrainingProgress {
    bar: Option<ProgressBar>,
    batch: usize,
    interval: LogInterval,
    policy: Average,
    value: Average,
}

impl TrainingProgress {
    /// The bar of a run of `steps` steps, each on a batch of `batch` positions.
    pub fn new(steps: u64, batch: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} steps, {msg}");
            ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self {
            bar,
            batch,
            interval: LogInterval::new(QUIET_INTERVAL),
            policy: Average::default(),
            value: Average::default(),
        }
    }

    /// Prints a line above the bar.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print_line(text)),
            None => print_line(text),
        }
    }

    /// Leaves the bar standing.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish();
        }
    }
}

impl Observer for TrainingProgress {
    fn step(&mut self, progress: &Progress) {
        let policy = self.policy.add(progress.report.policy_loss);
        let value = self.value.add(progress.report.value_loss);
        let left =
            (progress.steps - progress.step) as f64 * self.batch as f64 / progress.positions_per_second;
        let text = format!(
            "policy {policy:.3}, value {value:.3}, {:.0} positions/s, epoch {}, {} left",
            progress.positions_per_second,
            progress.epoch + 1,
            duration(left),
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position(progress.step);
                bar.set_message(text);
            }
            None if self.interval.is_due() => {
                self.line(&format!("step {}/{}: {text}", progress.step, progress.steps));
            }
            None => {}
        }
    }

    fn validation(&mut self, step: u64, validation: &Validation) {
        self.line(&format!(
            "step {step}, held-out positions (in brackets: uniform policy, always the mean value)"
        ));
        for line in validation_lines(validation) {
            self.line(&line);
        }
    }

    fn checkpoint(&mut self, step: u64, path: &Path) {
        self.line(&format!("step {step}: checkpoint {}", path.display()));
    }
}

/// Exponential average, corrected for its start.
#[derive(Default)]
struct Average {
    sum: f64,
    weight: f64,
}

impl Average {
    fn add(&mut self, value: f32) -> f64 {
        self.sum = self.sum * SMOOTHING + f64::from(value) * (1.0 - SMOOTHING);
        self.weight = self.weight * SMOOTHING + (1.0 - SMOOTHING);
        self.sum / self.weight
    }
}

/// Seconds as `1 h 05 min`, `12 min` or `40 s`.
fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match (seconds / 3600, seconds / 60 % 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    }
}
