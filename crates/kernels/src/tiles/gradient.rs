//! Gradients of weights as a program of a tile unit: sums of outer products over the positions of several boards.
//!
//! Boards follow one another with their shared zeros, so all positions of all boards are one long sum, and what a tap reads
//! is the same stream, shifted. One side lies transposed (a row for each channel, so that 32 positions are a tile's row), the
//! other in pairs of positions, as the unit takes its weights.

use super::{ROW_BYTES, ROWS, TileElement, TileUnit};
use crate::{element::Bf16, layout::CHANNEL_BLOCK};

/// Positions that one product of tiles adds up.
pub(crate) const STEP: usize = ROW_BYTES / size_of::<Bf16>();

/// Operands of the sums.
pub(crate) struct OuterProducts<'a> {
    /// `[channels][row]`: the stream of positions of each channel.
    pub(crate) input: &'a [Bf16],
    /// Channels of the input, a multiple of 16.
    pub(crate) inputs: usize,
    /// Elements of a channel's stream.
    pub(crate) row: usize,
    /// Where the first position is in it.
    pub(crate) first: usize,
    /// Distances of the taps in positions.
    pub(crate) taps: &'a [isize],
    /// `[pairs of positions][outputs][2]`.
    pub(crate) gradient: &'a [Bf16],
    /// Channels of the gradient, a multiple of 16.
    pub(crate) outputs: usize,
    /// Positions, in steps of [`STEP`].
    pub(crate) steps: usize,
    /// `[taps][inputs][outputs]`, added to.
    pub(crate) result: &'a mut [f32],
}

/// Steps that are added up before the next block of sums is begun: what they read of 32 channels of both sides stays in the
/// nearest cache for all taps.
const STEPS: usize = 10;

/// Sums of blocks of 32 x 32, and what they are added up from.
const SUMS: [usize; 4] = [0, 1, 2, 3];
const INPUTS: [usize; 2] = [4, 5];
const GRADIENTS: [usize; 2] = [6, 7];

/// Adds the outer products. The tiles are configured as for [`super::TileConfig::WHOLE`].
pub(crate) fn add_outer_products<U: TileUnit>(unit: &U, tiles: &mut U::Tiles, products: OuterProducts<'_>) {
    let OuterProducts { input, inputs, row, first, taps, gradient, outputs, steps, result } = products;
    let reach = taps.iter().map(|tap| tap.unsigned_abs()).max().unwrap_or_default();
    assert!(first >= reach && first + steps * STEP + reach <= row, "taps beyond the stream");
    assert!(input.len() >= inputs * row && gradient.len() >= steps * STEP * outputs, "whole streams");
    assert!(inputs.is_multiple_of(ROWS) && outputs.is_multiple_of(CHANNEL_BLOCK), "whole tiles");
    assert_eq!(result.len(), taps.len() * inputs * outputs, "another result");
    // Where a block has only 16 rows or columns, they are computed twice: all sums are loaded before any is stored.
    let pair = |at: usize, size: usize| [at, if at + ROWS < size { at + ROWS } else { at }];
    let to = result.as_mut_ptr();
    for from in (0..steps).step_by(STEPS) {
        let count = STEPS.min(steps - from);
        for output in (0..outputs).step_by(2 * ROWS) {
            for channel in (0..inputs).step_by(2 * ROWS) {
                let (channels, columns) = (pair(channel, inputs), pair(output, outputs));
                for (tap, &offset) in taps.iter().enumerate() {
                    let position = first.wrapping_add_signed(offset) + from * STEP;
                    // SAFETY: the caller has configured the tiles; by the assertions above, 16 channels of every step at
                    // every tap lie within `input`, 16 pairs of every step within `gradient`, and 16 rows of every block
                    // within `result`.
                    unsafe {
                        let start = |channel: usize| input.as_ptr().add(channel * row + position).cast();
                        let pairs = |column: usize| {
                            gradient.as_ptr().add((from * STEP * outputs) + column * 2).cast()
                        };
                        let sums = |channel: usize, column: usize| {
                            let at = (tap * inputs + channel) * outputs + column;
                            to.add(at).cast()
                        };
                        add_block(
                            unit,
                            tiles,
                            &Block {
                                inputs: channels.map(start),
                                input_stride: row * size_of::<Bf16>(),
                                gradients: columns.map(pairs),
                                gradient_stride: outputs * 2 * size_of::<Bf16>(),
                                steps: count,
                                sums: [
                                    sums(channels[0], columns[0]),
                                    sums(channels[0], columns[1]),
                                    sums(channels[1], columns[0]),
                                    sums(channels[1], columns[1]),
                                ],
                                sum_stride: outputs * size_of::<f32>(),
                            },
                        );
                    }
                }
            }
        }
    }
}

/// Where a block's operands begin, and the bytes from each of their rows to the next.
struct Block {
    inputs: [*const u8; 2],
    input_stride: usize,
    gradients: [*const u8; 2],
    gradient_stride: usize,
    steps: usize,
    sums: [*mut u8; 4],
    sum_stride: usize,
}

/// Adds to 32 x 32 sums.
///
/// # Safety
/// The tiles are configured; 16 rows of 64 bytes are readable at every step of every operand, and writable at all sums.
#[inline(always)]
unsafe fn add_block<U: TileUnit>(unit: &U, tiles: &mut U::Tiles, block: &Block) {
    let Block { mut inputs, input_stride, mut gradients, gradient_stride, steps, sums, sum_stride } = *block;
    // SAFETY: the caller's promise.
    unsafe {
        unit.load::<{ SUMS[0] }>(tiles, sums[0], sum_stride);
        unit.load::<{ SUMS[1] }>(tiles, sums[1], sum_stride);
        unit.load::<{ SUMS[2] }>(tiles, sums[2], sum_stride);
        unit.load::<{ SUMS[3] }>(tiles, sums[3], sum_stride);
        for _ in 0..steps {
            unit.load::<{ INPUTS[0] }>(tiles, inputs[0], input_stride);
            unit.load::<{ GRADIENTS[0] }>(tiles, gradients[0], gradient_stride);
            Bf16::dot::<U, { SUMS[0] }, { INPUTS[0] }, { GRADIENTS[0] }>(unit, tiles);
            unit.load::<{ GRADIENTS[1] }>(tiles, gradients[1], gradient_stride);
            Bf16::dot::<U, { SUMS[1] }, { INPUTS[0] }, { GRADIENTS[1] }>(unit, tiles);
            unit.load::<{ INPUTS[1] }>(tiles, inputs[1], input_stride);
            Bf16::dot::<U, { SUMS[2] }, { INPUTS[1] }, { GRADIENTS[0] }>(unit, tiles);
            Bf16::dot::<U, { SUMS[3] }, { INPUTS[1] }, { GRADIENTS[1] }>(unit, tiles);
            inputs = [inputs[0].wrapping_add(ROW_BYTES), inputs[1].wrapping_add(ROW_BYTES)];
            let step = ROWS * gradient_stride;
            gradients = [gradients[0].wrapping_add(step), gradients[1].wrapping_add(step)];
        }
        unit.store::<{ SUMS[0] }>(tiles, sums[0], sum_stride);
        unit.store::<{ SUMS[1] }>(tiles, sums[1], sum_stride);
        unit.store::<{ SUMS[2] }>(tiles, sums[2], sum_stride);
        unit.store::<{ SUMS[3] }>(tiles, sums[3], sum_stride);
    }
}
