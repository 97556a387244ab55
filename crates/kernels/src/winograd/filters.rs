//! A vectorised transform of filters, for weights that change in every step.

use super::{
    A, A2, B, B2, FILTER_FACTORS, PRODUCTS,
    transform::{Line, Square, transform},
};
use crate::{
    gemm::{Matrix, Packed},
    layout::{CHANNEL_BLOCK, padded},
    simd::{Kernel, Lanes, Simd},
};

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

/// Transforms and packs 3x3 filters, one matrix for each product. Reuses the memory of earlier filters of the same
/// size, if there are any.
pub(crate) fn pack_filters<S: Lanes<f32>>(simd: S, matrix: &Matrix<'_>, filters: &mut Vec<Packed<f32>>) {
    /// Number of weights of a tap that are transformed together: few enough for the outer cache, and enough rows for runs of copies. 2,048
    /// made a step of catfish-v3 some 5 % slower.
    const NUMBERS: usize = 1 << 14;
    let Matrix { taps, inputs, outputs, weights } = *matrix;
    let width = padded(outputs, CHANNEL_BLOCK);
    if filters.is_empty() {
        *filters = (0..PRODUCTS).map(|_| Packed::zeros::<S>(inputs, width)).collect();
    }
    let most = (NUMBERS / width).clamp(1, inputs);
    let (mut rows, mut transformed) = (vec![0.0; taps * most * width], vec![0.0; PRODUCTS * most * width]);
    for first in (0..inputs).step_by(most) {
        let count = most.min(inputs - first);
        let (rows, transformed) =
            (&mut rows[..taps * count * width], &mut transformed[..PRODUCTS * count * width]);
        for (tap, rows) in rows.chunks_exact_mut(count * width).enumerate() {
            let from = weights[(tap * inputs + first) * outputs..].chunks_exact(outputs);
            for (row, weights) in rows.chunks_exact_mut(width).zip(from) {
                row[..outputs].copy_from_slice(weights);
            }
        }
        simd.run(TransformFilters { input: rows, output: &mut *transformed });
        for (filter, rows) in filters.iter_mut().zip(transformed.chunks_exact(count * width)) {
            filter.set_some_rows::<S>(first, rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{simd::Portable, winograd::transform_weights};

    #[test]
    fn filters_packed_on_vectors_are_those_packed_one_by_one() {
        let (inputs, outputs) = (7, 21);
        let weights: Vec<f32> = (0..9 * inputs * outputs).map(|number| (number as f32).sin()).collect();
        let matrix = Matrix { taps: 9, inputs, outputs, weights: &weights };
        let mut packed = Vec::new();
        pack_filters(Portable, &matrix, &mut packed);
        assert_eq!(packed.len(), PRODUCTS);
        for (packed, expected) in packed.iter().zip(transform_weights(&matrix)) {
            let matrix = Matrix { taps: 1, weights: &expected, ..matrix };
            packed.assert_close(&Packed::<f32>::new::<Portable>(&matrix, inputs), 1e-5);
        }
    }
}
