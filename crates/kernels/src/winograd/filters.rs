//! A vectorised transform of filters, for weights that change in every step.

use super::{
    A, A2, B, B2, FILTER_FACTORS, PRODUCTS,
    transform::{Line, Square, transform},
};
use crate::simd::{Kernel, Simd};

/// G, the transform of the filters.
struct FilterLine;

impl Line<3, 6> for FilterLine {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, g: [S::Floats; 3]) -> [S::Floats; 6] {
        let [zero, at_a, at_b] = FILTER_FACTORS;
        let (zero, at_a, at_b) = (simd.splat(zero), simd.splat(at_a), simd.splat(at_b));
        let (even_a, odd_a) = (simd.fma(simd.splat(A2), g[2], g[0]), simd.mul(simd.splat(A), g[1]));
        let (even_b, odd_b) = (simd.fma(simd.splat(B2), g[2], g[0]), simd.mul(simd.splat(B), g[1]));
        [
            simd.mul(zero, g[0]),
            simd.mul(at_a, simd.add(even_a, odd_a)),
            simd.mul(at_a, simd.sub(even_a, odd_a)),
            simd.mul(at_b, simd.add(even_b, odd_b)),
            simd.mul(at_b, simd.sub(even_b, odd_b)),
            g[2],
        ]
    }
}

/// Transforms the filters of a convolution: `g` to `G g G^T`. The reference is [`super::transform_weights`].
pub(crate) struct TransformFilters<'a> {
    /// `[9][numbers]`.
    pub(crate) input: &'a [f32],
    /// `[36][numbers]`.
    pub(crate) output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for TransformFilters<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, output } = self;
        let numbers = input.len() / 9;
        assert!(input.len() == 9 * numbers && output.len() == PRODUCTS * numbers, "filters of one layer");
        assert!(numbers.is_multiple_of(S::LANES), "whole vectors");
        for start in (0..numbers).step_by(S::LANES) {
            let from = Square { start, ranks: 3 * numbers, files: numbers };
            let to = Square::of_products(start, numbers);
            transform::<FilterLine, _, 3, 6>(simd, (input, from), (output, to));
        }
    }
}
