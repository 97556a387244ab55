//! Floats at nine places: the slow and obvious way, which the others are compared with.

use crate::{
    backend::{Backend as _, Direct, Sizes},
    gemm::Rows,
    layout::{Boards, RANK, tap_offsets},
    simd::GradientLanes,
    start::Start,
    training::{
        backend::{FilterGradient, TrainingBackend},
        gradient::WeightGradient,
        shape::KernelSize,
    },
};

impl<S: GradientLanes<f32>> TrainingBackend for Direct<S, f32> {
    type GradientWork = ();

    fn gradient_work(&self, _sizes: Sizes) {}

    fn filter_gradient(&self, request: FilterGradient<'_, f32>, (): &mut ()) {
        direct(self.simd(), request);
    }
}

/// Board after board, as they lie.
pub(super) fn direct<S: GradientLanes<f32>>(simd: S, request: FilterGradient<'_, f32>) {
    let FilterGradient { kernel_size, inputs, input, first, boards, gradient, result, start } = request;
    let taps = taps(kernel_size, input.width);
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

/// Distances of a layer's neighbours where a position has `width` numbers.
pub(super) fn taps(kernel_size: KernelSize, width: usize) -> Vec<isize> {
    tap_offsets(kernel_size.side(), width)
}
