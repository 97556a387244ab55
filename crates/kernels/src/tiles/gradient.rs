//! Weight gradients as a program for a tile unit: sums of outer products over the squares of several boards.
//!
//! A tile product sums over one rank of four boards. One operand is stored transposed, with a row of squares for each channel:
//! a tap that reads another rank reads the same row, a whole cache line away. A tap that reads another file reads a copy of the
//! row that is shifted within its ranks. The other operand is stored in pairs of squares, the layout that the unit requires for
//! weights.
//!
//! ```text
//! rank r of four boards, one channel: 32 squares of bf16, a cache line and a row of a tile
//!   copy 0   0 a b c d e f g | 0 a b c d e f g | ...      the square to the left of each
//!   copy 1   a b c d e f g h | a b c d e f g h | ...      the square itself
//!   copy 2   b c d e f g h 0 | b c d e f g h 0 | ...      the square to the right
//! ```
//!
//! So all nine taps read whole, aligned lines: the copy is chosen by the file step and the line by the rank step. A tap of the
//! rank above or below multiplies 7 of the 8 ranks, because the missing one would be zeros. With half a board per product, which
//! looks simpler, what most taps read straddles two lines.
//!
//! The speedup of summing by ranks is in `docs/experiments/training-kernel-changes.md`.

use super::{ROW_BYTES, ROWS, TileElement, TileUnit};
use crate::{
    gradient::Start,
    layout::{CHANNEL_BLOCK, SQUARES},
    simd::element::Bf16,
};

/// Number of squares over which one tile product sums.
pub(crate) const STEP: usize = ROW_BYTES / size_of::<Bf16>();
/// Squares per rank, and ranks per board.
pub(crate) const SIDE: usize = 8;
/// Number of boards whose ranks are summed together.
pub(crate) const BOARDS: usize = STEP / SIDE;

/// A tap of a convolution, as an operand of the products.
#[derive(Clone, Copy)]
pub(crate) struct Tap {
    /// Its index in the result.
    pub(crate) place: usize,
    /// Start, in the input, of the row of the first channel that the tap reads.
    pub(crate) row: usize,
    /// Ranks from a square to the square that this tap reads, from -1 to 1.
    pub(crate) ranks: isize,
}

pub(crate) struct OuterProducts<'a> {
    /// `[copies][channels][row]`, with each row `[fours of boards][8 ranks][4 boards][8 files]`.
    pub(crate) input: &'a [Bf16],
    /// Number of input channels, a multiple of 16.
    pub(crate) inputs: usize,
    /// Elements in a channel's row.
    pub(crate) row: usize,
    /// The taps; those that read the same copy follow each other.
    pub(crate) taps: &'a [Tap],
    /// `[outputs / 16][fours of boards][8 ranks][4 boards][4 pairs of files][16][2]`.
    pub(crate) gradient: &'a [Bf16],
    /// Number of channels of the gradient, a multiple of 16.
    pub(crate) outputs: usize,
    /// Number of groups of four boards.
    pub(crate) fours: usize,
    /// `[taps][inputs][outputs]`.
    pub(crate) result: &'a mut [f32],
    pub(crate) start: Start,
}

/// Groups of four boards accumulated per block of sums. With more, the operands (32 channels of both sides) are read
/// from an outer cache; with fewer, the sums are loaded and stored more often.
const FOURS: usize = 2;
/// Number of sums that stay in L2 from one group of boards to the next; more of them are loaded and stored once for all boards. Small
/// in tests, so that they meet wide layers.
const KEPT: usize = if cfg!(test) { 1 << 13 } else { 1 << 18 };
/// Elements in a full tile.
const TILE: usize = ROWS * STEP;

/// The tiles of a block's 32 x 32 sums, and of their operands.
const SUMS: [usize; 4] = [0, 1, 2, 3];
const INPUTS: [usize; 2] = [4, 5];
const GRADIENTS: [usize; 2] = [6, 7];

/// Adds the outer products.
///
/// # Safety
/// This thread's tiles are configured as [`super::TileConfig::WHOLE`]; a smaller number of rows would leave sums out.
pub(crate) unsafe fn add_outer_products<U: TileUnit>(
    unit: &U,
    tiles: &mut U::Tiles,
    products: OuterProducts<'_>,
) {
    let OuterProducts { input, inputs, row, taps, gradient, outputs, fours, result, start } = products;
    let last = taps.iter().map(|tap| tap.row + inputs.saturating_sub(1) * row).max().unwrap_or_default();
    assert!(last + fours * SIDE * STEP <= input.len(), "taps beyond the rows");
    assert!(taps.iter().all(|tap| tap.place < taps.len() && tap.ranks.abs() <= 1), "taps of a 3x3 square");
    assert!(gradient.len() >= fours * BOARDS * SQUARES * outputs, "gradients of all boards");
    assert!(inputs.is_multiple_of(ROWS) && outputs.is_multiple_of(CHANNEL_BLOCK), "whole tiles");
    assert_eq!(result.len(), taps.len() * inputs * outputs, "another result");
    // If a block has only 16 rows or columns, they are computed twice, which is correct because all sums are loaded
    // before any is stored.
    let pair = |at: usize, size: usize| [at, if at + ROWS < size { at + ROWS } else { at }];
    let to = result.as_mut_ptr();
    let together = if taps.len() * inputs * outputs > KEPT { fours.max(1) } else { FOURS };
    for first in (0..fours).step_by(together) {
        let count = together.min(fours - first);
        let start = if first == 0 { start } else { Start::Continued };
        for channel in (0..inputs).step_by(2 * ROWS) {
            for tap in taps {
                // Outputs innermost: rows of sums are written from begin to end.
                for output in (0..outputs).step_by(2 * ROWS) {
                    let (channels, columns) = (pair(channel, inputs), pair(output, outputs));
                    // Beyond the first or the last rank a tap reads zeros.
                    let rank = usize::from(tap.ranks < 0);
                    // SAFETY: configured by the caller's promise; by the assertions above, the ranks of every four boards
                    // that lie within the boards at this tap are within `input` for all channels, those of every 16 columns
                    // within `gradient`, and 16 rows of every block within `result`.
                    unsafe {
                        let squares = |channel: usize| {
                            let ranks = (first * SIDE + rank).wrapping_add_signed(tap.ranks);
                            input.as_ptr().add(tap.row + channel * row + ranks * STEP).cast()
                        };
                        let pairs = |column: usize| {
                            let tile = (column / CHANNEL_BLOCK * fours + first) * SIDE + rank;
                            gradient.as_ptr().add(tile * TILE).cast()
                        };
                        let sums = |channel: usize, column: usize| {
                            to.add((tap.place * inputs + channel) * outputs + column).cast()
                        };
                        let block = Block {
                            inputs: channels.map(squares),
                            input_stride: row * size_of::<Bf16>(),
                            input_step: ROW_BYTES,
                            gradients: columns.map(pairs),
                            size: (count, SIDE - tap.ranks.unsigned_abs()),
                            sums: [
                                sums(channels[0], columns[0]),
                                sums(channels[0], columns[1]),
                                sums(channels[1], columns[0]),
                                sums(channels[1], columns[1]),
                            ],
                            sum_stride: outputs * size_of::<f32>(),
                            start,
                        };
                        add_block(unit, tiles, &block);
                    }
                }
            }
        }
    }
}

/// The start of each of a block's operands, and the bytes from one of its rows to the next.
pub(crate) struct Block {
    pub(crate) inputs: [*const u8; 2],
    pub(crate) input_stride: usize,
    /// Bytes from one rank of the inputs to the next.
    pub(crate) input_step: usize,
    pub(crate) gradients: [*const u8; 2],
    /// Number of groups of four boards, and of ranks in each.
    pub(crate) size: (usize, usize),
    pub(crate) sums: [*mut u8; 4],
    pub(crate) sum_stride: usize,
    pub(crate) start: Start,
}

/// Adds to 32 x 32 sums.
///
/// # Safety
/// The tiles are configured as [`super::TileConfig::WHOLE`]; 16 rows of 64 bytes are readable for every rank of every operand, and
/// writable at all sums.
#[inline(always)]
pub(crate) unsafe fn add_block<U: TileUnit>(unit: &U, tiles: &mut U::Tiles, block: &Block) {
    let Block { inputs, input_stride, input_step, gradients, size, sums, sum_stride, start } = *block;
    let (fours, ranks) = size;
    // SAFETY: the caller's promise.
    unsafe {
        match start {
            Start::Fresh => {
                unit.zero::<{ SUMS[0] }>(tiles);
                unit.zero::<{ SUMS[1] }>(tiles);
                unit.zero::<{ SUMS[2] }>(tiles);
                unit.zero::<{ SUMS[3] }>(tiles);
            }
            Start::Continued => {
                unit.load::<{ SUMS[0] }>(tiles, sums[0], sum_stride);
                unit.load::<{ SUMS[1] }>(tiles, sums[1], sum_stride);
                unit.load::<{ SUMS[2] }>(tiles, sums[2], sum_stride);
                unit.load::<{ SUMS[3] }>(tiles, sums[3], sum_stride);
            }
        }
        for four in 0..fours {
            for rank in four * SIDE..four * SIDE + ranks {
                let (line, tile) = (rank * input_step, rank * TILE * size_of::<Bf16>());
                unit.load::<{ INPUTS[0] }>(tiles, inputs[0].add(line), input_stride);
                unit.load::<{ GRADIENTS[0] }>(tiles, gradients[0].add(tile), ROW_BYTES);
                Bf16::dot::<U, { SUMS[0] }, { INPUTS[0] }, { GRADIENTS[0] }>(unit, tiles);
                unit.load::<{ GRADIENTS[1] }>(tiles, gradients[1].add(tile), ROW_BYTES);
                Bf16::dot::<U, { SUMS[1] }, { INPUTS[0] }, { GRADIENTS[1] }>(unit, tiles);
                unit.load::<{ INPUTS[1] }>(tiles, inputs[1].add(line), input_stride);
                Bf16::dot::<U, { SUMS[2] }, { INPUTS[1] }, { GRADIENTS[0] }>(unit, tiles);
                Bf16::dot::<U, { SUMS[3] }, { INPUTS[1] }, { GRADIENTS[1] }>(unit, tiles);
            }
        }
        unit.store::<{ SUMS[0] }>(tiles, sums[0], sum_stride);
        unit.store::<{ SUMS[1] }>(tiles, sums[1], sum_stride);
        unit.store::<{ SUMS[2] }>(tiles, sums[2], sum_stride);
        unit.store::<{ SUMS[3] }>(tiles, sums[3], sum_stride);
    }
}
