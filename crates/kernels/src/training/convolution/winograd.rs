//! Floats by Winograd's algorithm in both directions.

use std::ops::Range;

use super::{
    FilterGradient, Learning,
    direct::{direct, taps},
    in_place,
};
use crate::{
    aligned::Aligned,
    engine::{Engine, Filters, Winograd},
    layout::{Boards, CHANNEL_BLOCK, Grid, padded},
    product::{Matrix, Packed, Rows},
    simd::GradientLanes,
    training::{gradient::WeightGradient, shape::Reach, tensor::Tensor},
    winograd::{
        PRODUCTS, TILES, TransformFilterGradient, TransformFilters, TransformGradient, TransformInput,
    },
};

/// Boards whose tiles are added up at a time: more make the sums cheaper to load, fewer stay in the cache.
const BOARDS: usize = 16;
/// Numbers between the products of one transform, so that they do not all fall into the same few lines of the cache.
const STAGGER: usize = 16;

/// Room for the transforms of one thread.
pub(crate) struct Transforms {
    /// `[36][tiles][channels]`.
    inputs: Aligned<f32>,
    /// `[36][tiles][channels]`.
    gradients: Aligned<f32>,
    /// `[36][inputs][outputs]`.
    products: Vec<f32>,
    /// `[9][inputs][outputs]`.
    filters: Vec<f32>,
}

impl<S: GradientLanes<f32>> Learning for Winograd<S> {
    type GradientRoom = Transforms;

    fn pack(&self, matrix: &Matrix<'_>, width: usize) -> Filters {
        if matrix.taps == 1 {
            return self.pack_convolution(matrix, width);
        }
        let outputs = padded(matrix.outputs, CHANNEL_BLOCK);
        let size = matrix.inputs * outputs;
        let mut filters = vec![0.0; matrix.taps * size];
        for (row, weights) in filters.chunks_exact_mut(outputs).zip(matrix.weights.chunks(matrix.outputs)) {
            row[..matrix.outputs].copy_from_slice(weights);
        }
        let mut transformed = vec![0.0; PRODUCTS * size];
        self.simd().run(TransformFilters { input: &filters, output: &mut transformed });
        let pack = |rows: &[f32]| Packed::of_rows::<S>(rows, matrix.inputs, outputs);
        Filters::Board(transformed.chunks_exact(size).map(pack).collect())
    }

    fn boards(&self, _width: usize) -> Boards<f32> {
        Boards::new(0, CHANNEL_BLOCK, 0.0)
    }

    fn grid<'a>(&self, input: &'a Tensor, boards: &Range<usize>, _: &'a mut Boards<f32>) -> Grid<'a, f32> {
        in_place(input, boards)
    }

    fn gradient_room(&self, width: usize, outputs: usize) -> Transforms {
        let room = |width: usize| Aligned::filled(PRODUCTS * (BOARDS * TILES * width + STAGGER), 0.0);
        Transforms {
            inputs: room(width),
            gradients: room(outputs),
            products: Vec::new(),
            filters: Vec::new(),
        }
    }

    fn filter_gradient(&self, request: FilterGradient<'_>, room: &mut Transforms) {
        if request.reach == Reach::Square {
            return direct(self.simd(), request);
        }
        let simd = self.simd();
        let numbers = request.inputs * request.gradient.width;
        room.products.clear();
        room.products.resize(PRODUCTS * numbers, 0.0);
        for first in request.boards.clone().step_by(BOARDS) {
            add_products(simd, &request, first..request.boards.end.min(first + BOARDS), room);
        }
        room.filters.resize(taps(Reach::Board, 1).len() * numbers, 0.0);
        simd.run(TransformFilterGradient { input: &room.products, output: &mut room.filters });
        for (sum, term) in request.result.iter_mut().zip(&room.filters) {
            *sum += term;
        }
    }
}

/// Adds the products of some boards' tiles.
fn add_products<S: GradientLanes<f32>>(
    simd: S,
    request: &FilterGradient<'_>,
    boards: Range<usize>,
    room: &mut Transforms,
) {
    let FilterGradient { inputs, input, gradient, .. } = request;
    let (tiles, numbers) = (boards.len() * TILES, inputs * gradient.width);
    let stride = |width: usize| tiles * width + STAGGER;
    let (input_stride, gradient_stride) = (stride(input.width), stride(gradient.width));
    for (number, board) in boards.enumerate() {
        simd.run(TransformInput {
            input: &input.data,
            first: input.start(board),
            width: input.width,
            output: &mut room.inputs,
            row: number * TILES,
            product_stride: input_stride,
        });
        simd.run(TransformGradient {
            input: &gradient.data,
            first: gradient.start(board),
            width: gradient.width,
            output: &mut room.gradients,
            row: number * TILES,
            product_stride: gradient_stride,
        });
    }
    for (number, result) in room.products.chunks_exact_mut(numbers).enumerate() {
        let rows =
            |stride: usize, width: usize| Rows { first: number * stride, group_stride: 0, stride: width };
        simd.run(WeightGradient {
            input: &room.inputs[..],
            input_rows: rows(input_stride, input.width),
            taps: &[0],
            inputs: *inputs,
            gradient: &room.gradients[..],
            gradient_rows: rows(gradient_stride, gradient.width),
            outputs: gradient.width,
            result,
            size: (1, tiles),
        });
    }
}
