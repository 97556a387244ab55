//! Winograd's algorithm for the maps of a list of layers, which lie in the middle of a board and have no padding in
//! memory.

use super::matrix::rows;
use crate::{
    FreeList,
    aligned::{Aligned, Plain},
    gemm::{Gemm, Packed},
    gradient::{Start, WeightGradient},
    layers::{list::Shape, workers::Workers},
    simd::GradientLanes,
    winograd::{
        PRODUCTS, STAGGER, Squares, TILES, TransformFilterGradient, TransformGradient, TransformInput,
        TransformOutput,
    },
};

/// Number of values in one product from which on the threads divide a layer's products among themselves.
///
/// Large layers take up to 32 boards a piece, so a batch may have fewer pieces than there are threads: the idle ones take some of
/// the 36 products of a piece. For small layers the pieces suffice, and handing out 36 short tasks would cost more than it gains.
const SHARED: usize = 1 << 16;

/// A thread's buffers for the transforms; each grows to the largest size needed.
pub(in crate::layers) struct Buffers {
    inputs: Aligned<f32>,
    outputs: Aligned<f32>,
    products: Aligned<f32>,
}

impl Buffers {
    fn new() -> Self {
        let nothing = || Aligned::filled(0, 0.0);
        Self { inputs: nothing(), outputs: nothing(), products: nothing() }
    }
}

/// The first `length` numbers of a buffer, grown if it is too short; their contents are unspecified.
pub(super) fn grown<T: Plain + Default>(numbers: &mut Aligned<T>, length: usize) -> &mut [T] {
    if numbers.len() < length {
        *numbers = Aligned::filled(length, T::default());
    }
    &mut numbers[..length]
}

/// Floats from one product to the next.
fn product_stride(boards: usize, width: usize) -> usize {
    boards * TILES * width + STAGGER
}

fn squares(shape: Shape, board: usize) -> Squares {
    Squares::of_map(board * shape.room(), shape.ranks, shape.width())
}

/// The threads among which products of this size are divided.
fn for_products<S: GradientLanes<f32>>(workers: Workers<S>, numbers: usize) -> Workers<S> {
    Workers { helpers: workers.helpers && numbers >= SHARED, ..workers }
}

/// The threads of a pass, and the buffers they share.
#[derive(Clone, Copy)]
pub(in crate::layers) struct Resources<'a, S> {
    pub(in crate::layers) workers: Workers<S>,
    pub(in crate::layers) free: &'a FreeList<Buffers>,
}

/// The maps of some boards.
#[derive(Clone, Copy)]
pub(super) struct Maps<'a> {
    pub(super) numbers: &'a [f32],
    pub(super) shape: Shape,
}

/// A convolution of the maps of some boards.
pub(super) struct Convolve<'a> {
    pub(super) filters: &'a [Packed<f32>],
    pub(super) input: Maps<'a>,
    /// Shape of the output's maps.
    pub(super) to: Shape,
    pub(super) output: &'a mut [f32],
}

/// Computes the convolution for each board.
pub(super) fn convolve<S: GradientLanes<f32>>(
    Resources { workers, free }: Resources<'_, S>,
    Convolve { filters, input: Maps { numbers: input, shape: from }, to, output }: Convolve<'_>,
) {
    let (simd, boards) = (workers.simd, input.len() / from.room());
    let (width, outputs) = (from.width(), to.width());
    let [stride, output_stride] = [width, outputs].map(|width| product_stride(boards, width));
    free.with(Buffers::new, |buffers| {
        let inputs = grown(&mut buffers.inputs, PRODUCTS * stride);
        let sums = grown(&mut buffers.outputs, PRODUCTS * output_stride);
        for board in 0..boards {
            let (squares, row) = (squares(from, board), board * TILES);
            simd.run(TransformInput { input, squares, output: &mut *inputs, row, product_stride: stride });
        }
        let products = sums.chunks_exact_mut(output_stride).zip(inputs.chunks_exact(stride)).zip(filters);
        let workers = for_products(workers, from.channels * outputs);
        workers.each(products.collect(), |((output, input), weights): ((&mut [f32], &[f32]), _)| {
            simd.run(Gemm {
                input,
                input_rows: rows(width),
                taps: &[0],
                weights,
                output,
                output_rows: rows(outputs),
                size: (1, boards * TILES),
            });
        });
        for board in 0..boards {
            let (squares, row) = (squares(to, board), board * TILES);
            let product_stride = output_stride;
            simd.run(TransformOutput { input: sums, row, product_stride, output: &mut *output, squares });
        }
    });
}

/// Computes the gradient of the filters over some boards, `group` boards at a time, into `[9][inputs][padded outputs]`.
pub(super) fn filter_gradient<S: GradientLanes<f32>>(
    Resources { workers, free }: Resources<'_, S>,
    group: usize,
    Maps { numbers: input, shape: from }: Maps<'_>,
    Maps { numbers: gradient, shape: to }: Maps<'_>,
    result: &mut Vec<f32>,
) {
    let (simd, inputs) = (workers.simd, from.channels);
    let (width, outputs) = (from.width(), to.width());
    let numbers = inputs * outputs;
    result.resize(9 * numbers, 0.0);
    free.with(Buffers::new, |buffers| {
        let products = grown(&mut buffers.products, PRODUCTS * numbers);
        let groups = input.chunks(group * from.room()).zip(gradient.chunks(group * to.room()));
        for (number, (input, gradient)) in groups.enumerate() {
            let boards = input.len() / from.room();
            let [stride, gradient_stride] = [width, outputs].map(|width| product_stride(boards, width));
            let transformed = grown(&mut buffers.inputs, PRODUCTS * stride);
            let gradients = grown(&mut buffers.outputs, PRODUCTS * gradient_stride);
            for board in 0..boards {
                let row = board * TILES;
                let (squares, product_stride) = (self::squares(from, board), stride);
                let output = &mut *transformed;
                simd.run(TransformInput { input, squares, output, row, product_stride });
                let (squares, product_stride) = (self::squares(to, board), gradient_stride);
                let (input, output) = (gradient, &mut *gradients);
                simd.run(TransformGradient { input, squares, output, row, product_stride });
            }
            // The sum over tiles is taken in the transformed domain, and G^T u G is applied once at the end: the transform is
            // linear, so this saves it for all groups but one.
            let start = if number == 0 { Start::Fresh } else { Start::Continued };
            let sources = transformed.chunks_exact(stride).zip(gradients.chunks_exact(gradient_stride));
            let tasks = products.chunks_exact_mut(numbers).zip(sources).collect();
            let workers = for_products(workers, numbers);
            workers.each(tasks, |(result, (input, gradient)): (&mut [f32], (&[f32], &[f32]))| {
                simd.run(WeightGradient {
                    input,
                    input_rows: rows(width),
                    taps: &[0],
                    inputs,
                    gradient,
                    gradient_rows: rows(outputs),
                    outputs,
                    result,
                    start,
                    size: (1, boards * TILES),
                });
            });
        }
        simd.run(TransformFilterGradient { input: products, output: result });
    });
}
