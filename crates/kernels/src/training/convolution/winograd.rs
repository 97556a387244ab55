//! Winograd's algorithm for floats, forward and backward.

use super::direct::direct;
use crate::{
    aligned::Aligned,
    backend::{Backend as _, Filters, Sizes, Winograd},
    gemm::{Matrix, Packed, Rows},
    layout::{CHANNEL_BLOCK, padded},
    simd::{GradientLanes, Lanes},
    training::{
        backend::{FilterGradient, TrainingBackend},
        gradient::WeightGradient,
        shape::KernelSize,
        work::GROUP,
    },
    winograd::{
        PRODUCTS, STAGGER, Squares, TILES, TransformFilterGradient, TransformFilters, TransformGradient,
        TransformInput,
    },
};

/// Scratch memory for the transforms of one thread.
pub(crate) struct Transforms {
    /// `[36][tiles][channels]`.
    inputs: Aligned<f32>,
    /// `[36][tiles][channels]`.
    gradients: Aligned<f32>,
    /// `[36][inputs][outputs]`: the gradient of the transformed weights.
    products: Vec<f32>,
}

impl<S: GradientLanes<f32>> TrainingBackend for Winograd<S> {
    type GradientWork = Transforms;

    fn pack(&self, matrix: &Matrix<'_>, width: usize) -> Filters {
        if matrix.taps == 1 {
            return self.pack_convolution(matrix, width);
        }
        let mut filters = Vec::new();
        pack_filters(self.simd(), matrix, &mut filters);
        Filters::Board(filters)
    }

    fn gradient_work(&self, sizes: Sizes) -> Transforms {
        let room = |width: usize| Aligned::filled(PRODUCTS * (GROUP * TILES * width + STAGGER), 0.0);
        Transforms { inputs: room(sizes.width), gradients: room(sizes.outputs), products: Vec::new() }
    }

    fn filter_gradient(&self, request: FilterGradient<'_, f32>, work: &mut Transforms) {
        if request.kernel_size == KernelSize::OneByOne {
            return direct(self.simd(), request);
        }
        let simd = self.simd();
        work.products.resize(PRODUCTS * request.inputs * request.gradient.width, 0.0);
        add_products(simd, &request, work);
    }

    fn end_filter_gradient(&self, kernel_size: KernelSize, result: &mut [f32], work: &mut Transforms) {
        if kernel_size == KernelSize::ThreeByThree {
            self.simd().run(TransformFilterGradient { input: &work.products, output: result });
        }
    }
}

/// Transforms and packs 3x3 filters, one matrix for each product. Reuses the memory of earlier filters of the same
/// size, if there are any.
pub(crate) fn pack_filters<S: Lanes<f32>>(simd: S, matrix: &Matrix<'_>, filters: &mut Vec<Packed<f32>>) {
    /// Number of weights of a tap that are transformed together: few enough for the cache.
    const NUMBERS: usize = 1 << 11;
    let Matrix { taps, inputs, outputs, weights } = *matrix;
    let width = padded(outputs, CHANNEL_BLOCK);
    if filters.is_empty() {
        *filters = (0..PRODUCTS).map(|_| Packed::zeros::<S>(inputs, width)).collect();
    }
    let most = (NUMBERS / width).clamp(1, inputs);
    let (mut rows, mut transformed) = (vec![0.0; taps * most * width], vec![0.0; PRODUCTS * most * width]);
    for first in (0..inputs).step_by(most) {
        let count = most.min(inputs - first);
        let (rows, transformed) =
            (&mut rows[..taps * count * width], &mut transformed[..PRODUCTS * count * width]);
        for (tap, rows) in rows.chunks_exact_mut(count * width).enumerate() {
            let from = weights[(tap * inputs + first) * outputs..].chunks_exact(outputs);
            for (row, weights) in rows.chunks_exact_mut(width).zip(from) {
                row[..outputs].copy_from_slice(weights);
            }
        }
        simd.run(TransformFilters { input: rows, output: &mut *transformed });
        for (filter, rows) in filters.iter_mut().zip(transformed.chunks_exact(count * width)) {
            filter.set_some_rows::<S>(first, rows);
        }
    }
}

/// Adds the products of the tiles of some boards.
fn add_products<S: GradientLanes<f32>>(simd: S, request: &FilterGradient<'_, f32>, work: &mut Transforms) {
    let FilterGradient { inputs, input, first, boards, gradient, start, .. } = request;
    let (tiles, numbers) = (boards * TILES, inputs * gradient.width);
    let stride = |width: usize| tiles * width + STAGGER;
    let (input_stride, gradient_stride) = (stride(input.width), stride(gradient.width));
    for board in 0..*boards {
        simd.run(TransformInput {
            input: &input.data,
            squares: Squares::of_board(input.first(first + board), input.width),
            output: &mut work.inputs,
            row: board * TILES,
            product_stride: input_stride,
        });
        simd.run(TransformGradient {
            input: &gradient.data,
            squares: Squares::of_board(gradient.first(board), gradient.width),
            output: &mut work.gradients,
            row: board * TILES,
            product_stride: gradient_stride,
        });
    }
    for (number, result) in work.products.chunks_exact_mut(numbers).enumerate() {
        let rows =
            |stride: usize, width: usize| Rows { first: number * stride, group_stride: 0, stride: width };
        simd.run(WeightGradient {
            input: &work.inputs[..],
            input_rows: rows(input_stride, input.width),
            taps: &[0],
            inputs: *inputs,
            gradient: &work.gradients[..],
            gradient_rows: rows(gradient_stride, gradient.width),
            outputs: gradient.width,
            result,
            start: *start,
            size: (1, tiles),
        });
    }
}
