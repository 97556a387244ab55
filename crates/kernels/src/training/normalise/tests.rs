//! Compares the kernels with plain loops over the squares of a board.

use super::*;
use crate::{
    layout::{Boards, SQUARES, position},
    simd::Portable,
    simd::element::Bf16,
    training::tests::Numbers,
};

/// Not a multiple of the widest group of vectors.
const WIDTH: usize = 112;

/// A board with random numbers on its squares.
fn board<E: Element>(numbers: &mut Numbers) -> Boards<E> {
    let mut board = Boards::new(1, WIDTH, E::nearest(0.0));
    for at in places() {
        board.board_mut(0)[at] = E::nearest(numbers.next());
    }
    board
}

/// The inputs of a layer's activation.
struct Layer<E: Element> {
    sums: Boards<E>,
    factor: Vec<f32>,
    shift: Vec<f32>,
    skip: Option<Boards<E>>,
    activation: Activation,
}

impl<E: Element> Layer<E> {
    fn affine(&self) -> Affine<'_> {
        Affine { factor: &self.factor, shift: &self.shift }
    }

    fn skip(&self) -> Option<&[E]> {
        self.skip.as_ref().map(|skip| skip.board(0))
    }

    /// The value before the activation at an index of the board.
    fn before(&self, at: usize) -> f32 {
        let number = |board: &Boards<E>| board.board(0)[at].to_f32();
        let (factor, shift) = (self.factor[at % WIDTH], self.shift[at % WIDTH]);
        factor * number(&self.sums) + shift + self.skip.as_ref().map_or(0.0, number)
    }

    fn after(&self, at: usize) -> f32 {
        self.activation.apply(Portable, Portable.splat(self.before(at)))[0]
    }

    /// The sum of some gradients after the activation's gate.
    fn passed<const COUNT: usize>(&self, at: usize, gradients: [&Boards<f32>; COUNT]) -> f32 {
        let upstream = gradients.iter().map(|gradient| gradient.board(0)[at]).sum();
        self.activation.gradient(Portable, Portable.splat(self.before(at)), Portable.splat(upstream))[0]
    }

    /// Asserts that these are the column sums of the gated gradient, and of its products with the centred values.
    fn check_sums(&self, found: &[f32], mean: &[f32], passed: impl Fn(usize) -> f32) {
        let mut expected = vec![0.0; 2 * WIDTH];
        for at in places() {
            let (column, passed) = (at % WIDTH, passed(at));
            expected[column] += passed;
            expected[WIDTH + column] += passed * (self.sums.board(0)[at].to_f32() - mean[column]);
        }
        found.iter().zip(expected).for_each(|(found, expected)| close(*found, expected, 1e-4));
    }
}

#[track_caller]
fn close(found: f32, expected: f32, tolerance: f32) {
    assert!((found - expected).abs() <= tolerance * (1.0 + expected.abs()), "{found}, expected {expected}");
}

/// The index of every value on a square of the board.
fn places() -> impl Iterator<Item = usize> {
    (0..SQUARES).flat_map(|square| position(square) * WIDTH..(position(square) + 1) * WIDTH)
}

/// Computes a layer's output and propagates a gradient back through its gate, to elements and to a trunk.
fn forth_and_back<E: Element, S: Lanes<E> + Lanes<f32>>(
    simd: S,
    (activation, skip): (Activation, bool),
    tolerance: f32,
) {
    let mut numbers = Numbers(5);
    let layer = Layer::<E> {
        sums: board(&mut numbers),
        factor: numbers.list(WIDTH),
        shift: numbers.list(WIDTH),
        skip: skip.then(|| board(&mut numbers)),
        activation,
    };
    let mut output = board::<E>(&mut numbers);
    simd.run(Normalise {
        width: WIDTH,
        sums: layer.sums.board(0),
        affine: layer.affine(),
        skip: layer.skip(),
        activation,
        output: output.board_mut(0),
    });
    let gradient = board(&mut numbers);
    let trunk = board(&mut numbers);
    let (mut elements, mut onto_trunk) = (board::<E>(&mut numbers), trunk.clone());
    let mean = numbers.list(WIDTH);
    let gate = |target: GradientTarget<'_, E>| {
        let mut result = vec![0.0; 2 * WIDTH];
        simd.run(Gate {
            width: WIDTH,
            sums: layer.sums.board(0),
            output: output.board(0),
            affine: layer.affine(),
            mean: &mean,
            skip: layer.skip(),
            activation,
            gradient: gradient.board(0),
            target,
            result: &mut result,
        });
        result
    };
    let found = [
        gate(GradientTarget::Elements(elements.board_mut(0))),
        gate(GradientTarget::Trunk(onto_trunk.board_mut(0))),
    ];
    for at in places() {
        close(output.board(0)[at].to_f32(), layer.after(at), tolerance);
        close(elements.board(0)[at].to_f32(), layer.passed(at, [&gradient]), tolerance);
        close(onto_trunk.board(0)[at], layer.passed(at, [&gradient, &trunk]), 1e-5);
    }
    layer.check_sums(&found[0], &mean, |at| layer.passed(at, [&gradient]));
    layer.check_sums(&found[1], &mean, |at| layer.passed(at, [&gradient, &trunk]));
}

#[test]
fn layers_and_their_gates_do_what_plain_loops_do() {
    for activation in [Activation::Identity, Activation::Relu, Activation::Mish, Activation::Swish] {
        for skip in [false, true] {
            forth_and_back::<f32, _>(Portable, (activation, skip), 1e-5);
            forth_and_back::<Bf16, _>(Portable, (activation, skip), 1.0 / 128.0);
            #[cfg(target_arch = "x86_64")]
            if let Some(simd) = crate::simd::Avx512Bf16::new() {
                forth_and_back::<f32, _>(simd, (activation, skip), 1e-5);
                forth_and_back::<Bf16, _>(simd, (activation, skip), 1.0 / 128.0);
            }
        }
    }
}
