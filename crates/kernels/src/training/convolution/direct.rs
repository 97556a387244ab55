//! Weight gradients in floats by plain products: used for 1x1 kernels, and as a slow reference for other kernel sizes.

use crate::{
    gemm::Rows,
    layout::{Boards, RANK, tap_offsets},
    simd::GradientLanes,
    start::Start,
    training::{backend::FilterGradient, gradient::WeightGradient},
};

/// Processes one board after another, in the layout in which they are stored.
pub(super) fn direct<S: GradientLanes<f32>>(simd: S, request: FilterGradient<'_, f32>) {
    let FilterGradient { kernel_size, inputs, input, first, boards, gradient, result, start } = request;
    let taps = tap_offsets(kernel_size.side(), input.width);
    for board in 0..boards {
        let rows = |boards: &Boards<f32>, board: usize| Rows {
            first: boards.first(board),
            group_stride: RANK * boards.width,
            stride: boards.width,
        };
        simd.run(WeightGradient {
            input: &input.data[..],
            input_rows: rows(input, first + board),
            taps: &taps,
            inputs,
            gradient: &gradient.data[..],
            gradient_rows: rows(gradient, board),
            outputs: gradient.width,
            result: &mut *result,
            start: if board == 0 { start } else { Start::Continued },
            size: (8, 8),
        });
    }
}
