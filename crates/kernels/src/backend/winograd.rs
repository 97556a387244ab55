//! 3x3 convolutions of floats with Winograd's algorithm; all other layers are computed directly.
//!
//! Its speedup in portable Rust is measured in `docs/experiments/inference-kernel-changes.md`.
//!
//! The three steps run over all boards of the pass, one after another, with everything between them in memory:
//!
//! ```text
//! boards [72][width]   --B^T d B-->   inputs [36][8 boards x 4 tiles][width]
//!                                         x filters, 36 products of 32 rows
//! sums   [72][outputs] <--A^T m A--   outputs [36][8 boards x 4 tiles][outputs]
//! ```
//!
//! The transformed weights are four times the original ones (0.6 MB for 64 x 64 channels) and come from L3 once per pass; that
//! bandwidth is what two threads share (`docs/experiments/inference-instruction-sets.md`). Fewer boards a pass would read them
//! more often, more boards would push the transformed activations (0.3 MB on either side of the products) out of L2. Fusing the
//! steps tile by tile would avoid that memory, but leave products of one row, which use each weight once.

use super::{Backend, Batch, Direct, Sizes, direct::Taps, stem::Sparse};
use crate::{
    aligned::Aligned,
    gemm::{Gemm, Matrix, Packed, Rows},
    layout::{CHANNEL_BLOCK, Flat, Grid, POSITIONS, padded},
    simd::Lanes,
    winograd::{PRODUCTS, STAGGER, Squares, TILES, TransformInput, TransformOutput, transform_weights},
};

/// Floats on one instruction set.
#[derive(Clone, Debug)]
pub(crate) struct Winograd<S> {
    direct: Direct<S, f32>,
}

impl<S> Winograd<S> {
    pub(crate) fn new(simd: S) -> Self {
        Self { direct: Direct::new(simd) }
    }
}

/// Packed weights of a convolution.
pub(crate) enum Filters {
    Pointwise(Taps<f32>),
    /// 3x3, one matrix for each product.
    Board(Vec<Packed<f32>>),
}

pub(crate) struct Work {
    sums: Aligned<f32>,
    /// `[36][tiles][width]`.
    inputs: Aligned<f32>,
    /// `[36][tiles][outputs]`.
    outputs: Aligned<f32>,
}

impl<S: Lanes<f32>> Backend for Winograd<S> {
    type Element = f32;
    type Simd = S;
    type Stem = Sparse;
    type Convolution = Filters;
    type Dense = Packed<f32>;
    type Work = Work;

    const CHANNELS: usize = CHANNEL_BLOCK;
    const BOARDS: usize = 8;

    fn simd(&self) -> S {
        self.direct.simd()
    }

    fn pack_convolution(&self, matrix: &Matrix<'_>, width: usize) -> Filters {
        if matrix.taps == 1 {
            return Filters::Pointwise(self.direct.pack_convolution(matrix, width));
        }
        let pack =
            |weights: Vec<f32>| Packed::new::<S>(&Matrix { taps: 1, weights: &weights, ..*matrix }, width);
        Filters::Board(transform_weights(matrix).into_iter().map(pack).collect())
    }

    fn pack_dense(&self, matrix: &Matrix<'_>) -> Packed<f32> {
        self.direct.pack_dense(matrix)
    }

    fn operations(&self, matrix: &Matrix<'_>, width: usize) -> u64 {
        if matrix.taps == 1 {
            return self.direct.operations(matrix, width);
        }
        (PRODUCTS * TILES * width * padded(matrix.outputs, CHANNEL_BLOCK)) as u64
    }

    fn work(&self, sizes: Sizes) -> Work {
        let room = |width: usize| PRODUCTS * (Self::BOARDS * TILES * width + STAGGER);
        Work {
            sums: self.direct.work(sizes),
            inputs: Aligned::filled(room(sizes.width), 0.0),
            outputs: Aligned::filled(room(sizes.outputs), 0.0),
        }
    }

    fn convolve(
        &self,
        layer: &Filters,
        batch: Batch<Grid<'_, f32>>,
        work: &mut Work,
        mut each: impl FnMut(usize, &[f32]),
    ) {
        let filters = match layer {
            Filters::Pointwise(taps) => {
                return self.direct.convolve(taps, batch, &mut work.sums, each);
            }
            Filters::Board(filters) => filters,
        };
        let Batch { input, boards } = batch;
        let (simd, width, outputs) = (self.simd(), input.width, filters[0].outputs);
        let input_stride = boards * TILES * width + STAGGER;
        let output_stride = boards * TILES * outputs + STAGGER;
        for board in 0..boards {
            simd.run(TransformInput {
                input: input.data,
                squares: Squares::of_board(input.first(board), width),
                output: &mut work.inputs,
                row: board * TILES,
                product_stride: input_stride,
            });
        }
        // One of the 36 at a time: its weights (16 KB for 64 x 64 channels) stay in L1 for all 32 rows.
        for (number, filter) in filters.iter().enumerate() {
            simd.run(Gemm {
                input: &work.inputs,
                input_rows: Rows { first: number * input_stride, group_stride: 0, stride: width },
                taps: &[0],
                weights: filter,
                output: &mut work.outputs,
                output_rows: Rows { first: number * output_stride, group_stride: 0, stride: outputs },
                size: (1, boards * TILES),
            });
        }
        for board in 0..boards {
            simd.run(TransformOutput {
                input: &work.outputs,
                row: board * TILES,
                product_stride: output_stride,
                output: &mut work.sums,
                squares: Squares::of_positions(outputs),
            });
            each(board, &work.sums[..POSITIONS * outputs]);
        }
    }

    fn dense(&self, layer: &Packed<f32>, batch: Batch<&Flat<f32>>, work: &mut Work, output: &mut Flat<f32>) {
        self.direct.dense(layer, batch, &mut work.sums, output);
    }
}
