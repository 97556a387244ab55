//! Floats at nine places: the slow and obvious way, which the others are compared with.

use std::ops::Range;

use super::{FilterGradient, Learning, in_place};
use crate::{
    engine::Direct,
    layout::{Boards, CHANNEL_BLOCK, Grid, RANK, tap_offsets},
    product::Rows,
    simd::GradientLanes,
    training::{gradient::WeightGradient, shape::Reach, tensor::Tensor},
};

impl<S: GradientLanes<f32>> Learning for Direct<S, f32> {
    type GradientRoom = ();

    fn boards(&self, _width: usize) -> Boards<f32> {
        Boards::new(0, CHANNEL_BLOCK, 0.0)
    }

    fn grid<'a>(&self, input: &'a Tensor, boards: &Range<usize>, _: &'a mut Boards<f32>) -> Grid<'a, f32> {
        in_place(input, boards)
    }

    fn gradient_room(&self, _width: usize, _outputs: usize) {}

    fn filter_gradient(&self, request: FilterGradient<'_>, (): &mut ()) {
        use crate::engine::Engine as _;
        direct(self.simd(), request);
    }
}

/// Board after board, as they lie.
pub(super) fn direct<S: GradientLanes<f32>>(simd: S, request: FilterGradient<'_>) {
    let FilterGradient { reach, inputs, input, gradient, boards, result } = request;
    let taps = taps(reach, input.width);
    for board in boards.clone() {
        let rows = |tensor: &Tensor| Rows {
            first: tensor.start(board),
            group_stride: RANK * tensor.width,
            stride: tensor.width,
        };
        simd.run(WeightGradient {
            input: &input.data,
            input_rows: rows(input),
            taps: &taps,
            inputs,
            gradient: &gradient.data,
            gradient_rows: rows(gradient),
            outputs: gradient.width,
            result: &mut *result,
            size: (8, 8),
        });
    }
}

/// Distances of a layer's neighbours where a position has `width` numbers.
pub(super) fn taps(reach: Reach, width: usize) -> Vec<isize> {
    tap_offsets(if reach == Reach::Board { 3 } else { 1 }, width)
}
