//! Tests whole networks of random shapes on every instruction set and precision of this machine.

#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]
#![allow(missing_docs, reason = "test support is read where it is used")]

#[path = "support/oracle.rs"]
mod oracle;
#[path = "support/random.rs"]
mod random;

use chess::encoding::Plane;
use kernels::{Activation, Calibration, Isa, Plan, Policy, Precision, Program};
use random::{MAIA, Random, Shape};

/// All outputs of all positions: policy in the plan's own order, value, moves left.
fn answers(program: &Program, plan: &Plan, planes: &[Plane]) -> Vec<Vec<f64>> {
    let moves = match &plan.policy {
        Policy::Planes { second, .. } => second.outputs * 64,
        Policy::Dense { dense, .. } => dense.outputs,
    };
    let mut answers = Vec::new();
    program.run(&mut program.arena(), planes, &mut |number, answer| {
        assert_eq!(number, answers.len(), "answers come in order");
        let policy = (0..moves).map(|index| answer.policy[program.policy_slot(index)]);
        let numbers = policy.chain(answer.value.iter().copied()).chain(answer.moves_left);
        answers.push(numbers.map(f64::from).collect());
    });
    answers
}

fn expected(plan: &Plan, planes: &[Plane]) -> Vec<Vec<f64>> {
    let boards = planes.chunks_exact(plan.stem.inputs);
    let answer = |planes| {
        let output = oracle::forward(plan, planes);
        output.policy.into_iter().chain(output.value).chain(output.moves_left).collect()
    };
    boards.map(answer).collect()
}

/// The largest difference, relative to the root mean square of all expected values.
fn difference(found: &[Vec<f64>], expected: &[Vec<f64>]) -> f64 {
    assert_eq!(found.len(), expected.len(), "an answer for each position");
    let all = || found.iter().flatten().zip(expected.iter().flatten());
    assert!(found.iter().zip(expected).all(|(found, expected)| found.len() == expected.len()));
    let size = (all().map(|(_, expected)| expected * expected).sum::<f64>() / all().count() as f64).sqrt();
    all().map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max) / size
}

/// Ranges that cover every activation of these positions.
fn calibrate(plan: &Plan, planes: &[Plane]) -> Calibration {
    let program = Program::compile(plan, Isa::Portable, Precision::F32, None).unwrap();
    let mut ranges = vec![0.0_f32; plan.tensors().len()];
    program.watch(&mut program.arena(), planes, &mut |tensor, values| {
        ranges[tensor] = values.iter().copied().fold(ranges[tensor], f32::max);
    });
    Calibration { ranges }
}

/// The largest deviation of a network with random weights from 64-bit arithmetic.
fn tolerance(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => 2e-5,
        Precision::Bf16 => 0.1,
        Precision::Int8 => 0.3,
    }
}

fn check(shape: &Shape, seed: u64, positions: usize) {
    let mut random = Random(seed);
    let plan = random.plan(shape);
    let planes = random.boards(positions, shape.planes);
    let calibration = calibrate(&plan, &planes);
    let expected = expected(&plan, &planes);
    for isa in Isa::available() {
        for precision in isa.precisions() {
            let program = Program::compile(&plan, isa, precision, Some(&calibration)).unwrap();
            let found = answers(&program, &plan, &planes);
            let difference = difference(&found, &expected);
            assert!(difference < tolerance(precision), "{isa} {precision}: {difference} for {shape:?}");
            // The outputs for a position do not depend on the rest of the batch.
            let last = &planes[planes.len() - shape.planes..];
            assert_eq!(answers(&program, &plan, last)[0], *found.last().unwrap(), "{isa} {precision}");
        }
    }
}

const SMALL: Shape = Shape {
    planes: 20,
    stem_kernel: 3,
    channels: 32,
    blocks: 2,
    squeeze: 4,
    policy_kernel: 1,
    value: (16, 24, 3),
    ..MAIA
};

#[test]
fn networks_like_maias() {
    check(&Shape { blocks: 2, ..MAIA }, 1, 3);
}

#[test]
fn every_batch_up_to_more_than_a_piece() {
    for positions in [1, 2, 7, 8, 9, 16, 17, 33] {
        check(&Shape { channels: 16, blocks: 1, ..SMALL }, positions as u64, positions);
    }
}

#[test]
fn other_activations() {
    for activation in [Activation::Mish, Activation::Swish] {
        check(&Shape { activation, ..SMALL }, 3, 5);
    }
}

#[test]
fn odd_sizes_dense_policy_and_moves_left() {
    let odd = Shape {
        channels: 41,
        dense_policy: true,
        squeeze: 7,
        excite_bias: false,
        moves_left: true,
        value: (5, 19, 1),
        ..SMALL
    };
    check(&odd, 4, 6);
    check(&Shape { stem_kernel: 1, channels: 1, squeeze: 1, ..odd }, 5, 4);
}

#[test]
fn random_shapes() {
    let mut random = Random(99);
    for seed in 0..12 {
        let mut pick = |choices: &[usize]| choices[random.bits() as usize % choices.len()];
        let shape = Shape {
            planes: pick(&[1, 3, 20, 112]),
            stem_kernel: pick(&[1, 3]),
            channels: pick(&[8, 16, 24, 48, 50, 64, 80, 96]),
            blocks: pick(&[0, 1, 2]),
            squeeze: pick(&[0, 3, 16]),
            excite_bias: pick(&[0, 1]) == 1,
            activation: [Activation::Relu, Activation::Mish, Activation::Swish][pick(&[0, 0, 1, 2])],
            dense_policy: pick(&[0, 1]) == 1,
            policy_kernel: pick(&[1, 3]),
            policy_planes: pick(&[73, 80]),
            value: (pick(&[1, 16, 32]), pick(&[8, 100, 128]), pick(&[1, 3])),
            moves_left: pick(&[0, 1]) == 1,
        };
        check(&shape, seed, 2);
    }
}

#[test]
fn without_calibration_eight_bits_are_refused() {
    let plan = Random(1).plan(&SMALL);
    let error = Program::compile(&plan, Isa::Portable, Precision::Int8, None).unwrap_err().to_string();
    assert_eq!(error, "eight-bit activations: no calibration: found 0 ranges, expected 7");
    let broken = Calibration { ranges: vec![f32::NAN; 7] };
    assert!(Program::compile(&plan, Isa::Portable, Precision::Int8, Some(&broken)).is_err());
}

#[test]
fn activations_that_eight_bits_would_cut_off_are_refused() {
    for (activation, expected) in
        [(Activation::Tanh, "Tanh with minimum -1"), (Activation::LeakyRelu, "LeakyRelu with minimum -inf")]
    {
        let mut plan = Random(1).plan(&SMALL);
        plan.value.activation = activation;
        let calibration = Calibration { ranges: vec![1.0; plan.tensors().len()] };
        let compiled = |precision| Program::compile(&plan, Isa::Portable, precision, Some(&calibration));
        let error = compiled(Precision::Int8).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("eight-bit activations: found {expected}, expected a minimum of -0.31 or more")
        );
        assert!(compiled(Precision::F32).is_ok(), "{activation:?}");
    }
}

#[test]
fn layers_that_do_not_fit_are_named() {
    let mut plan = Random(1).plan(&SMALL);
    plan.blocks[1].second.weights.pop();
    let error = Program::compile(&plan, Isa::Portable, Precision::F32, None).unwrap_err().to_string();
    assert_eq!(error, "block 1, second convolution: weights: found size 9215, expected 9216");
}
