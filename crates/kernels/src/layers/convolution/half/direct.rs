//! Weight gradients with 16-bit products on vectors.

use super::{Filter, FilterGradient, HalfBackend, panels::Product};
use crate::{
    aligned::Aligned,
    backend::{Backend as _, Direct, Sizes},
    gemm::{Matrix, Rows},
    gradient::{Interleave, Start, WeightGradient},
    layers::{convolution::matrix::reversed, workers::Workers},
    layout::{BOARD, POSITIONS, RANK, SQUARES, tap_offsets},
    simd::GradientLanes,
    simd::element::{Bf16, Element},
};

/// Number of positions before a board's first square on which its neighbours may be.
const BEFORE: usize = RANK + 1;
/// Number of positions from there to the end of the last neighbour.
const AROUND: usize = BEFORE + POSITIONS + RANK;

/// Scratch memory for one board's pairs.
pub(crate) struct Pairs {
    /// `[positions][channels][2]`: each position interleaved with the next one, starting [`BEFORE`] positions before
    /// the first square.
    input: Aligned<Bf16>,
    /// `[32 pairs of squares][channels][2]`.
    gradient: Aligned<Bf16>,
}

impl<S: GradientLanes<Bf16> + GradientLanes<f32>> HalfBackend for Direct<S, Bf16> {
    type GradientWork = Pairs;

    fn gradient_work(&self, sizes: Sizes) -> Pairs {
        Pairs {
            input: Aligned::filled(AROUND * sizes.width * Bf16::GROUP, Bf16::default()),
            gradient: Aligned::filled(SQUARES * sizes.outputs, Bf16::default()),
        }
    }

    fn pack_filter(
        &self,
        _workers: Workers<S>,
        Filter { matrix, is_reversed, width }: Filter<'_>,
        _earlier: Option<Self::Convolution>,
    ) -> Self::Convolution {
        if !is_reversed {
            return self.pack_convolution(&matrix, width);
        }
        let Matrix { taps, inputs, outputs, weights } = matrix;
        let weights = &reversed(self.simd(), weights, [taps, inputs, outputs]);
        self.pack_convolution(&Matrix { taps, inputs: outputs, outputs: inputs, weights }, width)
    }

    fn filter_gradient(&self, request: FilterGradient<'_>, work: &mut Pairs) {
        const { assert!(BOARD >= POSITIONS && Bf16::GROUP == 2) };
        let FilterGradient { kernel_size, inputs, input, boards, outputs, gradient, result, start } = request;
        let (simd, width) = (self.simd(), input.width);
        let taps = tap_offsets(kernel_size.side(), width * Bf16::GROUP);
        for board in 0..boards {
            // The last of these positions is interleaved with the first position of the next board, which no tap reads.
            simd.run(Interleave {
                input: &input.data,
                rows: Rows { first: input.first(board) - BEFORE * width, group_stride: 0, stride: width },
                size: (1, AROUND),
                width,
                stride: width,
                output: &mut work.input,
                output_rows: Rows { first: 0, group_stride: 0, stride: Bf16::GROUP * width },
                columns: (width, 0),
            });
            simd.run(Interleave {
                input: &gradient.data,
                rows: Rows {
                    first: gradient.first(board),
                    group_stride: RANK * gradient.width,
                    stride: Bf16::GROUP * gradient.width,
                },
                size: (8, 4),
                width: outputs,
                stride: gradient.width,
                output: &mut work.gradient,
                output_rows: Rows {
                    first: 0,
                    group_stride: 4 * Bf16::GROUP * outputs,
                    stride: Bf16::GROUP * outputs,
                },
                columns: (outputs, 0),
            });
            let pair = Bf16::GROUP * width;
            simd.run(WeightGradient {
                input: &work.input,
                input_rows: Rows {
                    first: BEFORE * pair,
                    group_stride: RANK * pair,
                    stride: Bf16::GROUP * pair,
                },
                taps: &taps,
                inputs,
                gradient: &work.gradient,
                gradient_rows: Rows {
                    first: 0,
                    group_stride: 4 * Bf16::GROUP * outputs,
                    stride: Bf16::GROUP * outputs,
                },
                outputs,
                result: &mut *result,
                start: if board == 0 { start } else { Start::Continued },
                size: (8, 4),
            });
        }
    }

    fn multiply(&self, product: Product<'_>, _work: &mut Pairs) {
        product.blocks(|block| self.simd().run(block));
    }
}
