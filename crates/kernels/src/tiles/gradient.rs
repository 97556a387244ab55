//! Gradients of weights as a program of a tile unit: sums of outer products over the positions of several boards.
//!
//! Boards follow one another with their shared zeros, so all positions of all boards are one long sum, and what a tap reads
//! is the same stream, shifted. One side lies transposed (a row for each channel, so that 32 positions are a tile's row), the
//! other in pairs of positions, as the unit takes its weights.

use super::{INPUT, ROW_BYTES, ROWS, TileElement, TileUnit, WEIGHTS};
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

/// Adds the outer products. The tiles are configured as for [`super::TileConfig::BOARD`].
pub(crate) fn add_outer_products<U: TileUnit>(unit: &U, tiles: &mut U::Tiles, products: OuterProducts<'_>) {
    let OuterProducts { input, inputs, row, first, taps, gradient, outputs, steps, result } = products;
    let reach = taps.iter().map(|tap| tap.unsigned_abs()).max().unwrap_or_default();
    assert!(first >= reach && first + steps * STEP + reach <= row, "taps beyond the stream");
    assert!(input.len() >= inputs * row && gradient.len() >= steps * STEP * outputs, "whole streams");
    assert!(inputs.is_multiple_of(ROWS) && outputs.is_multiple_of(CHANNEL_BLOCK), "whole tiles");
    assert_eq!(result.len(), taps.len() * inputs * outputs, "another result");
    let (stride, pair_stride) = (row * size_of::<Bf16>(), outputs * 2 * size_of::<Bf16>());
    let sum_stride = outputs * size_of::<f32>();
    let blocks = inputs / ROWS;
    for (tap, &offset) in taps.iter().enumerate() {
        let start = first.wrapping_add_signed(offset);
        for (output, block) in
            (0..outputs).step_by(CHANNEL_BLOCK).flat_map(|at| (0..blocks).step_by(4).map(move |b| (at, b)))
        {
            let count = (blocks - block).min(4);
            // SAFETY: the caller has configured the tiles; by the assertions above, 16 channels of every step at every tap
            // lie within `input`, 16 pairs of every step within `gradient`, and 16 rows of every block within `result`.
            // Where there are fewer than four blocks, the last one is computed in place of the missing ones: all of
            // them load the sums before any is stored.
            unsafe {
                let number = |tile: usize| (block + tile.min(count - 1)) * ROWS;
                let sums = |tile: usize| (tap * inputs + number(tile)) * outputs + output;
                let to = result.as_mut_ptr().cast::<u8>();
                let at = |tile: usize| to.add(sums(tile) * size_of::<f32>());
                unit.load::<0>(tiles, at(0), sum_stride);
                unit.load::<1>(tiles, at(1), sum_stride);
                unit.load::<2>(tiles, at(2), sum_stride);
                unit.load::<3>(tiles, at(3), sum_stride);
                let mut pairs = gradient.as_ptr().add(output * 2).cast::<u8>();
                let mut channels = input.as_ptr().add(start).cast::<u8>();
                for _ in 0..steps {
                    let from = |tile: usize| channels.add(number(tile) * stride);
                    unit.load::<WEIGHTS>(tiles, pairs, pair_stride);
                    unit.load::<INPUT>(tiles, from(0), stride);
                    Bf16::dot::<U, 0, INPUT>(unit, tiles);
                    unit.load::<INPUT>(tiles, from(1), stride);
                    Bf16::dot::<U, 1, INPUT>(unit, tiles);
                    unit.load::<INPUT>(tiles, from(2), stride);
                    Bf16::dot::<U, 2, INPUT>(unit, tiles);
                    unit.load::<INPUT>(tiles, from(3), stride);
                    Bf16::dot::<U, 3, INPUT>(unit, tiles);
                    channels = channels.wrapping_add(ROW_BYTES);
                    pairs = pairs.wrapping_add(ROWS * pair_stride);
                }
                unit.store::<0>(tiles, at(0), sum_stride);
                unit.store::<1>(tiles, at(1), sum_stride);
                unit.store::<2>(tiles, at(2), sum_stride);
                unit.store::<3>(tiles, at(3), sum_stride);
            }
        }
    }
}
