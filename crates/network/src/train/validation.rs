//! How good a network is on samples it has not learned from, beside what trivial predictors reach on the same samples.

use std::collections::BTreeMap;

use chess::Wdl;
use dataset::Batch;
use serde::{Deserialize, Serialize};

use super::samples::{Samples, held_out};
use crate::{
    Device, NetworkError, ValueTarget, Weights,
    architecture::Architecture,
    evaluator::{softmax, wdl},
    losses::LossConfig,
    passes::{Answers, Moments, passes},
    recipe::TrainingPrecision,
    spec::ValueKind,
    targets::Targets,
};

/// Bins of expected score in the calibration error.
const CALIBRATION_BINS: usize = 10;

/// What a network reaches on held-out samples, in all and by the kind of their labels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// All samples.
    #[serde(flatten)]
    pub overall: Metrics,
    /// Samples with an engine's evaluation, whose target move is the engine's.
    pub evaluated: Option<Metrics>,
    /// Samples without one, whose target move was played in a game.
    pub played: Option<Metrics>,
}

/// What a network reaches on a set of samples. Losses in nats; shares from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Samples.
    pub positions: u64,
    /// Samples with a value label.
    pub value_positions: u64,
    /// The weighted sum that training minimises, without label smoothing; the policy's part alone where no sample has a
    /// value label.
    pub loss: f64,
    /// Cross-entropy of the policy over the legal moves.
    pub policy_loss: f64,
    /// Share of samples whose likeliest move is the target's.
    pub top1: f64,
    /// Share of samples whose target is among the three likeliest moves.
    pub top3: f64,
    /// Share of samples whose target is among the five likeliest moves.
    pub top5: f64,
    /// Entropy of the policy.
    pub policy_entropy: f64,
    /// Cross-entropy of win, draw and loss. This and every other number about values is absent where no sample has a
    /// value label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_loss: Option<f64>,
    /// Mean distance between predicted and target expected score, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_error: Option<f64>,
    /// Mean distance between predicted and target expected score within ten bins of the prediction, weighted by their
    /// samples: 0 = calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration_error: Option<f64>,
    /// What trivial predictors reach on the same samples.
    pub baselines: Baselines,
}

/// Trivial predictors: all legal moves alike, and always the mean value of these very samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baselines {
    /// Policy cross-entropy of the uniform policy.
    pub policy_loss: f64,
    /// Its expected share of right guesses with one move.
    pub top1: f64,
    /// With three.
    pub top3: f64,
    /// With five.
    pub top5: f64,
    /// Value cross-entropy of the mean value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_loss: Option<f64>,
    /// Mean distance of the mean expected score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_error: Option<f64>,
}

impl Validation {
    /// The metrics by name, for provenance and tables; those of a part of the samples start with its name.
    pub fn metrics(&self) -> BTreeMap<String, f64> {
        let parts = [
            ("", Some(&self.overall)),
            ("evaluated_", self.evaluated.as_ref()),
            ("played_", self.played.as_ref()),
        ];
        let named = |(prefix, metrics): (&'static str, Option<&Metrics>)| {
            let named = metrics.map(Metrics::named);
            named.into_iter().flatten().map(move |(name, value)| (format!("{prefix}{name}"), value))
        };
        parts.into_iter().flat_map(named).collect()
    }

    /// Compares a network's answers on the batches with their labels.
    ///
    /// # Errors
    /// [`NetworkError::Data`] when a batch does not fit the network, [`NetworkError::Training`] when the device fails.
    pub(crate) fn measure(
        kind: ValueKind,
        mut answers: impl FnMut(&Batch) -> Result<Answers, NetworkError>,
        batches: &[Batch],
        config: &LossConfig,
    ) -> Result<Self, NetworkError> {
        let mut parts = [Sums::default(), Sums::default(), Sums::default()];
        for batch in batches {
            let Answers { logits, values, .. } = answers(batch)?;
            let targets = Targets::new(batch, 0.0, config.value_target);
            for (sample, pair) in batch.legal_offsets.windows(2).enumerate() {
                let row = pair[0] as usize..pair[1] as usize;
                let output = &values[sample * kind.outputs()..(sample + 1) * kind.outputs()];
                let part = if batch.evaluations[sample].is_some() { 1 } else { 2 };
                for part in [0, part] {
                    parts[part].add_policy(&logits[row.clone()], &targets.policy[row.clone()]);
                    if let Some(target) = targets.value[sample] {
                        parts[part].add_value(wdl(kind, output), target);
                    }
                }
            }
        }
        let [overall, evaluated, played] = parts.map(|part| part.finish(config));
        let present = |metrics: Metrics| (metrics.positions > 0).then_some(metrics);
        Ok(Self { overall, evaluated: present(evaluated), played: present(played) })
    }
}

impl Metrics {
    fn named(&self) -> impl Iterator<Item = (&'static str, f64)> + use<> {
        let baseline = &self.baselines;
        let named = [
            ("positions", Some(self.positions as f64)),
            ("policy_loss", Some(self.policy_loss)),
            ("policy_loss_uniform", Some(baseline.policy_loss)),
            ("top1", Some(self.top1)),
            ("top1_uniform", Some(baseline.top1)),
            ("top3", Some(self.top3)),
            ("top5", Some(self.top5)),
            ("policy_entropy", Some(self.policy_entropy)),
            ("value_loss", self.value_loss),
            ("value_loss_mean", baseline.value_loss),
            ("value_error", self.value_error),
            ("value_error_mean", baseline.value_error),
            ("calibration_error", self.calibration_error),
        ];
        named.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

/// Measures a finished network on the held-out samples of a store: at least `positions` of them, spread evenly, always
/// the same ones. `value_target` says what the value is compared with.
///
/// # Errors
/// [`NetworkError::Data`] when the store cannot be read or holds none.
pub fn validate(
    weights: &Weights,
    samples: &dyn Samples,
    positions: usize,
    value_target: ValueTarget,
    device: &Device,
) -> Result<Validation, NetworkError> {
    let batches = held_out(samples, positions)?;
    let architecture = Architecture::new(&weights.spec)?;
    let (parameters, statistics) = weights.values(&architecture);
    let mut passes = passes(&architecture, device, TrainingPrecision::F32)?;
    let answers = |batch: &Batch| passes.answers(&parameters, Moments::Stored(&statistics), batch);
    let config = LossConfig { value_target, ..LossConfig::default() };
    Validation::measure(weights.spec.value.kind, answers, &batches, &config)
}

#[derive(Default)]
struct Sums {
    policy: Metrics,
    value: Vec<(Wdl, Wdl)>,
}

impl Sums {
    fn add_policy(&mut self, logits: &[f32], target: &[f32]) {
        let sums = &mut self.policy;
        let moves = logits.len() as f64;
        sums.positions += 1;
        let mut probabilities = logits.to_vec();
        softmax(&mut probabilities);
        for (&probability, &target) in probabilities.iter().zip(target) {
            let logarithm = f64::from(probability.max(f32::MIN_POSITIVE)).ln();
            sums.policy_loss -= f64::from(target) * logarithm;
            sums.policy_entropy -= f64::from(probability) * logarithm;
        }
        let best = (0..target.len()).max_by(|&a, &b| target[a].total_cmp(&target[b])).unwrap_or(0);
        let rank = logits.iter().filter(|logit| **logit > logits[best]).count();
        sums.top1 += f64::from(u8::from(rank < 1));
        sums.top3 += f64::from(u8::from(rank < 3));
        sums.top5 += f64::from(u8::from(rank < 5));
        sums.baselines.policy_loss += moves.ln();
        sums.baselines.top1 += 1.0 / moves;
        sums.baselines.top3 += (3.0 / moves).min(1.0);
        sums.baselines.top5 += (5.0 / moves).min(1.0);
    }

    fn add_value(&mut self, predicted: Wdl, target: Wdl) {
        self.value.push((predicted, target));
    }

    fn finish(self, config: &LossConfig) -> Metrics {
        let mut result = self.policy;
        let count = result.positions.max(1) as f64;
        let baselines = &mut result.baselines;
        for sum in [
            &mut result.policy_loss,
            &mut result.policy_entropy,
            &mut result.top1,
            &mut result.top3,
            &mut result.top5,
            &mut baselines.policy_loss,
            &mut baselines.top1,
            &mut baselines.top3,
            &mut baselines.top5,
        ] {
            *sum /= count;
        }
        result.value_positions = self.value.len() as u64;
        if !self.value.is_empty() {
            let mean = mean_wdl(self.value.iter().map(|(_, target)| *target));
            let constant: Vec<(Wdl, Wdl)> = self.value.iter().map(|(_, target)| (mean, *target)).collect();
            result.value_loss = Some(cross_entropy(&self.value));
            result.value_error = Some(score_error(&self.value));
            result.calibration_error = Some(calibration_error(&self.value));
            baselines.value_loss = Some(cross_entropy(&constant));
            baselines.value_error = Some(score_error(&constant));
        }
        result.loss = f64::from(config.policy_weight) * result.policy_loss
            + f64::from(config.value_weight) * result.value_loss.unwrap_or_default();
        result
    }
}

fn mean_wdl(values: impl ExactSizeIterator<Item = Wdl>) -> Wdl {
    let count = values.len() as f32;
    let sum = values.fold(Wdl { win: 0.0, draw: 0.0, loss: 0.0 }, |sum, wdl| Wdl {
        win: sum.win + wdl.win,
        draw: sum.draw + wdl.draw,
        loss: sum.loss + wdl.loss,
    });
    Wdl { win: sum.win / count, draw: sum.draw / count, loss: sum.loss / count }
}

/// Mean of -sum(target * ln predicted).
fn cross_entropy(pairs: &[(Wdl, Wdl)]) -> f64 {
    let term = |predicted: f32, target: f32| -f64::from(target) * f64::from(predicted.max(1e-9)).ln();
    let sum: f64 = pairs
        .iter()
        .map(|(predicted, target)| {
            term(predicted.win, target.win)
                + term(predicted.draw, target.draw)
                + term(predicted.loss, target.loss)
        })
        .sum();
    sum / pairs.len() as f64
}

fn score_error(pairs: &[(Wdl, Wdl)]) -> f64 {
    let distance = |(predicted, target): &(Wdl, Wdl)| {
        f64::from((predicted.expected_score() - target.expected_score()).abs())
    };
    pairs.iter().map(distance).sum::<f64>() / pairs.len() as f64
}

fn calibration_error(pairs: &[(Wdl, Wdl)]) -> f64 {
    let mut differences = [0.0_f64; CALIBRATION_BINS];
    for (predicted, target) in pairs {
        let score = predicted.expected_score();
        let bin = ((score * CALIBRATION_BINS as f32) as usize).min(CALIBRATION_BINS - 1);
        differences[bin] += f64::from(score - target.expected_score());
    }
    differences.iter().map(|difference| difference.abs()).sum::<f64>() / pairs.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_of_a_hand_made_set() {
        let mut sums = Sums::default();
        // The target is ranked first of two, and third of four.
        sums.add_policy(&[1.0, 0.0], &[1.0, 0.0]);
        sums.add_policy(&[3.0, 2.0, 1.0, 0.0], &[0.0, 0.0, 1.0, 0.0]);
        sums.add_value(Wdl { win: 0.5, draw: 0.25, loss: 0.25 }, Wdl::WIN);
        sums.add_value(Wdl { win: 0.5, draw: 0.25, loss: 0.25 }, Wdl::LOSS);
        let result = sums.finish(&LossConfig::default());
        let first = (1.0 + (-1.0_f64).exp()).ln();
        let second = 2.0 + (1.0 + (-1.0_f64).exp() + (-2.0_f64).exp() + (-3.0_f64).exp()).ln();
        assert!((result.policy_loss - f64::midpoint(first, second)).abs() < 1e-6);
        assert_eq!((result.top1, result.top3, result.top5), (0.5, 1.0, 1.0));
        assert!((result.baselines.policy_loss - f64::midpoint(2.0_f64.ln(), 4.0_f64.ln())).abs() < 1e-9);
        assert_eq!((result.baselines.top1, result.baselines.top3), (0.375, 0.875));
        let close = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-6;
        assert!(close(result.value_loss, f64::midpoint(2.0_f64.ln(), 4.0_f64.ln())));
        assert!(close(result.baselines.value_loss, 2.0_f64.ln()));
        assert!(close(result.value_error, f64::midpoint(0.375, 0.625)));
        assert!(close(result.baselines.value_error, 0.5));
        // Predicted 0.625 twice, happened 0.5 on average.
        assert!(close(result.calibration_error, 0.125));
    }

    #[test]
    fn without_value_labels_there_are_no_numbers_about_values() {
        let mut sums = Sums::default();
        sums.add_policy(&[1.0, 0.0], &[1.0, 0.0]);
        let overall = sums.finish(&LossConfig::default());
        assert_eq!((overall.value_positions, overall.value_loss, overall.value_error), (0, None, None));
        assert!((overall.loss - overall.policy_loss).abs() < 1e-9);
        let validation = Validation { overall, ..Validation::default() };
        let named = validation.metrics();
        assert!(named.contains_key("top1") && !named.keys().any(|name| name.contains("value")), "{named:?}");
        let text = serde_json::to_string(&validation).unwrap();
        assert!(!text.contains("value_loss") && !text.contains("calibration"), "{text}");
        assert_eq!(serde_json::from_str::<Validation>(&text).unwrap(), validation);
    }
}
