//! The losses against a slow version, their gradients against finite differences.

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| random.random_range(-2.0..2.0)).collect()
}

fn slow_cross_entropy(logits: &[f32], target: &[f32]) -> f64 {
    let sum: f64 = logits.iter().map(|logit| f64::from(*logit).exp()).sum();
    logits
        .iter()
        .zip(target)
        .map(|(logit, target)| -f64::from(*target) * (f64::from(*logit).exp() / sum).ln())
        .sum()
}

/// Checks a loss: its value against the slow one, each gradient against the slow one's slope.
fn check(inputs: &[f32], fast: impl Fn(&[f32]) -> (f32, Vec<f32>), slow: impl Fn(&[f32]) -> f64) {
    let (loss, gradient) = fast(inputs);
    assert!((f64::from(loss) - slow(inputs)).abs() < 1e-5);
    assert_eq!(gradient.len(), inputs.len());
    for (index, &gradient) in gradient.iter().enumerate() {
        let shifted = |step: f32| {
            let mut shifted = inputs.to_vec();
            shifted[index] += step;
            slow(&shifted)
        };
        let slope = (shifted(1e-3) - shifted(-1e-3)) / 2e-3;
        assert!((f64::from(gradient) - slope).abs() < 1e-3, "{index}: {gradient} against {slope}");
    }
}

#[test]
fn policy_loss_equals_the_slow_one() {
    // A distribution, one move, and the only legal move there is.
    let (target, offsets) = ([0.2, 0.3, 0.5, 0.0, 0.0, 0.0, 1.0, 1.0], [0, 5, 7, 8]);
    check(
        &random(8, 1),
        |logits| policy_loss(logits, &target, &offsets),
        |logits| {
            let rows = offsets.windows(2).map(|pair| pair[0] as usize..pair[1] as usize);
            rows.map(|row| slow_cross_entropy(&logits[row.clone()], &target[row])).sum::<f64>() / 3.0
        },
    );
}

#[test]
fn value_losses_equal_the_slow_ones_and_skip_unlabelled_samples() {
    let targets = [Some(Wdl { win: 0.6, draw: 0.3, loss: 0.1 }), None, Some(Wdl::LOSS)];
    check(
        &random(3 * 3, 2),
        |logits| value_loss(ValueKind::Wdl, logits, &targets),
        |logits| {
            let rows = logits.chunks(3).zip(&targets);
            let labelled = rows.filter_map(|(logits, target)| Some((logits, (*target)?)));
            labelled
                .map(|(logits, wdl)| slow_cross_entropy(logits, &[wdl.win, wdl.draw, wdl.loss]))
                .sum::<f64>()
                / 2.0
        },
    );
    check(
        &random(3, 3),
        |output| value_loss(ValueKind::Scalar, output, &targets),
        |output| {
            let rows = output.iter().zip(&targets);
            let errors = rows.filter_map(|(output, target)| {
                Some(f64::from(*output).tanh() - f64::from((*target)?.value()))
            });
            errors.map(|error| error * error).sum::<f64>() / 2.0
        },
    );
}

#[test]
fn a_batch_without_value_labels_has_a_value_loss_of_zero() {
    assert_eq!(value_loss(ValueKind::Wdl, &[1.0; 6], &[None; 2]), (0.0, vec![0.0; 6]));
    assert_eq!(value_loss(ValueKind::Scalar, &[1.0; 3], &[None; 3]), (0.0, vec![0.0; 3]));
}
