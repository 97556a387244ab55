use burn::tensor::{Tensor, TensorData};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Finish, SQUARES, TAPS, convolution, moments, normalise, normalise_add, plain};
use crate::Device;

fn random(rows: usize, columns: usize, seed: u64) -> Tensor<2> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let values: Vec<f32> = (0..rows * columns).map(|_| random.random_range(-1.0..1.0)).collect();
    Tensor::from_data(TensorData::new(values, [rows, columns]), &Device::cpu().burn)
}

fn leaf(tensor: &Tensor<2>) -> Tensor<2> {
    tensor.clone().autodiff().require_grad()
}

fn values(tensor: Tensor<2>) -> Vec<f32> {
    tensor.try_into_vec_as().unwrap()
}

fn assert_close(what: &str, fast: Tensor<2>, slow: Tensor<2>) {
    assert_eq!(fast.dims(), slow.dims(), "{what}");
    for (index, (fast, slow)) in values(fast).into_iter().zip(values(slow)).enumerate() {
        assert!(
            (fast - slow).abs() < 2e-3 * (1.0 + slow.abs()),
            "{what}[{index}]: fast {fast}, plain {slow}"
        );
    }
}

/// A function of several operands in its fast and plain form, compared in value and in all gradients.
fn compare(
    operands: &[Tensor<2>],
    fast: impl Fn(&[Tensor<2>]) -> Tensor<2>,
    slow: impl Fn(&[Tensor<2>]) -> Tensor<2>,
) {
    let run = |function: &dyn Fn(&[Tensor<2>]) -> Tensor<2>| {
        let leaves: Vec<Tensor<2>> = operands.iter().map(leaf).collect();
        let output = function(&leaves);
        let [rows, columns] = output.dims();
        // A weighted sum, so that no gradient cancels by symmetry.
        let mut gradients = (output.clone() * random(rows, columns, 99).autodiff()).sum().backward();
        let gradients: Vec<Tensor<2>> =
            leaves.iter().map(|leaf| leaf.grad_remove(&mut gradients).unwrap()).collect();
        (output.inner(), gradients)
    };
    let (fast_output, fast_gradients) = run(&fast);
    let (slow_output, slow_gradients) = run(&slow);
    assert_close("output", fast_output, slow_output);
    for (number, (fast, slow)) in fast_gradients.into_iter().zip(slow_gradients).enumerate() {
        assert_close(&format!("gradient of operand {number}"), fast, slow);
    }
}

#[test]
fn convolution_and_its_gradients_equal_burns() {
    // Several tiles, the last one incomplete.
    for boards in [1, 37] {
        let operands = [random(boards * SQUARES, 5, 1), random(TAPS * 5, 7, 2)];
        compare(
            &operands,
            |operands| convolution(operands[0].clone(), operands[1].clone()),
            |operands| plain::convolution(operands[0].clone(), operands[1].clone()),
        );
    }
}

#[test]
fn normalisation_and_its_gradients_equal_burns() {
    let operands = [random(70 * SQUARES, 6, 1).mul_scalar(3.0), random(1, 6, 2), random(1, 6, 3)];
    for finish in [Finish::Linear, Finish::Rectify] {
        compare(
            &operands,
            |operands| {
                let [input, scale, shift] = [0, 1, 2].map(|index| operands[index].clone());
                normalise(input.clone(), moments(input), scale, shift, finish)
            },
            |operands| {
                let [input, scale, shift] = [0, 1, 2].map(|index| operands[index].clone());
                let output = plain::normalise(input.clone(), plain::moments(input), scale, shift);
                if finish == Finish::Rectify { burn::tensor::activation::relu(output) } else { output }
            },
        );
    }
}

#[test]
fn normalisation_with_a_skip_connection_equals_burns() {
    let rows = 40 * SQUARES;
    let operands = [random(rows, 6, 1), random(1, 6, 2), random(1, 6, 3), random(rows, 6, 4)];
    compare(
        &operands,
        |operands| {
            let [input, scale, shift, skip] = [0, 1, 2, 3].map(|index| operands[index].clone());
            normalise_add(input.clone(), moments(input), scale, shift, skip)
        },
        |operands| {
            let [input, scale, shift, skip] = [0, 1, 2, 3].map(|index| operands[index].clone());
            let output = plain::normalise(input.clone(), plain::moments(input), scale, shift);
            burn::tensor::activation::relu(output + skip)
        },
    );
}

#[test]
fn a_convolution_reads_the_neighbour_its_tap_names() {
    // One channel; the weight picks the neighbour one rank up and one file to the left.
    let mut weight = vec![0.0_f32; TAPS];
    weight[2 * 3] = 1.0;
    let weight = Tensor::from_data(TensorData::new(weight, [TAPS, 1]), &Device::cpu().burn);
    let board: Vec<f32> = (0..SQUARES).map(|square| square as f32).collect();
    let board = Tensor::from_data(TensorData::new(board, [SQUARES, 1]), &Device::cpu().burn);
    let output = values(convolution(board, weight));
    for (square, &value) in output.iter().enumerate() {
        let (rank, file) = (square / 8, square % 8);
        let expected = if rank < 7 && file > 0 { (square + 7) as f32 } else { 0.0 };
        assert_eq!(value, expected, "square {square}");
    }
}
