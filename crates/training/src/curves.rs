//! The loss curves of a run as an SVG image.

use std::path::Path;

use figures::{Axis, Chart, Colour, Figure, Series, span};
use network::container;

use crate::{TrainingError, log::LogLine, validation::Metrics};

type Points = Vec<(f64, f64)>;

/// Draws policy loss, value loss and top-1 accuracy over the steps, as far as the network has them; the file is replaced atomically.
pub(crate) fn draw(path: &Path, title: &str, lines: &[LogLine]) -> Result<(), TrainingError> {
    let figure = Figure { title: title.into(), height: 340, charts: charts(lines) };
    let image = figure.svg().map_err(|reason| TrainingError::Drawing { path: path.into(), reason })?;
    Ok(container::write(path, image.as_bytes())?)
}

fn charts(lines: &[LogLine]) -> Vec<Chart> {
    let (mut policy, mut value, mut validations) = (Points::new(), Points::new(), Vec::new());
    for line in lines {
        match line {
            LogLine::Step { step, policy_loss, value_loss, .. } => {
                policy.push((*step as f64, f64::from(*policy_loss)));
                value.push((*step as f64, f64::from(*value_loss)));
            }
            LogLine::Validation { step, validation } => validations.push((*step as f64, &validation.overall)),
        }
    }
    // A network without a policy or a value has a loss of 0 in every step.
    let [has_policy, has_value] = [&policy, &value].map(|losses| losses.iter().any(|point| point.1 != 0.0));
    let mut charts = Vec::new();
    if has_policy {
        let title = "policy cross-entropy, nats (grey line: uniform over legal moves)";
        charts.push(chart(title, policy, &validations, |overall| {
            [Some(overall.policy_loss), Some(overall.baselines.policy_loss)]
        }));
    }
    if has_value {
        charts.push(chart("value loss (grey line: always the mean)", value, &validations, |overall| {
            [overall.value_loss, overall.baselines.value_loss]
        }));
    }
    if has_policy {
        let title = "top-1 on held-out samples (grey line: uniform over legal moves)";
        charts.push(chart(title, Points::new(), &validations, |overall| {
            [Some(overall.top1), Some(overall.baselines.top1)]
        }));
    }
    charts
}

/// The chart of a metric: in training, and of each validation with its step. `metric` returns the value measured on held-out
/// samples, and the baseline.
fn chart(
    title: &str,
    training: Points,
    validations: &[(f64, &Metrics)],
    metric: fn(&Metrics) -> [Option<f64>; 2],
) -> Chart {
    let held_out = validations.iter().filter_map(|(step, overall)| Some((*step, metric(overall)[0]?)));
    let held_out: Points = held_out.collect();
    let baseline = validations.last().and_then(|(_, overall)| metric(overall)[1]);
    let smoothed = smooth(&training);
    // The losses of single batches scatter too widely to be included in the range.
    let shown = smoothed.iter().chain(&held_out).map(|point| point.1).chain(baseline);
    let y = Axis { range: Some(span(shown, 1e-3)), ..Axis::default() };
    let series = vec![
        Series::new(Colour::Pale, training).named("training"),
        Series::new(Colour::Blue, smoothed).named("smoothed"),
        Series::new(Colour::Red, held_out).named("held out"),
    ];
    Chart { title: title.into(), y, series, baseline, ..Chart::default() }
}

fn smooth(points: &[(f64, f64)]) -> Points {
    let mut loss = SmoothedLoss::default();
    points.iter().map(|&(step, value)| (step, loss.add(value))).collect()
}

/// Weight of the past: effectively an average over about the last fifty values.
const PAST: f64 = 0.98;

/// The exponential moving average of a loss, divided by the weight of the values so far, as Adam corrects its moments (Kingma and Ba,
/// ICLR 2015); without this correction it would start at 0. It is shown in the drawn curves and the progress bar.
#[derive(Clone, Copy, Debug, Default)]
pub struct SmoothedLoss {
    sum: f64,
    weight: f64,
}

impl SmoothedLoss {
    /// Adds the next value, and returns the average up to it.
    pub fn add(&mut self, value: f64) -> f64 {
        self.sum = self.sum * PAST + value * (1.0 - PAST);
        self.weight = self.weight * PAST + (1.0 - PAST);
        self.sum / self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_at_the_first_value_and_forgets_what_is_long_past() {
        let mut loss = SmoothedLoss::default();
        assert!((loss.add(3.0) - 3.0).abs() < 1e-12);
        assert!((loss.add(1.0) - (3.0 * PAST + 1.0) / (PAST + 1.0)).abs() < 1e-12);
        let last = (0..500).map(|_| loss.add(1.0)).last();
        assert!(last.is_some_and(|last| (last - 1.0).abs() < 1e-3), "{last:?}");
    }
}
