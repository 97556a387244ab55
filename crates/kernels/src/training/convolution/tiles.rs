//! 16-bit products on a tile unit.

use std::ops::Range;

use super::{FilterGradient, Learning, direct::taps, mixed::rounded};
use crate::{
    aligned::Aligned,
    element::{Bf16, Element},
    engine::{Engine, Tiles},
    layout::{BOARD, Boards, Grid, MARGIN, RANK, padded},
    product::Rows,
    simd::{GradientLanes, Lanes},
    tiles::{OuterProducts, ROWS, STEP, TileConfig, TileUnit, add_outer_products},
    training::{gradient::Interleave, tensor::Tensor},
};

/// Boards whose positions are one sum.
const BOARDS: usize = 16;
/// Positions before a board's first square that its neighbours may be on, and behind the last board.
const AROUND: usize = RANK + 1;
/// Positions of a sum with what surrounds it.
const STREAM: usize = AROUND + (BOARDS * BOARD).next_multiple_of(STEP) + AROUND;

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

impl<S, U> Learning for Tiles<S, U, Bf16>
where
    S: GradientLanes<Bf16> + GradientLanes<f32>,
    U: TileUnit,
{
    type GradientRoom = Streams<U>;

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

    fn gradient_room(&self, width: usize, outputs: usize) -> Streams<U> {
        let room = |len: usize| Aligned::filled(len, Bf16::default());
        let gradient = room((STREAM - 2 * AROUND) * outputs);
        Streams { tiles: self.unit().tiles(), input: room(width * STREAM), gradient, result: Vec::new() }
    }

    fn filter_gradient(&self, request: FilterGradient<'_>, room: &mut Streams<U>) {
        let FilterGradient { reach, inputs, input, gradient, boards, result } = request;
        let (rows, outputs) = (padded(inputs, ROWS), gradient.width);
        let taps = taps(reach, 1);
        room.result.clear();
        room.result.resize(taps.len() * rows * outputs, 0.0);
        self.unit().configure(&mut room.tiles, &TileConfig::BOARD);
        for first in boards.clone().step_by(BOARDS) {
            let some = first..boards.end.min(first + BOARDS);
            let positions = some.len() * BOARD;
            transpose(self.simd(), input, &some, (&mut room.input, rows));
            // The last position is one of the zeros behind the last board, so half a pair less is no number less.
            let pairs = positions / Bf16::GROUP;
            self.simd().run(Interleave {
                input: &gradient.data,
                rows: Rows { first: gradient.start(first), group_stride: 0, stride: Bf16::GROUP * outputs },
                size: (1, pairs),
                width: outputs,
                output: &mut room.gradient,
            });
            let steps = positions.div_ceil(STEP);
            room.gradient[pairs * Bf16::GROUP * outputs..steps * STEP * outputs].fill(Bf16::default());
            add_outer_products(
                self.unit(),
                &mut room.tiles,
                OuterProducts {
                    input: &room.input,
                    inputs: rows,
                    row: STREAM,
                    first: AROUND,
                    taps: &taps,
                    gradient: &room.gradient,
                    outputs,
                    steps,
                    result: &mut room.result,
                },
            );
        }
        self.unit().release(&mut room.tiles);
        let kept = room.result.chunks_exact(rows * outputs).map(|tap| &tap[..inputs * outputs]);
        for (sums, terms) in result.chunks_exact_mut(inputs * outputs).zip(kept) {
            for (sum, term) in sums.iter_mut().zip(terms) {
                *sum += term;
            }
        }
    }
}

/// The positions of some boards and those around them, a row for each channel.
fn transpose<S: Lanes<Bf16>>(
    simd: S,
    input: &Tensor,
    boards: &Range<usize>,
    (output, channels): (&mut [Bf16], usize),
) {
    const { assert!(AROUND <= MARGIN, "what surrounds the boards is there") };
    let (width, positions) = (input.width, boards.len() * BOARD + 2 * AROUND);
    let first = input.start(boards.start) - AROUND * width;
    // Sixteen positions of sixteen channels at a time, so that both sides stay in the nearest cache.
    for channel in (0..channels).step_by(ROWS) {
        for position in (0..positions).step_by(ROWS) {
            let count = ROWS.min(positions - position);
            let mut block = [[Bf16::default(); ROWS]; ROWS];
            for (number, row) in block.iter_mut().take(count).enumerate() {
                let from = first + (position + number) * width + channel;
                simd.run(super::mixed::Round {
                    input: &input.data[from..from + ROWS],
                    width: ROWS,
                    output: &mut row[..],
                    output_width: ROWS,
                });
            }
            for number in 0..ROWS {
                let to = (channel + number) * STREAM + position;
                for (element, row) in output[to..to + count].iter_mut().zip(&block) {
                    *element = row[number];
                }
            }
        }
    }
}
