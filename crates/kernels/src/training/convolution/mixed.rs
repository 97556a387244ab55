//! Products of 16-bit floats, added up in 32 bits (Micikevicius et al. 2018, arXiv:1710.03740). Activations, gradients and
//! weights are rounded where they enter a product; everything that is kept stays in 32 bits.

use std::ops::Range;

use super::{FilterGradient, Learning, direct::taps};
use crate::{
    aligned::Aligned,
    element::{Bf16, Element},
    engine::{Direct, Engine},
    layout::{BOARD, Boards, Grid, POSITIONS, RANK},
    product::Rows,
    simd::{GradientLanes, Kernel, Lanes},
    training::{
        gradient::{Interleave, WeightGradient},
        tensor::Tensor,
    },
};

/// The rows of boards as elements, with zeros for what the tensor has no channels for.
pub(super) struct Round<'a, E> {
    pub(super) input: &'a [f32],
    /// Numbers of a position.
    pub(super) width: usize,
    pub(super) output: &'a mut [E],
    /// Elements of a position, of which those behind `width` are left alone.
    pub(super) output_width: usize,
}

impl<E: Element, S: Lanes<E>> Kernel<S> for Round<'_, E> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, width, output, output_width } = self;
        let positions = input.len() / width;
        assert!(width.is_multiple_of(S::LANES) && width <= output_width, "whole vectors");
        assert!(positions * output_width <= output.len(), "room for all positions");
        for position in 0..positions {
            for column in (0..width).step_by(S::LANES) {
                // SAFETY: by the assertions, the position is in both slices with all columns.
                unsafe {
                    let values = simd.load(input.as_ptr().add(position * width + column));
                    simd.store_elements(output.as_mut_ptr().add(position * output_width + column), values);
                }
            }
        }
    }
}

/// Some boards of a tensor, rounded.
pub(super) fn rounded<'a, S: Lanes<Bf16>>(
    simd: S,
    input: &Tensor,
    boards: &Range<usize>,
    room: &'a mut Boards<Bf16>,
) -> Grid<'a, Bf16> {
    let (first, output_width) = (room.first(0), room.width);
    simd.run(Round {
        input: input.share(boards),
        width: input.width,
        output: &mut room.data[first..],
        output_width,
    });
    room.grid()
}

/// Positions before a board's first square that its neighbours may be on.
const BEFORE: usize = RANK + 1;
/// Positions from there to behind the last neighbour.
const AROUND: usize = BEFORE + POSITIONS + RANK;

/// Room for one board's pairs.
pub(crate) struct Pairs {
    /// `[positions][channels][2]`: each position beside the next one, from [`BEFORE`] the first square.
    input: Aligned<Bf16>,
    /// `[32 pairs of squares][channels][2]`.
    gradient: Aligned<Bf16>,
}

impl<S: GradientLanes<Bf16> + GradientLanes<f32>> Learning for Direct<S, Bf16> {
    type GradientRoom = Pairs;

    fn boards(&self, width: usize) -> Boards<Bf16> {
        Boards::new(<Self as Engine>::BOARDS, width, Bf16::default())
    }

    fn grid<'a>(
        &self,
        input: &'a Tensor,
        boards: &Range<usize>,
        room: &'a mut Boards<Bf16>,
    ) -> Grid<'a, Bf16> {
        rounded(self.simd(), input, boards, room)
    }

    fn gradient_room(&self, width: usize, outputs: usize) -> Pairs {
        Pairs {
            input: Aligned::filled(AROUND * width * Bf16::GROUP, Bf16::default()),
            gradient: Aligned::filled(crate::layout::SQUARES * outputs, Bf16::default()),
        }
    }

    fn filter_gradient(&self, request: FilterGradient<'_>, room: &mut Pairs) {
        const { assert!(BOARD >= POSITIONS && Bf16::GROUP == 2) };
        let FilterGradient { reach, inputs, input, gradient, boards, result } = request;
        let (simd, width, outputs) = (self.simd(), input.width, gradient.width);
        let taps = taps(reach, width * Bf16::GROUP);
        for board in boards.clone() {
            let first = input.start(board) - BEFORE * width;
            // The last of these positions has the next board's first for its neighbour, where no tap reaches.
            simd.run(Interleave {
                input: &input.data,
                rows: Rows { first, group_stride: 0, stride: width },
                size: (1, AROUND),
                width,
                output: &mut room.input,
            });
            simd.run(Interleave {
                input: &gradient.data,
                rows: Rows {
                    first: gradient.start(board),
                    group_stride: RANK * outputs,
                    stride: Bf16::GROUP * outputs,
                },
                size: (8, 4),
                width: outputs,
                output: &mut room.gradient,
            });
            let pair = Bf16::GROUP * width;
            simd.run(WeightGradient {
                input: &room.input,
                input_rows: Rows {
                    first: BEFORE * pair,
                    group_stride: RANK * pair,
                    stride: Bf16::GROUP * pair,
                },
                taps: &taps,
                inputs,
                gradient: &room.gradient,
                gradient_rows: Rows {
                    first: 0,
                    group_stride: 4 * Bf16::GROUP * outputs,
                    stride: Bf16::GROUP * outputs,
                },
                outputs,
                result: &mut *result,
                size: (8, 4),
            });
        }
    }
}
