//! The losses against a slow version in plain Rust, their gradients against finite differences.

use chess::Wdl;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

fn scalar(tensor: Tensor<1>) -> Result<f32, String> {
    tensor.try_into_scalar().map_err(|error| error.to_string())
}

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

/// Checks a loss of one matrix: its value against the slow one, each gradient against the slow one's slope.
fn check(
    logits: &[f32],
    columns: usize,
    fast: impl Fn(Tensor<2>) -> Tensor<1>,
    slow: impl Fn(&[f32]) -> f64,
) {
    let device = Device::cpu();
    let leaf = device.matrix(logits.to_vec(), [logits.len() / columns, columns]).autodiff().require_grad();
    let loss = fast(leaf.clone());
    let mut gradients = loss.backward();
    assert!((f64::from(scalar(loss).unwrap()) - slow(logits)).abs() < 1e-5);
    let gradient: Vec<f32> = leaf.grad_remove(&mut gradients).unwrap().try_into_vec_as().unwrap();
    for (index, &gradient) in gradient.iter().enumerate() {
        let shifted = |step: f32| {
            let mut shifted = logits.to_vec();
            shifted[index] += step;
            slow(&shifted)
        };
        let slope = (shifted(1e-3) - shifted(-1e-3)) / 2e-3;
        assert!((f64::from(gradient) - slope).abs() < 1e-3, "{index}: {gradient} against {slope}");
    }
}

#[test]
fn policy_loss_equals_the_slow_one() {
    let logits = random(3 * 5, 1);
    // A distribution, one move, and a row with padding.
    let target = [0.2, 0.3, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0];
    check(
        &logits,
        5,
        |logits| policy_cross_entropy(logits, Device::cpu().matrix(target.to_vec(), [3, 5])),
        |logits| {
            let rows = logits.chunks(5).zip(target.chunks(5));
            rows.map(|(logits, target)| slow_cross_entropy(logits, target)).sum::<f64>() / 3.0
        },
    );
}

#[test]
fn value_losses_equal_the_slow_ones_and_skip_unlabelled_samples() {
    let targets = [Some(Wdl { win: 0.6, draw: 0.3, loss: 0.1 }), None, Some(Wdl::LOSS)];
    let device = Device::cpu();
    check(
        &random(3 * 3, 2),
        3,
        |logits| wdl_cross_entropy(logits, &targets, &device),
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
        1,
        |output| scalar_error(output, &targets, &device),
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
    let device = Device::cpu();
    let logits = device.matrix(vec![1.0; 6], [2, 3]);
    assert_eq!(scalar(wdl_cross_entropy(logits, &[None, None], &device)).unwrap(), 0.0);
}

/// The plain losses on the same numbers as the tensors': value, and every gradient.
#[test]
fn plain_losses_and_gradients_equal_those_of_tensors() {
    let device = Device::burn_cpu();
    let (columns, counts) = (5, [5_usize, 2, 3]);
    let padded = random(3 * columns, 8);
    let targets = [0.2, 0.3, 0.5, 0.0, 0.0, 0.25, 0.75, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let compact = |values: &[f32]| -> Vec<f32> {
        values.chunks(columns).zip(counts).flat_map(|(row, count)| row[..count].to_vec()).collect()
    };
    let masked: Vec<f32> = padded
        .iter()
        .enumerate()
        .map(|(at, value)| if at % columns < counts[at / columns] { *value } else { -1e9 })
        .collect();
    let tensors = |values: &[f32], columns: usize, loss: &dyn Fn(Tensor<2>) -> Tensor<1>| {
        let leaf =
            device.matrix(values.to_vec(), [values.len() / columns, columns]).autodiff().require_grad();
        let loss = loss(leaf.clone());
        let gradient = leaf.grad_remove(&mut loss.backward()).unwrap();
        (scalar(loss).unwrap(), gradient.try_into_vec_as::<f32>().unwrap())
    };
    let close = |(loss, gradient): (f32, Vec<f32>), (expected_loss, expected): (f32, Vec<f32>)| {
        assert!((loss - expected_loss).abs() < 1e-5, "{loss} against {expected_loss}");
        assert_eq!(gradient.len(), expected.len());
        for (found, expected) in gradient.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-6, "{gradient:?} against {expected:?}");
        }
    };
    let (loss, gradient) = tensors(&masked, columns, &|logits| {
        policy_cross_entropy(logits, device.matrix(targets.to_vec(), [3, columns]))
    });
    close(plain::policy(&compact(&padded), &compact(&targets), &[0, 5, 7, 10]), (loss, compact(&gradient)));

    let labels = [Some(Wdl { win: 0.6, draw: 0.3, loss: 0.1 }), None, Some(Wdl::LOSS)];
    let outputs = random(9, 4);
    let expected = tensors(&outputs, 3, &|logits| wdl_cross_entropy(logits, &labels, &device));
    close(plain::value(ValueKind::Wdl, &outputs, &labels), expected);
    let outputs = random(3, 5);
    let expected = tensors(&outputs, 1, &|output| scalar_error(output, &labels, &device));
    close(plain::value(ValueKind::Scalar, &outputs, &labels), expected);
    assert_eq!(plain::value(ValueKind::Scalar, &outputs, &[None; 3]), (0.0, vec![0.0; 3]));
}
