//! 16-bit products on a tile unit.

use super::{FilterGradient, TrainingEngine, direct::taps};
use crate::{
    aligned::Aligned,
    element::{Bf16, Element},
    engine::{Engine as _, Sizes, Tiles},
    layout::{BOARD, Boards, MARGIN, RANK, padded},
    product::Rows,
    simd::{GradientLanes, Kernel},
    tiles::{OuterProducts, ROWS, STEP, TileConfig, TileUnit, add_outer_products},
    training::{gradient::Interleave, work::GROUP},
};

/// Positions before a board's first square that its neighbours may be on, and behind the last board.
const AROUND: usize = RANK + 1;
/// Positions that are added up.
const POSITIONS: usize = (GROUP * BOARD).next_multiple_of(STEP);
/// The same with what surrounds them.
const STREAM: usize = (POSITIONS + 2 * AROUND).next_multiple_of(STEP);

/// Room for the operands of one thread.
pub(crate) struct Streams<U: TileUnit> {
    tiles: U::Tiles,
    /// `[channels][positions]`.
    input: Aligned<Bf16>,
    /// `[pairs of positions][channels][2]`.
    gradient: Aligned<Bf16>,
    /// `[taps][inputs in whole tiles][outputs]`.
    result: Vec<f32>,
}

impl<S, U> TrainingEngine for Tiles<S, U, Bf16>
where
    S: GradientLanes<Bf16> + GradientLanes<f32>,
    U: TileUnit,
{
    type GradientWork = Streams<U>;

    fn gradient_work(&self, sizes: Sizes) -> Streams<U> {
        let room = |len: usize| Aligned::filled(len, Bf16::default());
        Streams {
            tiles: self.unit().tiles(),
            input: room(sizes.width * STREAM),
            gradient: room(POSITIONS * sizes.outputs),
            result: Vec::new(),
        }
    }

    fn filter_gradient(&self, request: FilterGradient<'_, Bf16>, work: &mut Streams<U>) {
        let FilterGradient { reach, inputs, input, first, boards, gradient, result } = request;
        let (simd, rows, outputs) = (self.simd(), padded(inputs, ROWS), gradient.width);
        let Streams { tiles, input: stream, gradient: pairs, result: sums } = work;
        let steps = (boards * BOARD).div_ceil(STEP);
        simd.run(Transpose { input, board: first, boards, output: stream });
        // The last position is one of the zeros behind the last board, so half a pair less is no number less.
        let count = boards * BOARD / Bf16::GROUP;
        simd.run(Interleave {
            input: &gradient.data,
            rows: Rows { first: gradient.first(0), group_stride: 0, stride: Bf16::GROUP * outputs },
            size: (1, count),
            width: outputs,
            output: pairs,
        });
        pairs[count * Bf16::GROUP * outputs..steps * STEP * outputs].fill(Bf16::default());
        let taps = taps(reach, 1);
        let whole = rows == inputs;
        if !whole {
            sums.clear();
            sums.resize(taps.len() * rows * outputs, 0.0);
        }
        self.unit().configure(tiles, &TileConfig::WHOLE);
        let products = OuterProducts {
            input: stream,
            inputs: rows,
            row: STREAM,
            first: AROUND,
            taps: &taps,
            gradient: pairs,
            outputs,
            steps,
            result: if whole { &mut *result } else { sums },
        };
        add_outer_products(self.unit(), tiles, products);
        self.unit().release(tiles);
        if !whole {
            let kept = sums.chunks_exact(rows * outputs).map(|tap| &tap[..inputs * outputs]);
            for (sums, terms) in result.chunks_exact_mut(inputs * outputs).zip(kept) {
                for (sum, term) in sums.iter_mut().zip(terms) {
                    *sum += term;
                }
            }
        }
    }
}

/// The positions of some boards and those around them, a row of [`STREAM`] for each channel.
struct Transpose<'a> {
    input: &'a Boards<Bf16>,
    board: usize,
    boards: usize,
    output: &'a mut [Bf16],
}

impl<S: GradientLanes<Bf16>> Kernel<S> for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        const { assert!(2 * AROUND + 2 * STEP <= MARGIN + AROUND + STEP, "what surrounds the boards is there") };
        let Self { input, board, boards, output } = self;
        let width = input.width;
        let first = input.first(board) - AROUND * width;
        let positions = (boards * BOARD + 2 * AROUND).next_multiple_of(STEP);
        assert!(positions <= STREAM && output.len() >= width * STREAM, "room for all channels");
        assert!(first + positions * width <= input.data.len(), "positions behind the boards");
        for position in (0..positions).step_by(STEP) {
            for channel in (0..width).step_by(ROWS) {
                // SAFETY: by the assertions, 32 positions of 16 channels are in the input and have room in the output.
                unsafe {
                    let from = input.data.as_ptr().add(first + position * width + channel);
                    let to = output.as_mut_ptr().add(channel * STREAM + position);
                    simd.transpose(from, width, to, STREAM);
                }
            }
        }
    }
}
