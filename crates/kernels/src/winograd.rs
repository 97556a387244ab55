//! Winograd's minimal filtering F(4x4, 3x3) (Lavin & Gray 2016, arXiv:1509.09308): sixteen outputs of a 3x3 convolution for
//! 36 multiplications instead of 144. A board is exactly four such tiles of 4x4 squares.
//!
//! The outputs are y = A^T [(G g G^T) . (B^T d B)] A, where d is the 6x6 input of a tile and g the filter. The matrices
//! belong to the interpolation points 0, +-[`A`], +-[`B`] and infinity; for point p the rows are
//! - of A: p^0 .. p^3,
//! - of G: (1, p, p^2) / product of (p - q) over the other finite points q,
//! - of B^T: the coefficients of the product of (x - q) over the other finite points; for infinity, over all of them.
//!
//! The points 5/8 and 3/2 give smaller rounding errors than the usual 1 and 2: entries of A stay below 3.4 instead of 8 and those
//! of B^T below 2.7 instead of 5, so there is less to cancel in the sums. Both points, their squares and the products of those
//! are exact in binary, so the coefficients of A and B^T carry no error of their own; only the norms of G do, and the filters of
//! play are transformed in double precision and rounded once. Against direct convolution, results differ in the sixth digit.
//!
//! # Layout
//!
//! ```text
//! board of 8x8 squares             product (r, f) of the 36, a matrix for a GEMM
//! +----+----+                      row 4 b + 0    tile 0 of board b, all channels
//! | t2 | t3 |                      row 4 b + 1    tile 1
//! +----+----+                      ...
//! | t0 | t1 |                      product p begins at p x product_stride
//! +----+----+
//! ```
//!
//! A tile reads 6x6 squares, one beyond its results on every side, so neighbouring tiles overlap by two. A lane of a vector is a
//! channel: the transforms combine whole vectors of different squares and never move numbers between lanes.
//!
//! [`Squares`] describes both memory formats, boards with zeros around them and the maps of lists of layers without. Where a tile
//! leaves the map, `transform_part` takes over with tests per rank and file; the other tiles stay free of branches.
//!
//! What must change together: the five `Line` implementations are the matrices A, A^T, B^T, G and G^T of the same points, and
//! `FILTER_NORMS` are the divisors of G.

mod backward;
mod filters;
mod transform;

pub(crate) use backward::{TransformFilterGradient, TransformGradient};
pub(crate) use filters::pack_filters;

use self::transform::{Line, Part, Square, transform, transform_part};
use crate::{
    gemm::Matrix,
    layout::RANK,
    simd::{Kernel, Simd},
};

const A: f32 = 0.625;
const B: f32 = 1.5;
const A2: f32 = A * A;
const B2: f32 = B * B;

/// Number of products per tile: 6 x 6.
pub(crate) const PRODUCTS: usize = 36;
pub(crate) const TILES: usize = 4;
/// Floats of padding between the products of a transform. Without them the stride is often a power of two (8 boards of 64
/// channels: 8 KB), and the 36 loads or stores of one transform fall into the same set of the L1 cache, which holds 8 or 12
/// lines. A stride longer by one cache line moves each product to the next set.
pub(crate) const STAGGER: usize = 16;

/// Divisors of the rows of G for the points 0, +-[`A`] and +-[`B`].
const FILTER_NORMS: [f64; 3] = {
    let (a2, b2) = (A2 as f64, B2 as f64);
    [a2 * b2, 2.0 * a2 * (a2 - b2), 2.0 * b2 * (b2 - a2)]
};
/// The reciprocals, as constants by which vectors are multiplied.
const FILTER_FACTORS: [f32; 3] = {
    let [zero, a, b] = FILTER_NORMS;
    [(1.0 / zero) as f32, (1.0 / a) as f32, (1.0 / b) as f32]
};

/// The rows of G applied to a 3-tap filter, for the six points.
fn filter(taps: [f64; 3]) -> [f64; 6] {
    let [g0, g1, g2] = taps;
    let (a, b) = (f64::from(A), f64::from(B));
    let at = |p: f64, norm: f64| (g0 + g1 * p + g2 * p * p) / norm;
    let [zero, norm_a, norm_b] = FILTER_NORMS;
    [at(0.0, zero), at(a, norm_a), at(-a, norm_a), at(b, norm_b), at(-b, norm_b), g2]
}

/// The transformed filters of a 3x3 convolution: one `[inputs][outputs]` matrix for each product.
pub(crate) fn transform_weights(matrix: &Matrix<'_>) -> Vec<Vec<f32>> {
    let size = matrix.inputs * matrix.outputs;
    let mut transformed = vec![vec![0.0; size]; PRODUCTS];
    for at in 0..size {
        // One weight of each of the nine taps.
        let tap = |row: usize, column: usize| f64::from(matrix.weights[(row * 3 + column) * size + at]);
        // G g G^T: along the ranks for each file, then along the files.
        let columns = [0, 1, 2].map(|column| filter([0, 1, 2].map(|row| tap(row, column))));
        for row in 0..6 {
            let line = filter([columns[0][row], columns[1][row], columns[2][row]]);
            for (column, value) in line.into_iter().enumerate() {
                transformed[row * 6 + column][at] = value as f32;
            }
        }
    }
    transformed
}

/// B^T, the transform of the input.
struct InputLine;

impl Line<6, 6> for InputLine {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, d: [S::Floats; 6]) -> [S::Floats; 6] {
        let [product, sum] = [simd.splat(A2 * B2), simd.splat(A2 + B2)];
        let (a, b, a2, b2) = (simd.splat(A), simd.splat(B), simd.splat(A2), simd.splat(B2));
        let even_a = simd.fnma(b2, d[2], d[4]);
        let odd_a = simd.fnma(b2, d[1], d[3]);
        let even_b = simd.fnma(a2, d[2], d[4]);
        let odd_b = simd.fnma(a2, d[1], d[3]);
        [
            simd.fma(product, d[0], simd.fnma(sum, d[2], d[4])),
            simd.fma(a, odd_a, even_a),
            simd.fnma(a, odd_a, even_a),
            simd.fma(b, odd_b, even_b),
            simd.fnma(b, odd_b, even_b),
            simd.fma(product, d[1], simd.fnma(sum, d[3], d[5])),
        ]
    }
}

/// A^T, the transform of the products.
struct OutputLine;

impl Line<6, 4> for OutputLine {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, m: [S::Floats; 6]) -> [S::Floats; 4] {
        let (sum_a, difference_a) = (simd.add(m[1], m[2]), simd.sub(m[1], m[2]));
        let (sum_b, difference_b) = (simd.add(m[3], m[4]), simd.sub(m[3], m[4]));
        [
            simd.add(m[0], simd.add(sum_a, sum_b)),
            weighed(simd, (A, difference_a), (B, difference_b)),
            weighed(simd, (A2, sum_a), (B2, sum_b)),
            simd.add(m[5], weighed(simd, (A * A2, difference_a), (B * B2, difference_b))),
        ]
    }
}

/// The weighted sum of two vectors.
#[inline(always)]
fn weighed<S: Simd>(simd: S, a: (f32, S::Floats), b: (f32, S::Floats)) -> S::Floats {
    simd.fma(simd.splat(a.0), a.1, simd.mul(simd.splat(b.0), b.1))
}

/// Memory layout of the squares of a board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Squares {
    /// Index of the first value of the first stored square.
    first: usize,
    /// Floats from one rank to the next.
    rank: usize,
    /// Floats from one file to the next, which is the width of a square.
    pub(crate) width: usize,
    /// The stored ranks and files: a half-open range, counted from the board's first; -1 and 8 are those around the
    /// board.
    there: (isize, isize),
}

impl Squares {
    /// A board of [`crate::layout::Boards`] whose first square is at index `first`, with zeros around it.
    pub(crate) fn of_board(first: usize, width: usize) -> Self {
        let margin = (RANK + 1) * width;
        assert!(first >= margin, "no margin before the board");
        Self { first: first - margin, rank: RANK * width, width, there: (-1, 9) }
    }

    /// Only the positions of a board, one after another.
    pub(crate) fn of_positions(width: usize) -> Self {
        Self { first: 0, rank: RANK * width, width, there: (0, 8) }
    }

    /// A map of `side` x `side` squares in the middle of a board, without padding between or around them.
    pub(crate) fn of_map(first: usize, side: usize, width: usize) -> Self {
        let cut = (8 - side) as isize / 2;
        Self { first, rank: side * width, width, there: (cut, cut + side as isize) }
    }

    /// The tile of `SIZE` x `SIZE` squares starting at a rank and a file; `None` if some of them are not stored.
    fn square<const SIZE: usize>(&self, (rank, file): (isize, isize)) -> Option<Square> {
        let (from, to) = self.there;
        let is_there = |line: isize| line >= from && line + SIZE as isize <= to;
        let at = |line: isize| (line - from) as usize;
        (is_there(rank) && is_there(file)).then(|| Square {
            start: self.first + at(rank) * self.rank + at(file) * self.width,
            ranks: self.rank,
            files: self.width,
        })
    }

    /// The part of a `SIZE` x `SIZE` tile that is stored.
    fn part<const SIZE: usize>(&self, (rank, file): (isize, isize)) -> Part<SIZE> {
        let (from, to) = self.there;
        let at = |line: isize| (from..to).contains(&line).then_some((line - from) as usize);
        Part {
            ranks: std::array::from_fn(|step| {
                at(rank + step as isize).map(|rank| self.first + rank * self.rank)
            }),
            files: std::array::from_fn(|step| at(file + step as isize).map(|file| file * self.width)),
        }
    }
}

/// The first rank and file of a tile's 4x4 results.
fn corner(tile: usize) -> (isize, isize) {
    ((tile / 2 * 4) as isize, (tile % 2 * 4) as isize)
}

/// Transforms the squares of a board into rows of the products.
#[inline(always)]
fn to_products<L: Line<SIZE, 6>, S: Simd, const SIZE: usize>(
    simd: S,
    (input, squares, corner): (&[f32], Squares, (isize, isize)),
    (output, row, product_stride): (&mut [f32], usize, usize),
) {
    let width = squares.width;
    assert!(width.is_multiple_of(S::LANES), "whole vectors");
    let Some(from) = squares.square::<SIZE>(corner) else {
        let to = Square::of_products(row * width, product_stride).whole();
        return transform_part::<L, _, SIZE, 6>(simd, width, (input, &squares.part(corner)), (output, &to));
    };
    for channel in (0..width).step_by(S::LANES) {
        let from = Square { start: from.start + channel, ..from };
        let to = Square::of_products(row * width + channel, product_stride);
        transform::<L, _, SIZE, 6>(simd, (input, from), (output, to));
    }
}

/// Transforms the tiles of one board: `d` to `B^T d B`.
pub(crate) struct TransformInput<'a> {
    pub(crate) input: &'a [f32],
    /// Layout of the board; squares that are not stored read as zero.
    pub(crate) squares: Squares,
    /// `[36][..]`: for each product, a row for each tile, of the width of a square.
    pub(crate) output: &'a mut [f32],
    /// The first of the board's four rows in each product.
    pub(crate) row: usize,
    /// Floats from one product to the next.
    pub(crate) product_stride: usize,
}

impl<S: Simd> Kernel<S> for TransformInput<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, squares, output, row, product_stride } = self;
        for tile in 0..TILES {
            // A tile begins one square before its results in both directions.
            let (rank, file) = corner(tile);
            let from = (input, squares, (rank - 1, file - 1));
            to_products::<InputLine, _, 6>(simd, from, (&mut *output, row + tile, product_stride));
        }
    }
}

/// Transforms the products of one board's tiles back: `m` to `A^T m A`.
pub(crate) struct TransformOutput<'a> {
    /// `[36][..]`: for each product, a row for each tile, of the width of a square.
    pub(crate) input: &'a [f32],
    /// The first of the board's four rows in each product.
    pub(crate) row: usize,
    /// Floats from one product to the next.
    pub(crate) product_stride: usize,
    /// Squares that are not stored are left unchanged.
    pub(crate) output: &'a mut [f32],
    /// Layout of the board; squares that are not stored are skipped.
    pub(crate) squares: Squares,
}

impl<S: Simd> Kernel<S> for TransformOutput<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, row, product_stride, output, squares } = self;
        let width = squares.width;
        assert!(width.is_multiple_of(S::LANES), "whole vectors");
        for tile in 0..TILES {
            let start = (row + tile) * width;
            let Some(to) = squares.square::<4>(corner(tile)) else {
                let from = Square::of_products(start, product_stride).whole();
                let to = squares.part(corner(tile));
                transform_part::<OutputLine, _, 6, 4>(simd, width, (input, &from), (&mut *output, &to));
                continue;
            };
            for channel in (0..width).step_by(S::LANES) {
                let from = Square::of_products(start + channel, product_stride);
                let to = Square { start: to.start + channel, ..to };
                transform::<OutputLine, _, 6, 4>(simd, (input, from), (&mut *output, to));
            }
        }
    }
}
