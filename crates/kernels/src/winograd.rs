//! Winograd's minimal filtering F(4x4, 3x3) (Lavin & Gray 2016, arXiv:1509.09308): sixteen outputs of a 3x3 convolution for
//! 36 multiplications instead of 144. A board is exactly four such tiles of 4x4 squares.
//!
//! With y = A^T [(G g G^T) . (B^T d B)] A, where d is the 6x6 input of a tile and g the filter. The matrices belong to the
//! interpolation points 0, +-[`A`], +-[`B`] and infinity; for point p the rows are
//! - of A: p^0 .. p^3,
//! - of G: (1, p, p^2) / product of (p - q) over the other finite points q,
//! - of B^T: the coefficients of the product of (x - q) over the other finite points; for infinity, over all of them.
//!
//! The points 5/8 and 3/2 round less than the usual 1 and 2.

mod backward;
mod filters;
mod transform;

pub(crate) use backward::{TransformFilterGradient, TransformGradient};
pub(crate) use filters::TransformFilters;

use self::transform::{Line, Square, transform};
use crate::{
    layout::RANK,
    product::Matrix,
    simd::{Kernel, Simd},
};

const A: f32 = 0.625;
const B: f32 = 1.5;
const A2: f32 = A * A;
const B2: f32 = B * B;

/// Products of a tile: 6 x 6.
pub(crate) const PRODUCTS: usize = 36;
/// Tiles of a board.
pub(crate) const TILES: usize = 4;

/// What the rows of G are divided by for the points 0, +-[`A`] and +-[`B`].
#[inline(always)]
fn filter_norms() -> [f64; 3] {
    let (a2, b2) = (f64::from(A2), f64::from(B2));
    [a2 * b2, 2.0 * a2 * (a2 - b2), 2.0 * b2 * (b2 - a2)]
}

/// Rows of G: a 3-tap filter at the six points.
fn filter(taps: [f64; 3]) -> [f64; 6] {
    let [g0, g1, g2] = taps;
    let (a, b) = (f64::from(A), f64::from(B));
    let at = |p: f64, norm: f64| (g0 + g1 * p + g2 * p * p) / norm;
    let [zero, norm_a, norm_b] = filter_norms();
    [at(0.0, zero), at(a, norm_a), at(-a, norm_a), at(b, norm_b), at(-b, norm_b), g2]
}

/// The filters of a 3x3 convolution, transformed: one `[inputs][outputs]` matrix for each product.
pub(crate) fn transform_weights(matrix: &Matrix<'_>) -> Vec<Vec<f32>> {
    let size = matrix.inputs * matrix.outputs;
    let mut transformed = vec![vec![0.0; size]; PRODUCTS];
    for at in 0..size {
        // One weight of each of the nine taps.
        let tap = |row: usize, column: usize| f64::from(matrix.weights[(row * 3 + column) * size + at]);
        // G g: along the ranks for each file, then along the files.
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

/// B^T.
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

/// A^T.
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

/// The sum of two vectors, each times a number.
#[inline(always)]
fn weighed<S: Simd>(simd: S, a: (f32, S::Floats), b: (f32, S::Floats)) -> S::Floats {
    simd.fma(simd.splat(a.0), a.1, simd.mul(simd.splat(b.0), b.1))
}

/// The first position of a tile's 4x4 results.
fn corner(tile: usize) -> usize {
    tile / 2 * 4 * RANK + tile % 2 * 4
}

/// The tiles of one board, transformed: `d` to `B^T d B`.
pub(crate) struct TransformInput<'a> {
    pub(crate) input: &'a [f32],
    /// Where the board's first square begins.
    pub(crate) first: usize,
    /// Numbers at each position.
    pub(crate) width: usize,
    /// `[36][..]`: for each product, a row of `width` numbers for each tile.
    pub(crate) output: &'a mut [f32],
    /// The first of the board's four rows in each product.
    pub(crate) row: usize,
    /// From one product to the next.
    pub(crate) product_stride: usize,
}

impl<S: Simd> Kernel<S> for TransformInput<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, first, width, output, row, product_stride } = self;
        assert!(first >= (RANK + 1) * width, "no margin before the board");
        assert!(width.is_multiple_of(S::LANES), "whole vectors");
        for tile in 0..TILES {
            // A tile begins one square before its results in both directions.
            let corner = first + corner(tile) * width - (RANK + 1) * width;
            for channel in (0..width).step_by(S::LANES) {
                let from = Square { start: corner + channel, ranks: RANK * width, files: width };
                let to = Square::of_products((row + tile) * width + channel, product_stride);
                transform::<InputLine, _, 6, 6>(simd, (input, from), (output, to));
            }
        }
    }
}

/// The products of one board's tiles, transformed back: `m` to `A^T m A`.
pub(crate) struct TransformOutput<'a> {
    /// `[36][..]`: for each product, a row of `channels` numbers for each tile.
    pub(crate) input: &'a [f32],
    /// The first of the board's four rows in each product.
    pub(crate) row: usize,
    /// From one product to the next.
    pub(crate) product_stride: usize,
    /// `[72 positions][channels]`; the positions between ranks are left alone.
    pub(crate) output: &'a mut [f32],
    /// Channels, a multiple of the vector.
    pub(crate) channels: usize,
}

impl<S: Simd> Kernel<S> for TransformOutput<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, row, product_stride, output, channels } = self;
        assert!(channels.is_multiple_of(S::LANES), "whole vectors");
        for tile in 0..TILES {
            for channel in (0..channels).step_by(S::LANES) {
                let from = Square::of_products((row + tile) * channels + channel, product_stride);
                let start = corner(tile) * channels + channel;
                let to = Square { start, ranks: RANK * channels, files: channels };
                transform::<OutputLine, _, 6, 4>(simd, (input, from), (output, to));
            }
        }
    }
}
