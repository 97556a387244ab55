//! Compares products of 16-bit floats with plain loops over rounded numbers.

use super::*;
use crate::{
    backend::Tiles,
    layers::operation::Patch,
    layout::{CHANNEL_BLOCK, padded},
    tiles::Emulated,
};

/// More boards than are multiplied together, in batches that are not full.
const BOARDS: usize = 19;

/// Sizes that are not multiples of any block size, and sizes whose positions lie further apart in memory: inputs and outputs.
const LAYERS: [(KernelSize, [usize; 2]); 8] = [
    (KernelSize::ThreeByThree, [5, 20]),
    (KernelSize::ThreeByThree, [33, 48]),
    (KernelSize::ThreeByThree, [16, 70]),
    (KernelSize::OneByOne, [20, 7]),
    (KernelSize::OneByOne, [64, 33]),
    (KernelSize::OneByOne, [512, 33]),
    (KernelSize::OneByOne, [33, 500]),
    (KernelSize::ThreeByThree, [512, 16]),
];

/// Pseudo-random numbers from -1 to 1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn list(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.next()).collect()
    }

    /// Boards with zeros in the padding.
    fn boards(&mut self, shape: Shape) -> Vec<f32> {
        let mut boards = vec![0.0; BOARDS * shape.room()];
        for square in boards.chunks_exact_mut(shape.width()) {
            square[..shape.channels].iter_mut().for_each(|value| *value = self.next());
        }
        boards
    }
}

fn rounded(value: f32) -> f64 {
    f64::from(Bf16::from_f32(value).to_f32())
}

/// The square that a tap reads for a square.
fn neighbour(square: usize, tap: usize, taps: usize) -> Option<usize> {
    if taps == 1 {
        return Some(square);
    }
    let rank = (square / 8 + tap / 3).checked_sub(1).filter(|rank| *rank < 8)?;
    let file = (square % 8 + tap % 3).checked_sub(1).filter(|file| *file < 8)?;
    Some(rank * 8 + file)
}

/// Output, gradient of the input and gradient of the weights by plain loops.
fn expected(
    kernel_size: KernelSize,
    [from, to]: [Shape; 2],
    [input, gradient, weights]: [&[f32]; 3],
) -> [Vec<f64>; 3] {
    let taps = kernel_size.taps();
    let mut output = vec![0.0; gradient.len()];
    let (mut of_input, mut of_weights) = (vec![0.0; input.len()], vec![0.0; weights.len()]);
    let places = (0..BOARDS).flat_map(|board| (0..SQUARES).map(move |square| (board * SQUARES, square)));
    for (board, square) in places {
        for tap in 0..taps {
            let Some(seen) = neighbour(square, tap, taps) else { continue };
            for channel in 0..from.channels {
                let at = (board + seen) * from.width() + channel;
                for out in 0..to.channels {
                    let weight = (tap * from.channels + channel) * to.channels + out;
                    let place = (board + square) * to.width() + out;
                    output[place] += rounded(input[at]) * rounded(weights[weight]);
                    of_input[at] += rounded(gradient[place]) * rounded(weights[weight]);
                    of_weights[weight] += rounded(input[at]) * rounded(gradient[place]);
                }
            }
        }
    }
    [output, of_input, of_weights]
}

fn assert_close(found: &[f32], expected: &[f64], terms: usize, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let off = found.iter().zip(expected).map(|(found, sum)| (f64::from(*found) - sum).abs());
    let off = off.fold(0.0, f64::max);
    assert!(off < 3e-6 * (terms as f64).sqrt(), "{what}: {off}");
}

fn patch(kernel_size: KernelSize) -> Patch {
    match kernel_size {
        KernelSize::OneByOne => Patch::SQUARE,
        KernelSize::ThreeByThree => three_by_three(1),
    }
}

fn compare<G: HalfBackend>(backend: &G) {
    for (kernel_size, channels) in LAYERS {
        let shapes = channels.map(|channels| map(channels, 8));
        let [from, to] = shapes;
        let width = padded(from.channels.max(to.channels), CHANNEL_BLOCK);
        let make = convolutions(backend.clone(), Sizes { width, outputs: width });
        let mut numbers = Numbers(from.channels as u64);
        let (input, gradient) = (numbers.boards(from), numbers.boards(to));
        let weights = numbers.list(kernel_size.taps() * from.channels * to.channels);
        let [sums, of_input, of_weights] = expected(kernel_size, shapes, [&input, &gradient, &weights]);
        let operation = Operation::Convolution { patch: patch(kernel_size), bias: false };
        let step = Step { operation, inputs: vec![0], shape: to, parameters: 0..1, statistics: None };
        let mut convolution = make(&step, from, Needs::All).unwrap();
        convolution.pack(&numbers.list(weights.len()));
        convolution.pack(&weights);
        for helpers in [false, true] {
            // The contents that a buffer has from another layer must not matter.
            let mut output = vec![f32::NAN; gradient.len()];
            convolution.forward(helpers, &input, &mut output, &|values| {
                for value in values {
                    *value += 1.0;
                }
            });
            let mut input_gradient = vec![f32::NAN; input.len()];
            let known = Known { input: &input, gradient: &gradient };
            let spare = vec![f32::NAN; 7];
            let found = convolution.backward(helpers, known, Some(&mut input_gradient), spare);
            let (what, taps) = (format!("{kernel_size:?}, {channels:?}"), kernel_size.taps());
            let sums: Vec<f64> = sums.iter().map(|sum| sum + 1.0).collect();
            assert_close(&output, &sums, taps * from.channels, &what);
            assert_close(&input_gradient, &of_input, taps * to.channels, &what);
            assert_close(&found, &of_weights, BOARDS * SQUARES, &what);
            assert_eq!(found, convolution.backward(!helpers, known, None, Vec::new()), "{what}");
        }
    }
}

/// Calls a check with every backend of this processor.
macro_rules! on_backends {
    ($check:expr) => {
        $check(&Direct::<_, Bf16>::new(Portable));
        $check(&Tiles::<_, _, Bf16>::new(Portable, Emulated));
        #[cfg(target_arch = "x86_64")]
        if let Some(token) = Avx512Bf16::new() {
            $check(&Direct::<_, Bf16>::new(token));
            $check(&Tiles::<_, _, Bf16>::new(token, Emulated));
            if let Ok(unit) = Hardware::new() {
                $check(&Tiles::<_, _, Bf16>::new(token, unit));
            }
        }
    };
}

#[test]
fn sums_are_those_of_plain_loops() {
    on_backends!(compare);
}

const fn map(channels: usize, side: usize) -> Shape {
    Shape { channels, ranks: side, files: side }
}

const fn three_by_three(margin: usize) -> Patch {
    Patch { ranks: 3, files: 3, stride: 1, margin }
}

/// Dense layers, and convolutions with a stride, without padding, over one square, of few channels, and with enough inputs or outputs
/// that the products are computed in parts.
const GEMMS: [(Patch, [Shape; 2]); 11] = [
    (Patch::SQUARE, [map(41, 1), map(100, 1)]),
    (Patch::SQUARE, [map(192, 1), map(64, 1)]),
    (Patch::SQUARE, [map(70, 3), map(64, 3)]),
    (three_by_three(0), [map(20, 8), map(33, 6)]),
    (Patch { ranks: 5, files: 5, stride: 2, margin: 2 }, [map(12, 8), map(20, 4)]),
    (three_by_three(1), [map(130, 1), map(48, 1)]),
    (three_by_three(0), [map(64, 8), map(33, 6)]),
    (three_by_three(0), [map(64, 4), map(512, 2)]),
    (three_by_three(1), [map(128, 1), map(48, 1)]),
    (Patch::SQUARE, [map(1568, 3), map(20, 3)]),
    (Patch::SQUARE, [map(260, 3), map(1600, 3)]),
];

/// The square of the input that a tap of a patch reads for a square of the output.
fn read(patch: Patch, [from, to]: [Shape; 2], square: usize, tap: usize) -> Option<usize> {
    let along = |place: usize, tap: usize, length: usize| {
        (place * patch.stride + tap).checked_sub(patch.margin).filter(|place| *place < length)
    };
    let rank = along(square / to.files, tap / patch.files, from.ranks)?;
    Some(rank * from.files + along(square % to.files, tap % patch.files, from.files)?)
}

fn compare_gemms<G: HalfBackend>(backend: &G) {
    for (patch, shapes) in GEMMS {
        let [from, to] = shapes;
        let operation = Operation::Convolution { patch, bias: false };
        let step = Step { operation, inputs: vec![0], shape: to, parameters: 0..1, statistics: None };
        let make = convolutions(backend.clone(), Sizes::default());
        let mut layer = make(&step, from, Needs::All).unwrap();
        let mut numbers = Numbers(from.channels as u64);
        let taps = patch.ranks * patch.files;
        let (input, gradient) = (numbers.boards(from), numbers.boards(to));
        let weights = numbers.list(taps * from.channels * to.channels);
        let (mut output, mut of_input) = (vec![0.0; gradient.len()], vec![0.0; input.len()]);
        let mut of_weights = vec![0.0; weights.len()];
        for (row, tap) in (0..BOARDS * to.squares()).flat_map(|row| (0..taps).map(move |tap| (row, tap))) {
            let (board, square) = (row / to.squares(), row % to.squares());
            let Some(seen) = read(patch, shapes, square, tap) else { continue };
            for channel in 0..from.channels {
                let at = (board * from.squares() + seen) * from.width() + channel;
                for out in 0..to.channels {
                    let (weight, place) =
                        ((tap * from.channels + channel) * to.channels + out, row * to.width() + out);
                    output[place] += rounded(input[at]) * rounded(weights[weight]);
                    of_input[at] += rounded(gradient[place]) * rounded(weights[weight]);
                    of_weights[weight] += rounded(input[at]) * rounded(gradient[place]);
                }
            }
        }
        layer.pack(&numbers.list(weights.len()));
        layer.pack(&weights);
        let mut first = None;
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for helpers in [false, true] {
                // What a buffer holds from another layer must not matter.
                let mut sums = vec![f32::NAN; gradient.len()];
                let mut input_gradient = vec![f32::NAN; input.len()];
                let known = Known { input: &input, gradient: &gradient };
                let found = pool.install(|| {
                    layer.forward(helpers, &input, &mut sums, &|_| {});
                    layer.backward(helpers, known, Some(&mut input_gradient), vec![f32::NAN; 7])
                });
                let what = format!("{patch:?}, {shapes:?}");
                assert_close(&sums, &output, taps * from.channels, &what);
                assert_close(&input_gradient, &of_input, taps * to.channels, &what);
                assert_close(&found, &of_weights, BOARDS * to.squares(), &what);
                let all = (sums, input_gradient, found);
                assert!(*first.get_or_insert_with(|| all.clone()) == all, "{what}: {threads} threads");
            }
        }
    }
}

#[test]
fn gemms_are_those_of_plain_loops() {
    on_backends!(compare_gemms);
}
