//! Sizes and weights of convolutions and dense layers.

use super::shape::Reach;

/// Sizes of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    pub(crate) reach: Reach,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
}

/// The weights by which a gradient flows back, `[taps][outputs][inputs]`: what flows back along a tap is multiplied with the
/// transposed weights of the opposite tap.
pub(crate) fn reversed(weights: &[f32], taps: usize, inputs: usize, outputs: usize) -> Vec<f32> {
    let mut reversed = vec![0.0; weights.len()];
    let size = inputs * outputs;
    for (matrix, to) in weights.chunks_exact(size).rev().zip(reversed.chunks_exact_mut(size)).take(taps) {
        for (input, row) in matrix.chunks_exact(outputs).enumerate() {
            for (output, weight) in row.iter().enumerate() {
                to[output * inputs + input] = *weight;
            }
        }
    }
    reversed
}
