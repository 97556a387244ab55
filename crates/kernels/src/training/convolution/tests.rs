//! Compares backends with plain loops.

use super::*;
use crate::{
    backend::{Direct, Sizes, Tiles, Winograd},
    layout::{SQUARES, position},
    simd::element::Bf16,
    simd::{GradientLanes, Portable},
    tiles::Emulated,
    training::{KernelSize, tests::Numbers, work::Pool},
};

/// Number of boards in memory, of which some are used; more than are processed together.
const ROOM: usize = 21;
const BOARDS: usize = 19;

impl<S: GradientLanes<f32>> TrainingBackend for Direct<S, f32> {
    type GradientWork = ();

    fn gradient_work(&self, _sizes: Sizes) {}

    fn filter_gradient(&self, request: FilterGradient<'_, f32>, (): &mut ()) {
        direct::direct(self.simd(), request);
    }
}

/// Random numbers on every square.
fn boards<E: Element>(numbers: &mut Numbers, columns: usize) -> Boards<E> {
    let mut boards = Boards::new(ROOM, padded(columns, CHANNEL_BLOCK), E::nearest(0.0));
    for board in 0..ROOM {
        for square in 0..SQUARES {
            let at = place(&boards, board, square);
            for value in &mut boards.data[at..at + columns] {
                *value = E::nearest(numbers.next());
            }
        }
    }
    boards
}

fn place<E: Element>(boards: &Boards<E>, board: usize, square: usize) -> usize {
    boards.first(board) + position(square) * boards.width
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

/// Sizes that are not multiples of any block size.
const LAYERS: [(KernelSize, usize, usize); 5] = [
    (KernelSize::ThreeByThree, 5, 20),
    (KernelSize::ThreeByThree, 33, 48),
    (KernelSize::ThreeByThree, 16, 70),
    (KernelSize::OneByOne, 20, 7),
    (KernelSize::OneByOne, 64, 33),
];

fn compare<G: TrainingBackend>(backend: &G, tolerance: f64) {
    let exact = |value: f32| f64::from(G::Element::nearest(value).to_f32());
    for (kernel_size, inputs, outputs) in LAYERS {
        let (taps, mut numbers) = (kernel_size.taps(), Numbers(inputs as u64));
        let input: Boards<G::Element> = boards(&mut numbers, inputs);
        let gradient: Boards<G::Element> = boards(&mut numbers, outputs);
        let weights = numbers.list(taps * inputs * outputs);
        let width = padded(inputs.max(outputs), CHANNEL_BLOCK);
        let pool = Pool::new(backend.clone(), Sizes { width, outputs: width });
        let linear = Linear { kernel_size, inputs, outputs };
        let packed = PackedConvolution::new(backend, linear, &weights, Directions::Both);
        let mut sums = vec![Vec::new(); BOARDS];
        let mut input_gradients = sums.clone();
        // The contents that a buffer has from another layer must not matter.
        let mut filter_gradient = vec![f32::NAN; taps * inputs * gradient.width];
        pool.with(BOARDS, |work| {
            packed.forward(work, &input, |board, of_board| sums[board] = of_board.to_vec());
            let fill = |board: usize, to: &mut [G::Element]| to.copy_from_slice(gradient.board(board));
            let of_input = |board: usize, of_board: &[f32]| input_gradients[board] = of_board.to_vec();
            let flow = GradientFlow { of_sums: fill, of_input };
            packed.backward(work, &input, &mut filter_gradient, flow);
        });
        let mut expected = Sums::new(linear, gradient.width);
        for board in 0..BOARDS {
            let numbers = |boards: &Boards<G::Element>, square: usize, columns: usize| -> Vec<f64> {
                let row = &boards.data[place(boards, board, square)..][..columns];
                row.iter().map(|element| f64::from(element.to_f32())).collect()
            };
            let inputs: Vec<_> = (0..SQUARES).map(|square| numbers(&input, square, inputs)).collect();
            let gradients: Vec<_> = (0..SQUARES).map(|square| numbers(&gradient, square, outputs)).collect();
            expected.add(&inputs, &gradients, |at| exact(weights[at]));
            let size = (taps * linear.inputs.max(outputs)) as f64;
            let (found, of_input) = (&sums[board], &input_gradients[board]);
            let off = off(found, &expected.outputs).max(off(of_input, &expected.input_gradients));
            assert!(off < tolerance * size.sqrt(), "{linear:?}, board {board}: {off}");
        }
        let found = filter_gradient.iter().map(|found| f64::from(*found));
        let off = found.zip(&expected.filters).map(|(found, sum)| (found - sum).abs()).fold(0.0, f64::max);
        let terms = (BOARDS * SQUARES) as f64;
        assert!(
            filter_gradient.len() == expected.filters.len() && off < tolerance * terms.sqrt(),
            "{linear:?}: {off}"
        );
    }
}

/// The largest difference on any square of a board.
fn off(found: &[f32], expected: &[Vec<f64>]) -> f64 {
    let width = found.len() / crate::layout::POSITIONS;
    let rows = expected.iter().enumerate();
    let differences = rows.flat_map(|(square, row)| {
        found[position(square) * width..].iter().zip(row).map(|(found, sum)| (f64::from(*found) - sum).abs())
    });
    differences.fold(0.0, f64::max)
}

/// Reference results of plain loops: sums and gradients of one board's squares, and the gradient of the weights over
/// all boards.
struct Sums {
    linear: Linear,
    width: usize,
    outputs: Vec<Vec<f64>>,
    input_gradients: Vec<Vec<f64>>,
    filters: Vec<f64>,
}

impl Sums {
    fn new(linear: Linear, width: usize) -> Self {
        let filters = vec![0.0; linear.kernel_size.taps() * linear.inputs * width];
        Self { linear, width, outputs: Vec::new(), input_gradients: Vec::new(), filters }
    }

    fn add(&mut self, input: &[Vec<f64>], gradient: &[Vec<f64>], weight: impl Fn(usize) -> f64) {
        let Self { linear: Linear { kernel_size, inputs, outputs }, width, .. } = *self;
        let taps = kernel_size.taps();
        self.outputs = vec![vec![0.0; outputs]; SQUARES];
        self.input_gradients = vec![vec![0.0; inputs]; SQUARES];
        for (square, tap) in (0..SQUARES).flat_map(|square| (0..taps).map(move |tap| (square, tap))) {
            let Some(from) = neighbour(square, tap, taps) else { continue };
            for (channel, value) in input[from].iter().enumerate() {
                let row = tap * inputs + channel;
                for (output, gradient) in gradient[square].iter().enumerate() {
                    let weight = weight(row * outputs + output);
                    self.outputs[square][output] += value * weight;
                    self.input_gradients[from][channel] += gradient * weight;
                    self.filters[row * width + output] += value * gradient;
                }
            }
        }
    }
}

#[test]
fn direct_sums_are_those_of_plain_loops() {
    compare(&Direct::<_, f32>::new(Portable), 3e-6);
}

#[test]
fn sixteen_bit_sums_are_those_of_plain_loops_on_rounded_numbers() {
    compare(&Direct::<_, Bf16>::new(Portable), 3e-6);
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = crate::simd::Avx512Bf16::new() {
        compare(&Direct::<_, Bf16>::new(token), 3e-6);
    }
}

#[test]
fn tile_programs_give_the_sums_of_plain_loops_on_rounded_numbers() {
    compare(&Tiles::<_, _, Bf16>::new(Portable, Emulated), 3e-6);
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = crate::simd::Avx512Bf16::new() {
        compare(&Tiles::<_, _, Bf16>::new(token, Emulated), 3e-6);
    }
}

#[test]
fn winograds_algorithm_gives_the_sums_of_plain_loops() {
    compare(&Winograd::new(Portable), 1e-5);
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = crate::simd::Avx512::new() {
        compare(&Winograd::new(token), 1e-5);
    }
}

#[test]
fn filters_packed_on_vectors_are_those_packed_one_by_one() {
    use crate::{backend::Filters::Board, winograd::transform_weights};
    let (inputs, outputs) = (7, 21);
    let weights = Numbers(3).list(9 * inputs * outputs);
    let matrix = Matrix { taps: 9, inputs, outputs, weights: &weights };
    let Board(packed) = Winograd::new(Portable).pack(&matrix, 16) else { panic!("a 3x3 convolution") };
    for (packed, expected) in packed.iter().zip(transform_weights(&matrix)) {
        let matrix = Matrix { taps: 1, weights: &expected, ..matrix };
        let expected = crate::gemm::Packed::<f32>::new::<Portable>(&matrix, inputs);
        packed.assert_close(&expected, 1e-5);
    }
}
