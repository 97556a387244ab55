//! Engines against the obvious sums of plain loops.

use super::*;
use crate::{
    element::Bf16,
    engine::{Direct, Tiles, Winograd},
    layout::{SQUARES, position},
    simd::Portable,
    tiles::Emulated,
    training::tests::Numbers,
};

const BOARDS: usize = 21;

/// Random numbers on every square; `rounded` to what 16 bits hold.
fn tensor(numbers: &mut Numbers, columns: usize, rounded: bool) -> Tensor {
    let mut tensor = Tensor::boards(BOARDS, columns);
    for board in 0..BOARDS {
        for square in 0..SQUARES {
            let at = tensor.start(board) + position(square) * tensor.width;
            for value in &mut tensor.data[at..at + columns] {
                let random = numbers.next();
                *value = if rounded { Bf16::from_f32(random).to_f32() } else { random };
            }
        }
    }
    tensor
}

/// The square a tap of a square lies on.
fn neighbour(square: usize, tap: usize, taps: usize) -> Option<usize> {
    if taps == 1 {
        return Some(square);
    }
    let rank = (square / 8 + tap / 3).checked_sub(1).filter(|rank| *rank < 8)?;
    let file = (square % 8 + tap % 3).checked_sub(1).filter(|file| *file < 8)?;
    Some(rank * 8 + file)
}

/// Sizes that are no multiples of anything, and boards from the middle of a batch.
const LAYERS: [(Reach, usize, usize); 5] = [
    (Reach::Board, 5, 20),
    (Reach::Board, 33, 48),
    (Reach::Board, 16, 70),
    (Reach::Square, 20, 7),
    (Reach::Square, 64, 33),
];
const SHARE: Range<usize> = 2..21;

fn compare<G: Learning>(engine: G, rounded: bool, tolerance: f64) {
    let convolutions = Arc::new(Convolutions::new(engine));
    for (reach, inputs, outputs) in LAYERS {
        let (taps, mut numbers) = (reach.taps(), Numbers(inputs as u64));
        let input = tensor(&mut numbers, inputs, rounded);
        let gradient = tensor(&mut numbers, outputs, rounded);
        let weights: Vec<f32> = numbers
            .list(taps * inputs * outputs)
            .into_iter()
            .map(|weight| if rounded { Bf16::from_f32(weight).to_f32() } else { weight })
            .collect();
        let filters = convolutions.filters(&Matrix { taps, inputs, outputs, weights: &weights });
        let mut sums = Tensor::boards(BOARDS, outputs);
        filters.convolve(&input, &SHARE, sums.split(&[0..2, SHARE])[1]);
        let mut found = vec![0.0; taps * inputs * gradient.width];
        convolutions.filter_gradient(FilterGradient {
            reach,
            inputs,
            input: &input,
            gradient: &gradient,
            boards: &SHARE,
            result: &mut found,
        });
        let mut expected = vec![0.0_f64; found.len()];
        let mut worst = 0.0_f64;
        for (board, square) in SHARE.flat_map(|board| (0..SQUARES).map(move |square| (board, square))) {
            let place =
                |tensor: &Tensor, square: usize| tensor.start(board) + position(square) * tensor.width;
            let of_square = &gradient.data[place(&gradient, square)..][..outputs];
            let mut sum = vec![0.0_f64; outputs];
            for (tap, from) in (0..taps).filter_map(|tap| Some((tap, neighbour(square, tap, taps)?))) {
                for channel in 0..inputs {
                    let value = f64::from(input.data[place(&input, from) + channel]);
                    let weights = &weights[(tap * inputs + channel) * outputs..][..outputs];
                    let terms = &mut expected[(tap * inputs + channel) * gradient.width..];
                    for output in 0..outputs {
                        sum[output] += value * f64::from(weights[output]);
                        terms[output] += value * f64::from(of_square[output]);
                    }
                }
            }
            for (found, expected) in sums.data[place(&sums, square)..].iter().zip(sum) {
                worst = worst.max((f64::from(*found) - expected).abs());
            }
        }
        assert!(worst < tolerance * ((taps * inputs) as f64).sqrt(), "{reach:?} {inputs} {outputs}: {worst}");
        let worst = found.iter().zip(&expected).map(|(found, sum)| (f64::from(*found) - sum).abs());
        let worst = worst.fold(0.0, f64::max);
        let terms = (SHARE.len() * SQUARES) as f64;
        assert!(worst < tolerance * terms.sqrt(), "{reach:?} {inputs} {outputs}, gradient: {worst}");
    }
}

#[test]
fn direct_sums_are_those_of_plain_loops() {
    compare(Direct::<_, f32>::new(Portable), false, 3e-6);
}

#[test]
fn sixteen_bit_sums_are_those_of_plain_loops_on_rounded_numbers() {
    compare(Direct::<_, Bf16>::new(Portable), true, 3e-6);
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = crate::simd::Avx512Bf16::new() {
        compare(Direct::<_, Bf16>::new(token), true, 3e-6);
    }
}

#[test]
fn tile_programs_give_the_sums_of_plain_loops_on_rounded_numbers() {
    compare(Tiles::<_, _, Bf16>::new(Portable, Emulated), true, 3e-6);
}

#[test]
fn winograds_algorithm_gives_the_sums_of_plain_loops() {
    compare(Winograd::new(Portable), false, 1e-5);
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = crate::simd::Avx512::new() {
        compare(Winograd::new(token), false, 1e-5);
    }
}

#[test]
fn filters_packed_on_vectors_are_those_packed_one_by_one() {
    use crate::{engine::Filters::Board, winograd::transform_weights};
    let (inputs, outputs) = (7, 21);
    let weights = Numbers(3).list(9 * inputs * outputs);
    let matrix = Matrix { taps: 9, inputs, outputs, weights: &weights };
    let Board(packed) = Winograd::new(Portable).pack(&matrix, 16) else { panic!("a 3x3 convolution") };
    for (packed, expected) in packed.iter().zip(transform_weights(&matrix)) {
        let matrix = Matrix { taps: 1, weights: &expected, ..matrix };
        let expected = crate::product::Packed::<f32>::new::<Portable>(&matrix, inputs);
        packed.assert_close(&expected, 1e-5);
    }
}
