//! Sums over samples from which metrics are computed.

use chess::Wdl;
use figures::Measurement;
use network::probabilities::{PositionValue, softmax};

use super::{Metric, Metrics};
use crate::losses::{LossConfig, ValueLoss};

/// Number of bins of expected score in the calibration error.
const CALIBRATION_BINS: usize = 10;

/// The value that the network predicted for a sample, and its target.
struct Pair {
    predicted: PositionValue,
    target: PositionValue,
}

impl Pair {
    fn score_error(&self) -> f64 {
        score_error(self.predicted, self.target)
    }
}

/// Totals so far; the policy's accuracies are sums until the end. Every single loss is kept, because the interval needs their
/// variance.
#[derive(Default)]
pub(super) struct Sums {
    policy: Metrics,
    policy_losses: Vec<f64>,
    policy_entropies: Vec<f64>,
    illegal_move_losses: Vec<f64>,
    value: Vec<Pair>,
}

impl Sums {
    /// Adds a sample. Returns false, without adding to the policy's sums, if no move is known (`target` is
    /// empty or 0).
    pub(super) fn add_policy(&mut self, logits: &[f32], target: &[f32]) -> bool {
        let sums = &mut self.policy;
        let moves = logits.len() as f64;
        sums.positions += 1;
        if target.iter().all(|probability| *probability == 0.0) {
            return false;
        }
        sums.policy_positions += 1;
        let mut probabilities = logits.to_vec();
        softmax(&mut probabilities, 1.0);
        let (mut loss, mut entropy) = (0.0, 0.0);
        for (&probability, &target) in probabilities.iter().zip(target) {
            let logarithm = f64::from(probability.max(f32::MIN_POSITIVE)).ln();
            loss -= f64::from(target) * logarithm;
            entropy -= f64::from(probability) * logarithm;
        }
        self.policy_losses.push(loss);
        self.policy_entropies.push(entropy);
        let best = (0..target.len()).max_by(|&a, &b| target[a].total_cmp(&target[b])).unwrap_or(0);
        let likelier = logits.iter().filter(|logit| **logit > logits[best]).count() as f64;
        let alike = logits.iter().filter(|logit| **logit == logits[best]).count().max(1) as f64;
        // Moves with the same probability as the target may be in any order, so the target counts with the probability that a random
        // order puts it among the first one, three or five. A network without a policy is thereby as good as a guess; with any fixed
        // order of equal moves, the order of the move generator would be measured.
        sums.top1 += ((1.0 - likelier) / alike).clamp(0.0, 1.0);
        sums.top3 += ((3.0 - likelier) / alike).clamp(0.0, 1.0);
        sums.top5 += ((5.0 - likelier) / alike).clamp(0.0, 1.0);
        sums.baselines.policy_loss += moves.ln();
        sums.baselines.top1 += 1.0 / moves;
        sums.baselines.top3 += (3.0 / moves).min(1.0);
        sums.baselines.top5 += (5.0 / moves).min(1.0);
        true
    }

    /// Adds the logarithm of the legal moves' total probability, and their fraction of all moves.
    pub(super) fn add_illegal_moves(&mut self, legal_log_probability: f32, legal_share: f64) {
        self.illegal_move_losses.push(-f64::from(legal_log_probability));
        *self.policy.baselines.illegal_move_loss.get_or_insert(0.0) -= legal_share.ln();
    }

    pub(super) fn add_value(&mut self, predicted: PositionValue, target: PositionValue) {
        self.value.push(Pair { predicted, target });
    }

    /// One per sample whose illegal moves were added, in the same order in both lists.
    fn all_moves_losses(&self) -> Vec<f64> {
        self.policy_losses
            .iter()
            .zip(&self.illegal_move_losses)
            .map(|(legal, illegal)| legal + illegal)
            .collect()
    }

    /// The metrics: sums become means over the samples with a known move, and each metric gets its interval.
    pub(super) fn finish(self, config: &LossConfig, value_loss: ValueLoss) -> Metrics {
        let all_moves = Measurement::mean(&self.all_moves_losses());
        let mut result = self.policy;
        let illegal = &self.illegal_move_losses;
        result.illegal_move_loss = (!illegal.is_empty()).then(|| sum(illegal));
        result.policy_loss = sum(&self.policy_losses);
        result.policy_entropy = sum(&self.policy_entropies);
        result.all_moves_loss = result.illegal_move_loss.map(|illegal| illegal + result.policy_loss);
        let count = result.policy_positions.max(1) as f64;
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
        let over_all_moves =
            [&mut result.illegal_move_loss, &mut result.all_moves_loss, &mut baselines.illegal_move_loss];
        for sum in over_all_moves.into_iter().flatten() {
            *sum /= count;
        }
        let mut intervals = measure_value(&mut result, &self.value, value_loss);
        let moves = result.policy_positions;
        intervals.extend([
            (Metric::PolicyLoss, Measurement::mean(&self.policy_losses)),
            (Metric::Top1, share_of_moves(result.top1, moves)),
            (Metric::Top3, share_of_moves(result.top3, moves)),
            (Metric::Top5, share_of_moves(result.top5, moves)),
            (Metric::PolicyEntropy, Measurement::mean(&self.policy_entropies)),
            (Metric::IllegalMoveLoss, Measurement::mean(&self.illegal_move_losses)),
            (Metric::AllMovesLoss, all_moves),
        ]);
        for (metric, found) in intervals {
            if let Some(interval) = found {
                result.intervals.insert(metric.key().to_owned(), interval);
            }
        }
        let illegal_moves = result.illegal_move_loss.unwrap_or_default();
        result.loss = config.total(result.policy_loss, illegal_moves, result.value_loss.unwrap_or_default());
        result
    }
}

/// The sum; `Iterator::sum` returns -0.0 for no losses, which would be written into logs.
fn sum(losses: &[f64]) -> f64 {
    losses.iter().fold(0.0, |sum, loss| sum + loss)
}

fn mean(terms: &[f64]) -> f64 {
    terms.iter().sum::<f64>() / terms.len() as f64
}

fn share_of_moves(share: f64, moves: u64) -> Option<Measurement> {
    (moves > 0).then(|| Measurement::wilson(share, moves as f64, moves))
}

/// Sets the value's metrics and returns their [`Metrics::intervals`], none without pairs.
fn measure_value(
    result: &mut Metrics,
    pairs: &[Pair],
    loss: ValueLoss,
) -> Vec<(Metric, Option<Measurement>)> {
    if pairs.is_empty() {
        return Vec::new();
    }
    let constant = best_constant(pairs, loss);
    let constant_losses: Vec<f64> = pairs.iter().map(|pair| loss.of(constant, pair.target)).collect();
    let constant_errors: Vec<f64> = pairs.iter().map(|pair| score_error(constant, pair.target)).collect();
    result.baselines.value_loss = Some(mean(&constant_losses));
    result.baselines.value_error = Some(mean(&constant_errors));
    let errors: Vec<f64> = pairs.iter().map(Pair::score_error).collect();
    let losses: Vec<f64> = pairs.iter().map(|pair| loss.of(pair.predicted, pair.target)).collect();
    let squares: Vec<f64> = errors.iter().map(|error| error.powi(2)).collect();
    result.value_positions = pairs.len() as u64;
    result.value_loss = Some(mean(&losses));
    result.value_error = Some(mean(&errors));
    result.value_rms = Some(mean(&squares).sqrt());
    result.value_correlation = correlation(pairs);
    result.calibration_error = Some(calibration_error(pairs));
    let r = result.value_correlation.and_then(|r| Measurement::correlation(r, result.value_positions));
    // The interval of the mean of squares is symmetric and may begin below 0.
    let rms = Measurement::mean(&squares).map(|square| square.map(|end| end.max(0.0).sqrt()));
    vec![
        (Metric::ValueLoss, Measurement::mean(&losses)),
        (Metric::ValueError, Measurement::mean(&errors)),
        (Metric::ValueRms, rms),
        (Metric::ValueCorrelation, r),
    ]
}

/// The best constant prediction of the targets: the mean or, for absolute errors, the median.
fn best_constant(pairs: &[Pair], loss: ValueLoss) -> PositionValue {
    let mut numbers: Vec<f32> = pairs.iter().map(|pair| pair.target.number).collect();
    let number = if loss == ValueLoss::Absolute {
        numbers.sort_by(f32::total_cmp);
        f32::midpoint(numbers[(numbers.len() - 1) / 2], numbers[numbers.len() / 2])
    } else {
        numbers.iter().sum::<f32>() / numbers.len() as f32
    };
    let count = pairs.len() as f32;
    let mut wdl = Wdl { win: 0.0, draw: 0.0, loss: 0.0 };
    for Pair { target, .. } in pairs {
        wdl.win += target.wdl.win;
        wdl.draw += target.wdl.draw;
        wdl.loss += target.wdl.loss;
    }
    let wdl = Wdl { win: wdl.win / count, draw: wdl.draw / count, loss: wdl.loss / count };
    PositionValue { wdl, number }
}

fn score_error(predicted: PositionValue, target: PositionValue) -> f64 {
    f64::from((predicted.wdl.expected_score() - target.wdl.expected_score()).abs())
}

/// Pearson correlation of predicted and target expected score; `None` if one of them is constant.
fn correlation(pairs: &[Pair]) -> Option<f64> {
    let predictions: Vec<f64> = pairs.iter().map(|pair| pair.predicted.wdl.expected_score().into()).collect();
    let targets: Vec<f64> = pairs.iter().map(|pair| pair.target.wdl.expected_score().into()).collect();
    let (mean_prediction, mean_target) = (mean(&predictions), mean(&targets));
    let [mut products, mut prediction_squares, mut target_squares] = [0.0; 3];
    for (prediction, target) in predictions.iter().zip(&targets) {
        let (prediction, target) = (prediction - mean_prediction, target - mean_target);
        products += prediction * target;
        prediction_squares += prediction * prediction;
        target_squares += target * target;
    }
    let spread = (prediction_squares * target_squares).sqrt();
    (spread > 0.0).then(|| products / spread)
}

fn calibration_error(pairs: &[Pair]) -> f64 {
    let mut differences = [0.0_f64; CALIBRATION_BINS];
    for Pair { predicted, target } in pairs {
        let score = predicted.wdl.expected_score();
        let bin = ((score * CALIBRATION_BINS as f32) as usize).min(CALIBRATION_BINS - 1);
        differences[bin] += f64::from(score - target.wdl.expected_score());
    }
    differences.iter().map(|difference| difference.abs()).sum::<f64>() / pairs.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Validation;

    #[test]
    fn metrics_of_a_hand_made_set() {
        let mut sums = Sums::default();
        // The target is ranked first of two, and third of four.
        sums.add_policy(&[1.0, 0.0], &[1.0, 0.0]);
        sums.add_policy(&[3.0, 2.0, 1.0, 0.0], &[0.0, 0.0, 1.0, 0.0]);
        sums.add_value(Wdl { win: 0.5, draw: 0.25, loss: 0.25 }.into(), Wdl::WIN.into());
        sums.add_value(Wdl { win: 0.5, draw: 0.25, loss: 0.25 }.into(), Wdl::LOSS.into());
        let result = sums.finish(&LossConfig::default(), ValueLoss::CrossEntropy);
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
        // Predicted 0.625 twice; the outcome was 0.5 on average.
        assert!(close(result.calibration_error, 0.125));
        // With one sample there is no variance; with two, the interval is based on the difference of their losses.
        let interval = |name: &str| result.intervals[name];
        let half = 1.959_964 * (second - first).abs() / 2.0;
        assert!((interval("policy_loss").upper - result.policy_loss - half).abs() < 1e-6, "{result:?}");
        assert_eq!(interval("top1"), Measurement::share(1, 2).unwrap());
        // Values: errors 0.375 and 0.625; half their difference is 0.125.
        let error = interval("value_error");
        assert!((error.upper - 0.5 - 1.959_964 * 0.125).abs() < 1e-6 && error.samples == 2, "{error:?}");
        assert!(!result.intervals.contains_key("value_correlation"), "{result:?}");
        // A sample without a known move changes only the count of samples.
        let mut more = Sums::default();
        assert!(more.add_policy(&[1.0, 0.0], &[1.0, 0.0]) && !more.add_policy(&[5.0, 0.0, 0.0], &[0.0; 3]));
        let more = more.finish(&LossConfig::default(), ValueLoss::CrossEntropy);
        assert_eq!((more.positions, more.policy_positions, more.top1), (2, 1, 1.0));
        assert_eq!(more.intervals["top1"], Measurement::share(1, 1).unwrap());
        assert!(!more.intervals.contains_key("policy_loss"), "{more:?}");
        assert!((more.policy_loss - first).abs() < 1e-6, "{more:?}");
    }

    #[test]
    fn correlation_and_root_mean_square_of_expected_scores() {
        let at = |score: f32| PositionValue::from(Wdl { win: score, draw: 0.0, loss: 1.0 - score });
        let measured = |pairs: &[(f32, f32)]| {
            let mut sums = Sums::default();
            for &(predicted, target) in pairs {
                sums.add_value(at(predicted), at(target));
            }
            let found = sums.finish(&LossConfig::default(), ValueLoss::CrossEntropy);
            (found.value_correlation, found.value_rms.unwrap())
        };
        let (correlation, rms) = measured(&[(0.2, 0.1), (0.4, 0.5), (0.9, 0.6)]);
        // Deviations -0.3, -0.1, 0.4 and -0.3, 0.1, 0.2.
        let expected = (0.09 - 0.01 + 0.08) / (0.26_f64 * 0.14).sqrt();
        assert!((correlation.unwrap() - expected).abs() < 1e-6, "{correlation:?} for {expected}");
        assert!((rms - (0.11_f64 / 3.0).sqrt()).abs() < 1e-6, "{rms}");
        assert_eq!(measured(&[(0.5, 0.1), (0.5, 0.9)]).0, None);
        let mut sums = Sums::default();
        for (predicted, target) in [(0.2, 0.1), (0.4, 0.5), (0.9, 0.6), (0.5, 0.4)] {
            sums.add_value(at(predicted), at(target));
        }
        let found = sums.finish(&LossConfig::default(), ValueLoss::CrossEntropy);
        // Squared errors 0.01, 0.01, 0.09 and 0.01: mean 0.03, variance 0.0016, so at most 0.03 + 1.96 * 0.02 and at least 0.
        let rms = found.intervals["value_rms"];
        assert!((rms.upper - 0.069_199_f64.sqrt()).abs() < 1e-5 && rms.lower == 0.0, "{rms:?}");
        let r = found.intervals["value_correlation"];
        assert_eq!((r.value, r.samples), (found.value_correlation.unwrap(), 4));
        assert!((r.upper.atanh() - r.value.atanh() - 1.959_964).abs() < 1e-5, "{r:?}");
    }

    #[test]
    fn moves_that_are_alike_are_guessed_among() {
        let mut sums = Sums::default();
        let mut target = [0.0; 20];
        target[7] = 1.0;
        sums.add_policy(&[0.0; 20], &target);
        sums.add_policy(&[2.0, 1.0, 1.0, 0.0], &[0.0, 0.0, 1.0, 0.0]);
        let found = sums.finish(&LossConfig::default(), ValueLoss::CrossEntropy);
        // One of twenty equally likely moves; and one behind a more likely move, which is never first and always among
        // three.
        assert!((found.top1 - 0.05 / 2.0).abs() < 1e-9, "{found:?}");
        assert!((found.top3 - f64::midpoint(0.15, 1.0)).abs() < 1e-9, "{found:?}");
        assert_eq!(found.top5, f64::midpoint(0.25, 1.0));
    }

    #[test]
    fn without_value_labels_there_are_no_numbers_about_values() {
        let mut sums = Sums::default();
        sums.add_policy(&[1.0, 0.0], &[1.0, 0.0]);
        let overall = sums.finish(&LossConfig::default(), ValueLoss::CrossEntropy);
        assert_eq!((overall.value_positions, overall.value_loss, overall.value_error), (0, None, None));
        assert!((overall.loss - overall.policy_loss).abs() < 1e-9);
        let validation = Validation { overall, ..Validation::default() };
        let named = validation.metrics();
        assert!(named.contains_key("top1") && !named.keys().any(|name| name.contains("value")), "{named:?}");
        let text = serde_json::to_string(&validation).unwrap();
        assert!(!text.contains("value_loss") && !text.contains("calibration"), "{text}");
        assert_eq!(serde_json::from_str::<Validation>(&text).unwrap(), validation);
    }

    #[test]
    fn losses_are_those_that_training_minimises() {
        let config = LossConfig { illegal_move_weight: 0.5, value_weight: 2.0, ..LossConfig::default() };
        let finish = |loss| {
            let mut sums = Sums::default();
            sums.add_policy(&[0.0, 0.0], &[1.0, 0.0]);
            sums.add_illegal_moves(-0.25, 0.5);
            sums.add_value(Wdl { win: 0.5, draw: 0.0, loss: 0.5 }.into(), Wdl::DRAW.into());
            sums.add_policy(&[0.0, 0.0], &[1.0, 0.0]);
            sums.add_illegal_moves(-0.75, 0.5);
            sums.add_value(Wdl { win: 1.0, draw: 0.0, loss: 0.0 }.into(), Wdl::DRAW.into());
            sums.finish(&config, loss)
        };
        let squared = finish(ValueLoss::Squared);
        assert_eq!((squared.value_loss, squared.baselines.value_loss), (Some(0.5), Some(0.0)));
        assert_eq!(
            (squared.illegal_move_loss, squared.baselines.illegal_move_loss),
            (Some(0.5), Some(2.0_f64.ln()))
        );
        assert!((squared.loss - (2.0_f64.ln() + 0.5 * 0.5 + 2.0 * 0.5)).abs() < 1e-9, "{squared:?}");
        assert_eq!(finish(ValueLoss::Huber { delta: 0.5 }).value_loss, Some(0.1875));
        assert_eq!(finish(ValueLoss::Absolute).value_loss, Some(0.5));
    }
}
