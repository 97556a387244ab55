//! Products with a large weight matrix that is used once: a strip of its columns is packed and multiplied immediately, while it is in
//! the cache.
//!
//! Packed beforehand, weights beyond the caches travel three times: read and written by packing, read by the product. A strip
//! makes it once. Packing and transposing the 4 million dense weights of aichess number by number took a fifth of a step
//! (`docs/experiments/training-kernel-changes.md`).

use std::ops::Range;

use super::matrix::{multiply, staggered};
use crate::{
    gemm::Packed,
    layers::workers::Workers,
    layout::{CHANNEL_BLOCK, padded},
    simd::GradientLanes,
};

/// Columns that a product computes at a time on the widest vectors.
const COLUMNS: usize = 3 * CHANNEL_BLOCK;
/// The largest number of weights in a strip. Wider strips read more columns of a row at a time, but a strip has to fit
/// in a cache.
const NUMBERS: usize = 1 << 19;

/// A matrix of `[inner][columns]`.
pub(super) struct Strips {
    pub(super) inner: usize,
    pub(super) columns: usize,
}

impl Strips {
    /// Number of columns in a strip, small enough that every thread gets some.
    fn width(&self, threads: usize) -> usize {
        let most = (NUMBERS / self.inner).min(self.columns.div_ceil(threads));
        (most / COLUMNS).max(1) * COLUMNS
    }

    /// Computes `output = left * matrix`; `pack` packs a range of the matrix's columns. `left` and `output` come with
    /// their row strides.
    pub(super) fn multiply<S: GradientLanes<f32>>(
        &self,
        workers: Workers<S>,
        (left, left_stride): (&[f32], usize),
        (output, stride): (&mut [f32], usize),
        pack: impl Fn(&mut Packed<f32>, Range<usize>) + Sync + Send,
    ) {
        let (rows, most) = (output.len() / stride, self.width(workers.threads()));
        let (left, left_stride) = staggered(left, left_stride);
        let strips: Vec<Range<usize>> =
            (0..self.columns).step_by(most).map(|first| first..self.columns.min(first + most)).collect();
        let tasks = strips.chunks(strips.len().div_ceil(workers.threads())).collect();
        let products = workers.each(tasks, |strips: &[Range<usize>]| {
            let mut packed = Packed::zeros::<S>(self.inner, most.min(self.columns));
            let product = |columns: &Range<usize>| {
                let width = padded(columns.len(), CHANNEL_BLOCK);
                // A strip that does not fill its last block would leave the columns of the strip before it there, and the padding
                // of the output would not be zero, which normalisations over the channels rely on.
                if packed.outputs != width || columns.len() < width {
                    packed = Packed::zeros::<S>(self.inner, width);
                }
                pack(&mut packed, columns.clone());
                let mut sums = vec![0.0; rows * width];
                multiply(workers.simd, (&left, left_stride), &packed, (&mut sums, width), rows);
                (columns.start, width, sums)
            };
            strips.iter().map(product).collect::<Vec<_>>()
        });
        for (first, width, sums) in products.iter().flatten() {
            for (row, sums) in output.chunks_exact_mut(stride).zip(sums.chunks_exact(*width)) {
                row[*first..first + width].copy_from_slice(sums);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    /// 94 columns are a strip of 48 and one of 46, whose last two columns once held those of the strip before.
    #[test]
    fn padding_stays_zero_where_a_strip_does_not_fill_its_last_block() {
        let (inner, columns, rows) = (NUMBERS / COLUMNS, 94, 2);
        let matrix = vec![1.0; inner * columns];
        let left = vec![1.0; rows * inner];
        let mut output = vec![f32::NAN; rows * padded(columns, CHANNEL_BLOCK)];
        let stride = output.len() / rows;
        let workers = Workers { simd: Portable, helpers: false };
        Strips { inner, columns }.multiply(
            workers,
            (&left, inner),
            (&mut output, stride),
            |packed, range| {
                packed.set_strip::<Portable>(&matrix[range.start..], columns, range.len());
            },
        );
        for row in output.chunks_exact(stride) {
            assert!(row[..columns].iter().all(|sum| *sum == inner as f32));
            assert_eq!(row[columns..], [0.0, 0.0]);
        }
    }
}
