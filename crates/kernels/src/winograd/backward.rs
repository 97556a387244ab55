//! The backward pass of Winograd's algorithm: the chain rule through its three transforms.
//!
//! From Y = A^T [(G g G^T) . (B^T d B)] A it follows, for a gradient Z with respect to Y, that the products have the gradient
//! A Z A^T. So the gradient of the transformed filters is (A Z A^T) . (B^T d B), summed over all tiles of all boards, and the
//! gradient of the filters is G^T [that] G. Like the forward pass, it takes 36 multiplications per tile where the direct sum
//! takes 144.

use super::{
    A, A2, B, B2, FILTER_FACTORS, PRODUCTS, Squares, TILES, corner, to_products,
    transform::{Line, Square, transform},
};
use crate::simd::{Kernel, Simd};

/// A, the transform of the gradient of the sums.
struct GradientLine;

impl Line<4, 6> for GradientLine {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, z: [S::Floats; 4]) -> [S::Floats; 6] {
        let (a, b, a2, b2) = (simd.splat(A), simd.splat(B), simd.splat(A2), simd.splat(B2));
        let (even_a, even_b) = (simd.fma(a2, z[2], z[0]), simd.fma(b2, z[2], z[0]));
        let odd_a = simd.mul(a, simd.fma(a2, z[3], z[1]));
        let odd_b = simd.mul(b, simd.fma(b2, z[3], z[1]));
        [
            z[0],
            simd.add(even_a, odd_a),
            simd.sub(even_a, odd_a),
            simd.add(even_b, odd_b),
            simd.sub(even_b, odd_b),
            z[3],
        ]
    }
}

/// G^T, the transform of the filters' gradient.
struct FilterGradientLine;

impl Line<6, 3> for FilterGradientLine {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, u: [S::Floats; 6]) -> [S::Floats; 3] {
        let [zero, at_a, at_b] = FILTER_FACTORS;
        let (zero, at_a, at_b) = (simd.splat(zero), simd.splat(at_a), simd.splat(at_b));
        let (sum_a, difference_a) =
            (simd.mul(at_a, simd.add(u[1], u[2])), simd.mul(at_a, simd.sub(u[1], u[2])));
        let (sum_b, difference_b) =
            (simd.mul(at_b, simd.add(u[3], u[4])), simd.mul(at_b, simd.sub(u[3], u[4])));
        let (a, b, a2, b2) = (simd.splat(A), simd.splat(B), simd.splat(A2), simd.splat(B2));
        [
            simd.fma(zero, u[0], simd.add(sum_a, sum_b)),
            simd.fma(a, difference_a, simd.mul(b, difference_b)),
            simd.fma(a2, sum_a, simd.fma(b2, sum_b, u[5])),
        ]
    }
}

/// The gradient of one board's tiles with respect to their products: `z` to `A z A^T`.
pub(crate) struct TransformGradient<'a> {
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

impl<S: Simd> Kernel<S> for TransformGradient<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, squares, output, row, product_stride } = self;
        for tile in 0..TILES {
            let from = (input, squares, corner(tile));
            to_products::<GradientLine, _, 4>(simd, from, (&mut *output, row + tile, product_stride));
        }
    }
}

/// The gradient of filters, given the gradient of the transformed filters: `u` to `G^T u G`.
pub(crate) struct TransformFilterGradient<'a> {
    /// `[36][numbers]`.
    pub(crate) input: &'a [f32],
    /// `[9][numbers]`.
    pub(crate) output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for TransformFilterGradient<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, output } = self;
        let numbers = output.len() / 9;
        assert!(output.len() == 9 * numbers && input.len() == PRODUCTS * numbers, "filters of one layer");
        assert!(numbers.is_multiple_of(S::LANES), "whole vectors");
        for start in (0..numbers).step_by(S::LANES) {
            let from = Square::of_products(start, numbers);
            let to = Square { start, ranks: 3 * numbers, files: numbers };
            transform::<FilterGradientLine, _, 6, 3>(simd, (input, from), (output, to));
        }
    }
}
