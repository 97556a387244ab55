//! Convolutions and dense layers as programs of a tile unit.
//!
//! The speedups from the stem and from four vectors at a time are in `docs/experiments/inference-kernel-changes.md`.

use std::ops::Range;

use super::{HALF_INPUT, HALF_SUMS, INPUT, ROW_BYTES, ROWS, TileElement, TileUnit, WEIGHTS};
use crate::{
    aligned::Aligned,
    gemm::Matrix,
    layout::{BOARD, CHANNEL_BLOCK, Flat, Grid, POSITIONS, padded, tap_offsets},
};

/// Packed weights: for each 16 outputs `[input rows][taps][16 groups][16 outputs][group]`, one tile after another. All taps of some
/// inputs follow each other, so that a board's values of these inputs come from L1 for all taps but the first.
pub(crate) struct TileWeights<E: TileElement> {
    taps: usize,
    /// Number of inputs, a multiple of a tile's row.
    inputs: usize,
    /// Number of outputs, a multiple of 16.
    pub(crate) outputs: usize,
    data: Aligned<E::Weight>,
}

impl<E: TileElement> TileWeights<E> {
    pub(crate) fn new(matrix: &Matrix<'_>) -> Self {
        let mut packed = Self::zeros([matrix.taps, matrix.inputs, matrix.outputs]);
        let Self { inputs, outputs, ref mut data, .. } = packed;
        let mut at = 0;
        for first in (0..outputs).step_by(CHANNEL_BLOCK) {
            let tiles =
                (0..inputs).step_by(E::ROW).flat_map(|row| (0..matrix.taps).map(move |tap| (row, tap)));
            for (row, tap) in tiles {
                for group in (row..row + E::ROW).step_by(E::GROUP) {
                    for output in first..first + CHANNEL_BLOCK {
                        for input in group..group + E::GROUP {
                            data[at] = E::weight(matrix.weight(tap, input, output));
                            at += 1;
                        }
                    }
                }
            }
        }
        packed
    }

    /// Zeros for taps, inputs and outputs.
    fn zeros([taps, inputs, outputs]: [usize; 3]) -> Self {
        let (inputs, outputs) = (padded(inputs, E::ROW), padded(outputs, CHANNEL_BLOCK));
        Self { taps, inputs, outputs, data: Aligned::filled(taps * inputs * outputs, E::no_weight()) }
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

/// Bytes of weights that stay in L2 from one board to the next, with the activations; small in tests, so that they meet wide layers.
const KEPT: usize = if cfg!(test) { 1 << 14 } else { 1 << 20 };
/// The largest number of boards that are convolved together.
pub(crate) const TOGETHER: usize = 4;

/// Packed weights of a convolution, and the offsets of the neighbouring squares.
pub(crate) struct Taps<E: TileElement> {
    pub(crate) weights: TileWeights<E>,
    offsets: Vec<isize>,
}

impl<E: TileElement> Taps<E> {
    /// Packs a convolution with 1 or 9 taps for inputs that take `width` elements in memory.
    pub(crate) fn new(matrix: &Matrix<'_>, width: usize) -> Self {
        Self::of(TileWeights::new(matrix), width)
    }

    /// Zeros for taps, inputs, which take `width` elements in memory, and outputs.
    pub(crate) fn zeros(sizes: [usize; 3], width: usize) -> Self {
        Self::of(TileWeights::zeros(sizes), width)
    }

    fn of(weights: TileWeights<E>, width: usize) -> Self {
        let kernel = if weights.taps == 1 { 1 } else { 3 };
        Self { weights, offsets: tap_offsets(kernel, width) }
    }

    /// The packed weights, in the order of [`TileWeights`].
    pub(crate) fn packed_mut(&mut self) -> &mut [E::Weight] {
        &mut self.weights.data
    }

    /// The number of boards to convolve together: with wide layers, 16 outputs of several boards follow each other, so that their
    /// weights come from an outer cache once for all of them.
    pub(crate) fn boards_together(&self) -> usize {
        if self.weights.data.len() * size_of::<E::Weight>() > KEPT { TOGETHER } else { 1 }
    }

    /// Computes the sums of some boards, `[boards][72 positions][outputs]`.
    ///
    /// # Safety
    /// This thread's tiles are configured as [`super::TileConfig::BOARD`]: the number of rows that are read and written comes
    /// from the configuration.
    pub(crate) unsafe fn convolve<U: TileUnit>(
        &self,
        unit: &U,
        tiles: &mut U::Tiles,
        (input, boards): (Grid<'_, E>, Range<usize>),
        output: &mut [E::Sum],
    ) {
        let Self { weights, offsets } = self;
        let first = input.first(boards.start);
        let reach = offsets.iter().map(|offset| offset.unsigned_abs()).max().unwrap_or_default();
        assert!(
            weights.taps == offsets.len() && weights.inputs <= padded(input.width, E::ROW),
            "weights of this layer"
        );
        assert!(first >= reach, "taps before the boards");
        // A tile row may extend into the next position, where it is multiplied by zero weights.
        // Such rows occur where the width is not a multiple of a tile's row, so the end of the boards has to leave room for them.
        let last = input.first(boards.end) - (BOARD - POSITIONS) * input.width;
        assert!(
            last + reach + weights.inputs.saturating_sub(input.width) <= input.data.len(),
            "taps behind the boards"
        );
        assert!(output.len() >= boards.len() * POSITIONS * weights.outputs, "room for the boards");
        let stride = input.width * size_of::<E>();
        let sum_stride = weights.outputs * size_of::<E::Sum>();
        // 16 outputs a round, because 32 would need ten tiles of sums. Per tile of weights the round loads five tiles of
        // activations from L1, and the weights from an outer cache. Two boards a round would halve that traffic but, again, not
        // fit.
        let blocks = weights.outputs / CHANNEL_BLOCK;
        for (block, board) in (0..blocks).flat_map(|block| boards.clone().map(move |board| (block, board))) {
            let first = input.first(board);
            // SAFETY: configured by the caller's promise. By the assertions above, 72 positions of every board at every tap lie
            // within `input`, and 72 rows of sums within `output`; the tiles of weights are as many as the loops count.
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
                for row in 0..weights.inputs / E::ROW {
                    let square = input.data.as_ptr().add(first + row * E::ROW);
                    for &offset in offsets {
                        let at = square.offset(offset).cast::<u8>();
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
                        packed = packed.add(tile_elements::<E>());
                    }
                }
                let row = (board - boards.start) * POSITIONS;
                let to = output.as_mut_ptr().add(row * weights.outputs + block * CHANNEL_BLOCK).cast::<u8>();
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
/// As [`Taps::convolve`].
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
