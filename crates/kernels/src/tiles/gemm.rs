//! Convolutions and dense layers as programs of a tile unit.
//!
//! The speedups from the stem and from four vectors at a time are in `docs/experiments/inference-kernel-changes.md`.

use super::{HALF_INPUT, HALF_SUMS, INPUT, ROW_BYTES, ROWS, TileElement, TileUnit, WEIGHTS};
use crate::{
    aligned::Aligned,
    gemm::Matrix,
    layout::{CHANNEL_BLOCK, Flat, Grid, POSITIONS, padded, tap_offsets},
};

/// Packed weights: for each 16 outputs `[taps][input rows][16 groups][16 outputs][group]`, one tile after another.
pub(crate) struct TileWeights<E: TileElement> {
    taps: usize,
    /// Number of inputs, a multiple of a tile's row.
    inputs: usize,
    /// Number of outputs, a multiple of 16.
    pub(crate) outputs: usize,
    data: Aligned<E::Weight>,
}

impl<E: TileElement> TileWeights<E> {
    /// Packs for inputs that take `width` elements in memory.
    pub(crate) fn new(matrix: &Matrix<'_>, width: usize) -> Self {
        let (inputs, outputs) = (padded(width, E::ROW), padded(matrix.outputs, CHANNEL_BLOCK));
        let mut data = Aligned::filled(matrix.taps * inputs * outputs, E::no_weight());
        let mut at = 0;
        for first in (0..outputs).step_by(CHANNEL_BLOCK) {
            for tap in 0..matrix.taps {
                for group in (0..inputs).step_by(E::GROUP) {
                    for output in first..first + CHANNEL_BLOCK {
                        for input in group..group + E::GROUP {
                            data[at] = E::weight(matrix.weight(tap, input, output));
                            at += 1;
                        }
                    }
                }
            }
        }
        Self { taps: matrix.taps, inputs, outputs, data }
    }

    fn tiles(&self) -> usize {
        self.taps * self.inputs / E::ROW
    }

    /// Index of the first tile of a group of 16 outputs.
    fn block(&self, block: usize) -> usize {
        block * self.taps * self.inputs * CHANNEL_BLOCK
    }
}

const fn tile_elements<E: TileElement>() -> usize {
    ROWS * ROW_BYTES / size_of::<E>()
}

/// Prefetch distance of weights, in tiles (6 KiB). Measured only together with the stem on tiles
/// (docs/experiments/inference-kernel-changes.md), not separately.
const AHEAD: usize = 6;

/// Prefetches a quarter of a tile of weights; prefetching the whole tile at once would delay the loads of activations.
#[inline(always)]
fn prefetch_quarter<U: TileUnit, const QUARTER: usize>(unit: &U, tile: *const u8) {
    // The address may lie beyond the weights at the end of a layer: it is computed by `wrapping_add` and only prefetched.
    for row in QUARTER * ROWS / 4..(QUARTER + 1) * ROWS / 4 {
        unit.prefetch(tile.wrapping_add(row * ROW_BYTES));
    }
}

/// Packed weights of a convolution, and the offsets of the neighbouring squares.
pub(crate) struct Taps<E: TileElement> {
    pub(crate) weights: TileWeights<E>,
    offsets: Vec<isize>,
}

impl<E: TileElement> Taps<E> {
    /// Packs a convolution with 1 or 9 taps for inputs that take `width` elements in memory.
    pub(crate) fn new(matrix: &Matrix<'_>, width: usize) -> Self {
        let kernel = if matrix.taps == 1 { 1 } else { 3 };
        Self { weights: TileWeights::new(matrix, width), offsets: tap_offsets(kernel, width) }
    }

    /// Computes the sums of one board, `[72 positions][outputs]`.
    ///
    /// # Safety
    /// This thread's tiles are configured as [`super::TileConfig::BOARD`]: the number of rows that are read and written comes
    /// from the configuration.
    pub(crate) unsafe fn convolve_board<U: TileUnit>(
        &self,
        unit: &U,
        tiles: &mut U::Tiles,
        (input, board): (Grid<'_, E>, usize),
        output: &mut [E::Sum],
    ) {
        let Self { weights, offsets } = self;
        let first = input.first(board);
        let reach = offsets.iter().map(|offset| offset.unsigned_abs()).max().unwrap_or_default();
        assert!(
            weights.taps == offsets.len() && weights.inputs == padded(input.width, E::ROW),
            "weights of this layer"
        );
        assert!(first >= reach, "taps before the boards");
        // A tile row may extend into the next position, where it is multiplied by zero weights.
        // Such rows occur where the width is not a multiple of a tile's row, so the end of the boards has to leave room for them.
        let last = first + POSITIONS * input.width + reach + weights.inputs - input.width;
        assert!(last <= input.data.len(), "taps behind the boards");
        assert!(output.len() >= POSITIONS * weights.outputs, "room for a board");
        let stride = input.width * size_of::<E>();
        let sum_stride = weights.outputs * size_of::<E::Sum>();
        // 16 outputs a round, because 32 would need ten tiles of sums. Per tile of weights the round loads five tiles of
        // activations from L1, and the weights from an outer cache once per board. Two boards a round would halve that traffic
        // but, again, not fit.
        for block in 0..weights.outputs / CHANNEL_BLOCK {
            // SAFETY: configured by the caller's promise. By the assertions above, 72 positions at every tap lie within
            // `input`, and 72 rows of sums within `output`; the tiles of weights are as many as the loops count.
            unsafe {
                let rows = |at: *const u8, tile: usize| at.add(tile * ROWS * stride);
                unit.zero::<0>(tiles);
                unit.zero::<1>(tiles);
                unit.zero::<2>(tiles);
                unit.zero::<3>(tiles);
                unit.zero::<HALF_SUMS>(tiles);
                // Five tiles of sums (four of 16 positions and one of 8), two of activations and one of weights use all
                // tiles of the unit, so each tile of weights is loaded once for the whole board.
                let mut packed = weights.data.as_ptr().add(weights.block(block));
                for &offset in offsets {
                    let mut at = input.data.as_ptr().offset(first as isize + offset).cast::<u8>();
                    for _ in 0..weights.inputs / E::ROW {
                        let ahead = packed.wrapping_add(AHEAD * tile_elements::<E>()).cast();
                        unit.load::<WEIGHTS>(tiles, packed.cast(), ROW_BYTES);
                        unit.load::<INPUT>(tiles, rows(at, 0), stride);
                        E::dot::<U, 0, INPUT, WEIGHTS>(unit, tiles);
                        prefetch_quarter::<U, 0>(unit, ahead);
                        unit.load::<INPUT>(tiles, rows(at, 1), stride);
                        E::dot::<U, 1, INPUT, WEIGHTS>(unit, tiles);
                        prefetch_quarter::<U, 1>(unit, ahead);
                        unit.load::<INPUT>(tiles, rows(at, 2), stride);
                        E::dot::<U, 2, INPUT, WEIGHTS>(unit, tiles);
                        prefetch_quarter::<U, 2>(unit, ahead);
                        unit.load::<INPUT>(tiles, rows(at, 3), stride);
                        E::dot::<U, 3, INPUT, WEIGHTS>(unit, tiles);
                        prefetch_quarter::<U, 3>(unit, ahead);
                        unit.load::<HALF_INPUT>(tiles, rows(at, 4), stride);
                        E::dot::<U, HALF_SUMS, HALF_INPUT, WEIGHTS>(unit, tiles);
                        at = at.add(ROW_BYTES);
                        packed = packed.add(tile_elements::<E>());
                    }
                }
                let to = output.as_mut_ptr().add(block * CHANNEL_BLOCK).cast::<u8>();
                unit.store::<0>(tiles, to, sum_stride);
                unit.store::<1>(tiles, to.add(ROWS * sum_stride), sum_stride);
                unit.store::<2>(tiles, to.add(2 * ROWS * sum_stride), sum_stride);
                unit.store::<3>(tiles, to.add(3 * ROWS * sum_stride), sum_stride);
                unit.store::<HALF_SUMS>(tiles, to.add(4 * ROWS * sum_stride), sum_stride);
            }
        }
    }
}

/// Computes a dense layer for 16 boards, `[16][inputs]` to `[16][outputs]`.
///
/// # Safety
/// As [`Taps::convolve_board`].
pub(crate) unsafe fn dense<U: TileUnit, E: TileElement>(
    unit: &U,
    tiles: &mut U::Tiles,
    weights: &TileWeights<E>,
    input: &Flat<E>,
    output: &mut Flat<E::Sum>,
) {
    assert!(weights.taps == 1 && weights.inputs == input.stride, "weights of this layer");
    assert!(input.data.len() >= ROWS * input.stride, "sixteen boards");
    assert!(
        output.stride >= weights.outputs && output.data.len() >= ROWS * output.stride,
        "room for sixteen"
    );
    let stride = input.stride * size_of::<E>();
    let sum_stride = output.stride * size_of::<E::Sum>();
    let blocks = weights.outputs / CHANNEL_BLOCK;
    for first in (0..blocks).step_by(4) {
        let count = (blocks - first).min(4);
        // SAFETY: configured by the caller's promise; by the assertions above, 16 rows of inputs lie within `input` and 16
        // rows of sums within `output`; the tiles of weights are as many as the loops count. If there are fewer than four
        // blocks, the last one is computed in place of the missing ones.
        unsafe {
            let block =
                |number: usize| weights.data.as_ptr().add(weights.block(first + number.min(count - 1)));
            let packed = [block(0), block(1), block(2), block(3)];
            unit.zero::<0>(tiles);
            unit.zero::<1>(tiles);
            unit.zero::<2>(tiles);
            unit.zero::<3>(tiles);
            for tile in 0..weights.tiles() {
                let at = input.data.as_ptr().add(tile * E::ROW).cast::<u8>();
                let step = tile * tile_elements::<E>();
                unit.load::<INPUT>(tiles, at, stride);
                unit.load::<WEIGHTS>(tiles, packed[0].add(step).cast(), ROW_BYTES);
                E::dot::<U, 0, INPUT, WEIGHTS>(unit, tiles);
                unit.load::<WEIGHTS>(tiles, packed[1].add(step).cast(), ROW_BYTES);
                E::dot::<U, 1, INPUT, WEIGHTS>(unit, tiles);
                unit.load::<WEIGHTS>(tiles, packed[2].add(step).cast(), ROW_BYTES);
                E::dot::<U, 2, INPUT, WEIGHTS>(unit, tiles);
                unit.load::<WEIGHTS>(tiles, packed[3].add(step).cast(), ROW_BYTES);
                E::dot::<U, 3, INPUT, WEIGHTS>(unit, tiles);
            }
            let to = |number: usize| (first + number.min(count - 1)) * CHANNEL_BLOCK;
            let output = output.data.as_mut_ptr();
            unit.store::<0>(tiles, output.add(to(0)).cast(), sum_stride);
            unit.store::<1>(tiles, output.add(to(1)).cast(), sum_stride);
            unit.store::<2>(tiles, output.add(to(2)).cast(), sum_stride);
            unit.store::<3>(tiles, output.add(to(3)).cast(), sum_stride);
        }
    }
}
