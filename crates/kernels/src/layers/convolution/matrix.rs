//! Products of matrices with a row stride.

use std::borrow::Cow;

use crate::{
    gemm::{Gemm, Packed, Rows, Transpose},
    layout::CHANNEL_BLOCK,
    simd::{Lanes, Simd},
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

/// The weights for the backward pass, `[taps][outputs][inputs]`: the gradient along a tap is multiplied with the transposed weights of
/// the opposite tap.
pub(super) fn reversed<S: Simd>(simd: S, weights: &[f32], [taps, inputs, outputs]: [usize; 3]) -> Vec<f32> {
    let mut reversed = vec![0.0; weights.len()];
    let size = inputs * outputs;
    for (matrix, to) in weights.chunks_exact(size).rev().zip(reversed.chunks_exact_mut(size)).take(taps) {
        simd.run(Transpose { matrix, columns: outputs, output: to, stride: inputs });
    }
    reversed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_taps_are_transposed() {
        check(crate::simd::Portable);
        #[cfg(target_arch = "x86_64")]
        {
            crate::simd::Avx2::new().into_iter().for_each(check);
            crate::simd::Avx512::new().into_iter().for_each(check);
        }
    }

    fn check<S: Simd>(simd: S) {
        let (taps, inputs, outputs) = (9, 19, 37);
        let weights: Vec<f32> = (0..taps * inputs * outputs).map(|number| number as f32).collect();
        let reversed = reversed(simd, &weights, [taps, inputs, outputs]);
        for tap in 0..taps {
            for (output, row) in reversed[tap * inputs * outputs..].chunks(inputs).take(outputs).enumerate() {
                for (input, weight) in row.iter().enumerate() {
                    let from = ((taps - 1 - tap) * inputs + input) * outputs + output;
                    assert_eq!(*weight, weights[from], "tap {tap}, output {output}, input {input}");
                }
            }
        }
    }
}
