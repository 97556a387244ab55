//! Compares 16-bit convolutions with plain loops over rounded numbers.

use super::*;
use crate::{
    backend::Tiles,
    layout::{CHANNEL_BLOCK, padded},
    tiles::Emulated,
};

/// More boards than are multiplied together, in batches that are not full.
const BOARDS: usize = 19;

/// Sizes that are not multiples of any block size: inputs and outputs.
const LAYERS: [(KernelSize, [usize; 2]); 5] = [
    (KernelSize::ThreeByThree, [5, 20]),
    (KernelSize::ThreeByThree, [33, 48]),
    (KernelSize::ThreeByThree, [16, 70]),
    (KernelSize::OneByOne, [20, 7]),
    (KernelSize::OneByOne, [64, 33]),
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

fn compare<G: HalfBackend>(backend: &G) {
    for (kernel_size, channels) in LAYERS {
        let shapes = channels.map(|channels| Shape { channels, ranks: 8, files: 8 });
        let [from, to] = shapes;
        let width = padded(from.channels.max(to.channels), CHANNEL_BLOCK);
        let make = convolutions(backend.clone(), Sizes { width, outputs: width });
        let mut numbers = Numbers(from.channels as u64);
        let (input, gradient) = (numbers.boards(from), numbers.boards(to));
        let weights = numbers.list(kernel_size.taps() * from.channels * to.channels);
        let [sums, of_input, of_weights] = expected(kernel_size, shapes, [&input, &gradient, &weights]);
        let mut convolution = make(kernel_size, shapes, Needs::All);
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

#[test]
fn sums_on_vectors_are_those_of_plain_loops() {
    compare(&Direct::<_, Bf16>::new(Portable));
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = Avx512Bf16::new() {
        compare(&Direct::<_, Bf16>::new(token));
    }
}

#[test]
fn sums_on_tiles_are_those_of_plain_loops() {
    compare(&Tiles::<_, _, Bf16>::new(Portable, Emulated));
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = Avx512Bf16::new() {
        compare(&Tiles::<_, _, Bf16>::new(token, Emulated));
        if let Ok(unit) = Hardware::new() {
            compare(&Tiles::<_, _, Bf16>::new(token, unit));
        }
    }
}
