//! Filters transformed on vectors, for weights that change with every step.

use super::{A, A2, B, B2, PRODUCTS, filter_norms};
use crate::simd::{Kernel, Simd};

/// G applied to three vectors.
#[inline(always)]
fn filter_line<S: Simd>(simd: S, g: [S::Floats; 3]) -> [S::Floats; 6] {
    let [zero, at_a, at_b] = filter_norms().map(|norm| simd.splat((1.0 / norm) as f32));
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

/// The filters of a convolution: `g` to `G g G^T`, as [`super::transform_weights`], which is its reference.
pub(crate) struct TransformFilters<'a> {
    /// `[9][numbers]`.
    pub(crate) input: &'a [f32],
    /// `[36][numbers]`.
    pub(crate) output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for TransformFilters<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "loops over constants that unroll; iterators of arrays do not always"
    )]
    fn call(self, simd: S) {
        let Self { input, output } = self;
        let numbers = input.len() / 9;
        assert!(input.len() == 9 * numbers && output.len() == PRODUCTS * numbers, "filters of one layer");
        assert!(numbers.is_multiple_of(S::LANES), "whole vectors");
        for at in (0..numbers).step_by(S::LANES) {
            let mut columns = [[simd.splat(0.0); 6]; 3];
            for file in 0..3 {
                let mut line = [simd.splat(0.0); 3];
                for rank in 0..3 {
                    // SAFETY: one of 9 times `numbers`.
                    line[rank] = unsafe { simd.load(input.as_ptr().add((rank * 3 + file) * numbers + at)) };
                }
                columns[file] = filter_line(simd, line);
            }
            for rank in 0..6 {
                let line = filter_line(simd, [columns[0][rank], columns[1][rank], columns[2][rank]]);
                for file in 0..6 {
                    // SAFETY: one of 36 times `numbers`.
                    unsafe {
                        simd.store(output.as_mut_ptr().add((rank * 6 + file) * numbers + at), line[file]);
                    }
                }
            }
        }
    }
}
