//! Progress of a training run: a bar on a terminal, otherwise a plain line from time to time.

use std::{
    fmt::Write as _,
    io::IsTerminal as _,
    path::Path,
    time::{Duration, Instant},
};

use figures::DurationText;
use indicatif::{ProgressBar, ProgressStyle};
use training::{Recipe, SmoothedLoss, StepProgress, TrainingObserver, Validation};

use crate::{
    progress_bar::{LogInterval, print_line},
    validation::validation_lines,
};

/// Time between plain lines if stderr is not a terminal.
const QUIET_INTERVAL: Duration = Duration::from_secs(30);

/// Prints a run to standard error.
pub struct TrainingProgress {
    bar: Option<ProgressBar>,
    interval: LogInterval,
    /// Time and number of the first step of this process: the remaining time includes validations and checkpoints.
    first: Option<(Instant, u64)>,
    policy: Head,
    value: Head,
}

/// The loss of a head in the line of a step.
#[derive(Default)]
struct Head {
    name: &'static str,
    loss: SmoothedLoss,
    smoothed: f64,
    unit: &'static str,
}

impl Head {
    /// A head without a step yet; an empty unit is that of a head that the network has not.
    fn new(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, ..Self::default() }
    }
}

impl TrainingProgress {
    /// The bar of a run.
    pub fn new(recipe: &Recipe) -> Self {
        let steps = recipe.training.steps;
        let (network, losses) = (&recipe.network, &recipe.losses);
        let policy_unit = if network.has_policy() { "nats" } else { "" };
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} steps, {msg}");
            ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self {
            bar,
            interval: LogInterval::new(QUIET_INTERVAL),
            first: None,
            policy: Head::new("policy", policy_unit),
            value: Head::new("value", losses.value_unit(network.value_kind())),
        }
    }

    /// The losses of the heads that the network has.
    fn losses(&self) -> String {
        let mut text = String::new();
        for Head { name, smoothed, unit, .. } in [&self.policy, &self.value] {
            if !unit.is_empty() {
                let _ = write!(text, "{name} {smoothed:.3} {unit}, ");
            }
        }
        text
    }

    /// Prints a line above the bar.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print_line(text)),
            None => print_line(text),
        }
    }

    /// Finishes the bar and leaves it on the screen.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish();
        }
    }
}

impl TrainingObserver for TrainingProgress {
    fn step(&mut self, progress: &StepProgress) {
        self.policy.smoothed = self.policy.loss.add(f64::from(progress.report.policy_loss));
        self.value.smoothed = self.value.loss.add(f64::from(progress.report.value_loss));
        // Of this process: a resumed run has taken its earlier steps in another time, maybe on another machine.
        let (begin, first) = *self.first.get_or_insert((Instant::now(), progress.step));
        let text = format!(
            "{}{:.0} positions/s, epoch {}{}",
            self.losses(),
            progress.positions_per_second,
            progress.epoch + 1,
            left(begin.elapsed(), progress.step - first, progress.steps - progress.step),
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

/// The time that the remaining steps take at the rate of the steps so far; empty before the second step.
fn left(elapsed: Duration, taken: u64, remaining: u64) -> String {
    if taken == 0 {
        return String::new();
    }
    format!(", {} left", DurationText(elapsed.as_secs_f64() / taken as f64 * remaining as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_from_all_the_time_that_steps_took() {
        let elapsed = Duration::from_secs(100);
        assert_eq!(left(elapsed, 0, 9000), "");
        assert_eq!(left(elapsed, 50, 1900), ", 1 h 03 min left");
        assert_eq!(left(elapsed, 100, 40), ", 40 s left");
    }
}
