//! Floats by Winograd's algorithm in both directions.

use super::{FilterGradient, TrainingEngine, direct::direct};
use crate::{
    aligned::Aligned,
    engine::{Engine as _, Filters, Sizes, Winograd},
    layout::{CHANNEL_BLOCK, padded},
    product::{Matrix, Packed, Rows},
    simd::GradientLanes,
    training::{gradient::WeightGradient, shape::Reach, work::GROUP},
    winograd::{
        PRODUCTS, TILES, TransformFilterGradient, TransformFilters, TransformGradient, TransformInput,
    },
};

/// Numbers between the products of one transform, so that they do not all fall into the same few lines of the cache.
const STAGGER: usize = 16;

/// Room for the transforms of one thread.
pub(crate) struct Transforms {
    /// `[36][tiles][channels]`.
    inputs: Aligned<f32>,
    /// `[36][tiles][channels]`.
    gradients: Aligned<f32>,
    /// `[36][inputs][outputs]`: the gradient of the transformed weights.
    products: Vec<f32>,
}

impl<S: GradientLanes<f32>> TrainingEngine for Winograd<S> {
    type GradientWork = Transforms;

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
        let pack = |rows: &[f32]| {
            let mut packed = Packed::zeros::<S>(matrix.inputs, outputs);
            packed.set_rows::<S>(rows);
            packed
        };
        Filters::Board(transformed.chunks_exact(size).map(pack).collect())
    }

    fn gradient_work(&self, sizes: Sizes) -> Transforms {
        let room = |width: usize| Aligned::filled(PRODUCTS * (GROUP * TILES * width + STAGGER), 0.0);
        Transforms { inputs: room(sizes.width), gradients: room(sizes.outputs), products: Vec::new() }
    }

    fn filter_gradient(&self, request: FilterGradient<'_, f32>, work: &mut Transforms) {
        if request.reach == Reach::Square {
            return direct(self.simd(), request);
        }
        let simd = self.simd();
        work.products.resize(PRODUCTS * request.inputs * request.gradient.width, 0.0);
        add_products(simd, &request, work);
    }

    fn end_filter_gradient(&self, reach: Reach, result: &mut [f32], work: &mut Transforms) {
        if reach == Reach::Board {
            self.simd().run(TransformFilterGradient { input: &work.products, output: result });
        }
    }
}

/// Adds the products of some boards' tiles.
fn add_products<S: GradientLanes<f32>>(simd: S, request: &FilterGradient<'_, f32>, work: &mut Transforms) {
    let FilterGradient { inputs, input, first, boards, gradient, start, .. } = request;
    let (tiles, numbers) = (boards * TILES, inputs * gradient.width);
    let stride = |width: usize| tiles * width + STAGGER;
    let (input_stride, gradient_stride) = (stride(input.width), stride(gradient.width));
    for board in 0..*boards {
        simd.run(TransformInput {
            input: &input.data,
            first: input.first(first + board),
            width: input.width,
            output: &mut work.inputs,
            row: board * TILES,
            product_stride: input_stride,
        });
        simd.run(TransformGradient {
            input: &gradient.data,
            first: gradient.first(board),
            width: gradient.width,
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
