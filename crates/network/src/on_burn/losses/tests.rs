//! The losses of tensors on the same numbers as the plain ones: value, and every gradient.

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::{DeviceKind, ValueLoss, losses};

fn scalar(tensor: Tensor<1>) -> Result<f32, String> {
    tensor.try_into_scalar().map_err(|error| error.to_string())
}

fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| random.random_range(-2.0..2.0)).collect()
}

#[test]
fn losses_and_gradients_equal_the_plain_ones() {
    let device = Device::open(DeviceKind::BurnCpu).unwrap();
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
    close(
        losses::policy_loss(&compact(&padded), &compact(&targets), &[0, 5, 7, 10]),
        (loss, compact(&gradient)),
    );

    let labels = [Some(Wdl { win: 0.6, draw: 0.3, loss: 0.1 }), None, Some(Wdl::LOSS)];
    let outputs = random(9, 4);
    let expected = tensors(&outputs, 3, &|logits| wdl_cross_entropy(logits, &labels, &device));
    close(losses::value_loss(ValueKind::Wdl, ValueLoss::CrossEntropy, &outputs, &labels), expected);
    let outputs = random(3, 5);
    let expected = tensors(&outputs, 1, &|output| scalar_error(output, &labels, &device));
    close(losses::value_loss(ValueKind::Scalar, ValueLoss::Squared, &outputs, &labels), expected);
}
