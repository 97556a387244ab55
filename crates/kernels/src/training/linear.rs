//! Sizes and weights of convolutions and dense layers.

use super::shape::KernelSize;
use crate::{gemm::Transpose, simd::Simd};

/// Kernel size, inputs and outputs of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    pub(crate) kernel_size: KernelSize,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
}

/// The weights for the backward pass, `[taps][outputs][inputs]`: the gradient along a tap is multiplied with the
/// transposed weights of the opposite tap.
pub(crate) fn reversed<S: Simd>(
    simd: S,
    weights: &[f32],
    (taps, inputs, outputs): (usize, usize, usize),
) -> Vec<f32> {
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
        let reversed = reversed(simd, &weights, (taps, inputs, outputs));
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
