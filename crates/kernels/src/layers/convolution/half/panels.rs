//! Products of matrices of any size with 16-bit operands: packing into tiles, and the loop over blocks of sums.
//!
//! Both operands are packed, because the unit of a tile wants the inner dimension of the right one in pairs and because a matrix
//! may have to be transposed. A tile has 16 rows or columns of the operand and 32 numbers of the inner dimension; the tiles of a
//! panel follow each other along the inner dimension:
//!
//! ```text
//! left    [rows / 16]   [inner / 32][16 rows][32]
//! right   [columns / 16][inner / 32][16 pairs][16 columns][2]
//! ```
//!
//! The two are transposes of each other in units of a pair, so one transposition of 16 x 16 words of 32 bits serves every
//! combination of operand and order in memory.
//!
//! A block of 32 x 32 sums sees the inner dimension in ascending order, in parts that depend on shapes and the batch only: how the
//! rows are divided among threads changes no sum.

use crate::{
    aligned::Aligned,
    gradient::Start,
    layers::workers::Workers,
    simd::{GradientLanes, Kernel, Lanes, element::Bf16},
};

/// Rows or columns of an operand in a tile.
pub(super) const SIDE: usize = 16;
/// Numbers of the inner dimension in a tile.
pub(super) const DEPTH: usize = 32;
/// Elements of a tile.
pub(super) const TILE: usize = SIDE * DEPTH;
/// Rows and columns of a block of sums: two panels of each operand.
pub(super) const BLOCK: usize = 2 * SIDE;

/// Elements of a right operand that stay in L2, or close to it, while rows pass; few in tests, so that they meet large operands.
const KEPT: usize = if cfg!(test) { 1 << 16 } else { 1 << 20 };

/// An operand's place in the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// The dimension of an operand along which a row of it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    /// The dimension over which the product sums.
    Inner,
    /// The rows of the left operand or the columns of the right one.
    Outer,
}

/// An operand in memory: rows at a stride.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand<'a> {
    pub(super) values: &'a [f32],
    pub(super) stride: usize,
    pub(super) along: Along,
    /// Rows of the left operand or columns of the right one.
    pub(super) outer: usize,
    pub(super) inner: usize,
}

/// Elements of a panel with this inner dimension.
fn panel(inner: usize) -> usize {
    inner.div_ceil(DEPTH) * TILE
}

impl Operand<'_> {
    /// Number of tiles in a panel.
    fn steps(&self) -> usize {
        self.inner.div_ceil(DEPTH)
    }

    /// Elements of a panel.
    pub(super) fn panel(&self) -> usize {
        panel(self.inner)
    }

    /// Elements of all panels, of which there are an even number.
    pub(super) fn packed_len(&self) -> usize {
        self.outer.div_ceil(BLOCK) * 2 * self.panel()
    }
}

/// A right operand, packed because it is used more than once.
#[derive(Default)]
pub(super) struct Panels {
    tiles: Option<Aligned<Bf16>>,
    /// Its inner dimension.
    pub(super) inner: usize,
}

impl Panels {
    /// Packs an operand in place of the one before it.
    pub(super) fn set<S: GradientLanes<Bf16> + GradientLanes<f32>>(
        &mut self,
        workers: Workers<S>,
        operand: Operand<'_>,
    ) {
        let len = operand.packed_len();
        self.inner = operand.inner;
        let tiles = match &mut self.tiles {
            Some(tiles) if tiles.len() == len => tiles,
            other => other.insert(Aligned::filled(len, Bf16::default())),
        };
        // Several tasks a thread, and panels that lie next to each other in memory.
        let panels = (len / operand.panel()).div_ceil(4 * workers.threads());
        let tasks = tiles.chunks_mut(panels * operand.panel()).enumerate().collect();
        workers.each(tasks, |(task, tiles): (usize, &mut [Bf16])| {
            let (side, first, panel) = (Side::Right, task * panels, operand.panel());
            workers.simd.run(Pack { operand, side, first, panel, tile: TILE, tiles });
        });
    }

    /// Elements of a panel.
    pub(super) fn panel(&self) -> usize {
        panel(self.inner)
    }

    pub(super) fn tiles(&self) -> &[Bf16] {
        self.tiles.as_ref().expect(crate::layers::PACKED)
    }
}

/// Rounds some panels of an operand into tiles; what is beyond its end becomes zero.
pub(super) struct Pack<'a> {
    pub(super) operand: Operand<'a>,
    pub(super) side: Side,
    /// The first panel.
    pub(super) first: usize,
    /// Elements from one panel to the next, and from one tile of a panel to the next.
    pub(super) panel: usize,
    pub(super) tile: usize,
    pub(super) tiles: &'a mut [Bf16],
}

/// A tile on the stack, aligned to cache lines.
#[repr(align(64))]
struct Scratch<T>([T; TILE]);

impl<S: GradientLanes<Bf16>> Kernel<S> for Pack<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { operand, side, first, panel: panel_stride, tile: tile_stride, tiles } = self;
        let Operand { values, stride, along, outer, inner } = operand;
        let steps = operand.steps();
        let panels = tiles.len().div_ceil(panel_stride);
        // Rows and columns of a tile in memory.
        let (rows, columns) = match along {
            Along::Inner => (SIDE, DEPTH),
            Along::Outer => (DEPTH, SIDE),
        };
        let is_transposed = (side == Side::Left) == (along == Along::Outer);
        let mut edge = Scratch([0.0; TILE]);
        let mut rounded = Scratch([Bf16::default(); TILE]);
        for number in 0..panels * steps {
            // Neighbours in memory follow each other.
            let (panel, step) = match along {
                Along::Inner => (number / steps, number % steps),
                Along::Outer => (number % panels, number / panels),
            };
            let (at_outer, at_inner) = ((first + panel) * SIDE, step * DEPTH);
            let (row, column, height, width) = match along {
                Along::Inner => (at_outer, at_inner, outer, inner),
                Along::Outer => (at_inner, at_outer, inner, outer),
            };
            let live = [rows.min(height.saturating_sub(row)), columns.min(width.saturating_sub(column))];
            let (from, from_stride) = if live == [rows, columns] {
                (&values[row * stride + column..][..(rows - 1) * stride + columns], stride)
            } else {
                edge.0.fill(0.0);
                // The last panel may lie beyond the operand.
                let lines = if live[1] == 0 { 0 } else { live[0] };
                for line in 0..lines {
                    let from = &values[(row + line) * stride + column..][..live[1]];
                    edge.0[line * columns..][..live[1]].copy_from_slice(from);
                }
                (&edge.0[..], columns)
            };
            let tile = &mut tiles[panel * panel_stride + step * tile_stride..][..TILE];
            let to = if is_transposed { &mut rounded.0[..] } else { &mut *tile };
            match along {
                Along::Inner => round_rows(simd, (from, from_stride), to),
                Along::Outer => round_pairs(simd, (from, from_stride), to),
            }
            if is_transposed {
                // SAFETY: both tiles are 16 rows of 16 words, and moving a word as a float keeps its bits.
                unsafe {
                    simd.transpose_block(rounded.0.as_ptr().cast(), SIDE, tile.as_mut_ptr().cast(), SIDE);
                }
            }
        }
    }
}

/// Rounds 16 rows of 32 numbers, `[16][32]`.
#[inline(always)]
fn round_rows<S: Lanes<Bf16>>(simd: S, (from, stride): (&[f32], usize), to: &mut [Bf16]) {
    assert!(from.len() >= (SIDE - 1) * stride + DEPTH && to.len() == TILE, "a whole tile");
    for row in 0..SIDE {
        for column in (0..DEPTH).step_by(S::LANES) {
            // SAFETY: by the assertion, 32 numbers of each row are in `from`, and `to` has room for 16 x 32.
            unsafe {
                let values = simd.load(from.as_ptr().add(row * stride + column));
                simd.store_elements(to.as_mut_ptr().add(row * DEPTH + column), values);
            }
        }
    }
}

/// Rounds 32 rows of 16 numbers and interleaves each two of them, `[16][16][2]`.
#[inline(always)]
fn round_pairs<S: GradientLanes<Bf16>>(simd: S, (from, stride): (&[f32], usize), to: &mut [Bf16]) {
    assert!(from.len() >= (DEPTH - 1) * stride + SIDE && to.len() == TILE, "a whole tile");
    let mut pair = [Bf16::default(); 2 * SIDE];
    for row in 0..SIDE {
        for column in (0..SIDE).step_by(S::LANES) {
            // SAFETY: by the assertion, 16 numbers of each row are in `from`, and `to` has room for 16 x 32; `pair` holds
            // two rows of 16.
            unsafe {
                for line in 0..2 {
                    let values = simd.load(from.as_ptr().add((2 * row + line) * stride + column));
                    simd.store_elements(pair.as_mut_ptr().add(line * SIDE + column), values);
                }
                let to = to.as_mut_ptr().add(row * DEPTH + 2 * column);
                simd.interleave(pair.as_ptr().add(column), SIDE, to);
            }
        }
    }
}

/// A product of packed operands, or of a part of their inner dimension.
pub(super) struct Product<'a> {
    pub(super) left: &'a [Bf16],
    /// The right operand from the part's first tile on.
    pub(super) right: &'a [Bf16],
    /// Elements from one panel of the right operand to the next.
    pub(super) right_panel: usize,
    pub(super) inner: usize,
    /// Rows of `columns` sums.
    pub(super) output: &'a mut [f32],
    pub(super) columns: usize,
    pub(super) start: Start,
}

/// The operands of 32 x 32 sums: two panels each, of `[steps][TILE]`.
pub(super) struct Block<'a> {
    pub(super) left: [&'a [Bf16]; 2],
    pub(super) right: [&'a [Bf16]; 2],
    /// At least 32 rows of 32 sums at the stride.
    pub(super) sums: &'a mut [f32],
    pub(super) stride: usize,
    pub(super) start: Start,
}

impl Block<'_> {
    /// Number of tiles in each panel.
    ///
    /// # Panics
    /// If the panels differ in length, or the block of sums has no room.
    pub(super) fn tiles(&self) -> usize {
        let Self { left, right, sums, stride, .. } = self;
        let len = left[0].len();
        assert!(left.iter().chain(right).all(|panel| panel.len() == len), "panels of one product");
        assert!(sums.len() >= (BLOCK - 1) * stride + BLOCK, "room for a block");
        len / TILE
    }
}

impl Product<'_> {
    /// Calls `multiply` with each block of sums. Sums beyond the last row or column are computed and dropped.
    pub(super) fn blocks(self, mut multiply: impl FnMut(Block<'_>)) {
        let Self { left, right, right_panel, inner, output, columns, start } = self;
        let (rows, stride) = (output.len() / columns, columns);
        let panel = panel(inner);
        let mut edge = [0.0; BLOCK * BLOCK];
        let mut block = |row: usize, column: usize| {
            let left = pair(left, [panel, panel], row);
            let right = pair(right, [right_panel, panel], column);
            let [height, width] = [BLOCK.min(rows - row), BLOCK.min(columns - column)];
            let output = &mut output[row * stride + column..];
            if [height, width] == [BLOCK, BLOCK] {
                return multiply(Block { left, right, sums: output, stride, start });
            }
            if start == Start::Continued {
                for (sums, edge) in output.chunks(stride).zip(edge.chunks_exact_mut(BLOCK)).take(height) {
                    edge[..width].copy_from_slice(&sums[..width]);
                }
            }
            multiply(Block { left, right, sums: &mut edge, stride: BLOCK, start });
            for (to, sums) in output.chunks_mut(stride).zip(edge.chunks_exact(BLOCK)).take(height) {
                to[..width].copy_from_slice(&sums[..width]);
            }
        };
        let (all_rows, all_columns) = ((0..rows).step_by(BLOCK), (0..columns).step_by(BLOCK));
        if columns * inner <= KEPT {
            // Along the rows of sums, whose pages and lines are then written one after another.
            all_rows.for_each(|row| all_columns.clone().for_each(|column| block(row, column)));
        } else {
            // Two panels of the right operand stay in the cache while the rows pass.
            all_columns.for_each(|column| all_rows.clone().for_each(|row| block(row, column)));
        }
    }
}

/// The two panels of a length, at a stride, that begin with a row or column.
fn pair(tiles: &[Bf16], [stride, length]: [usize; 2], first: usize) -> [&[Bf16]; 2] {
    let at = first / SIDE * stride;
    [&tiles[at..][..length], &tiles[at + stride..][..length]]
}

/// Multiplies a block on vectors.
impl<S: GradientLanes<Bf16>> Kernel<S> for Block<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        // Eight rows of two panels are 16 sums, which fit the registers of AVX-512 with two vectors of the right operand.
        const ROWS: usize = 8;
        let tiles = self.tiles();
        let Self { left, right, sums, stride, start } = self;
        for row in (0..BLOCK).step_by(ROWS) {
            for column in (0..SIDE).step_by(S::LANES) {
                let mut block = [[simd.no_sums(); 2]; ROWS];
                // SAFETY: all panels have the same whole number of tiles, of which the loops read every element once; there
                // is room for the sums.
                unsafe {
                    let to = sums.as_mut_ptr().add(row * stride + column);
                    if start == Start::Continued {
                        for (number, sums) in block.iter_mut().enumerate() {
                            let to = to.add(number * stride);
                            *sums = [simd.load(to), simd.load(to.add(SIDE))];
                        }
                    }
                    let mut left = left[row / SIDE].as_ptr().add(row % SIDE * DEPTH);
                    let mut right = right.map(|panel| panel.as_ptr().add(2 * column));
                    for _ in 0..tiles {
                        for pair in 0..SIDE {
                            let vectors = [
                                simd.load_weights(right[0].add(pair * DEPTH)),
                                simd.load_weights(right[1].add(pair * DEPTH)),
                            ];
                            for (row, sums) in block.iter_mut().enumerate() {
                                let pair = left.add(row * DEPTH + 2 * pair);
                                sums[0] = simd.dot(sums[0], pair, vectors[0]);
                                sums[1] = simd.dot(sums[1], pair, vectors[1]);
                            }
                        }
                        // Wrapping, because the pointers may end beyond the panels, where nothing is read.
                        left = left.wrapping_add(TILE);
                        right = [right[0].wrapping_add(TILE), right[1].wrapping_add(TILE)];
                    }
                    for (number, sums) in block.into_iter().enumerate() {
                        let to = to.add(number * stride);
                        simd.store_sums(to, sums[0]);
                        simd.store_sums(to.add(SIDE), sums[1]);
                    }
                }
            }
        }
    }
}
