//! Products of matrices with a row stride.

use std::borrow::Cow;

use crate::{
    gemm::{Gemm, Packed, Rows},
    layout::CHANNEL_BLOCK,
    simd::Lanes,
};

pub(super) fn rows(stride: usize) -> Rows {
    Rows { first: 0, group_stride: 0, stride }
}

/// The rows at a stride that is not a whole number of pages, and that stride. Rows a whole number of pages apart would
/// compete for the same few cache sets.
pub(super) fn staggered(rows: &[f32], width: usize) -> (Cow<'_, [f32]>, usize) {
    // 4 KiB of floats.
    const PAGE: usize = 1024;
    if !width.is_multiple_of(PAGE) {
        return (Cow::Borrowed(rows), width);
    }
    let stride = width + CHANNEL_BLOCK;
    let mut apart = vec![0.0; rows.len() / width * stride];
    for (to, row) in apart.chunks_exact_mut(stride).zip(rows.chunks_exact(width)) {
        to[..width].copy_from_slice(row);
    }
    (Cow::Owned(apart), stride)
}

/// Computes `output = input * weights` for a number of rows.
pub(super) fn multiply<S: Lanes<f32>>(
    simd: S,
    (input, stride): (&[f32], usize),
    weights: &Packed<f32>,
    (output, output_stride): (&mut [f32], usize),
    count: usize,
) {
    simd.run(Gemm {
        input,
        input_rows: rows(stride),
        taps: &[0],
        weights,
        output,
        output_rows: rows(output_stride),
        size: (1, count),
    });
}
