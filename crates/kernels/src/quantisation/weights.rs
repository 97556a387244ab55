use super::QuantParams;
use crate::{gemm::Matrix, simd::element::Element};

/// Weights as levels, with the scale and shift that turn sums of levels into real values.
pub(crate) struct QuantisedWeights {
    /// Weights in the order of the matrix, as levels from -127 to 127 for each output.
    pub(crate) weights: Vec<f32>,
    /// The scale of each output.
    pub(crate) scale: Vec<f32>,
    /// For each output: its bias minus the contribution of the input's zero point.
    pub(crate) shift: Vec<f32>,
}

/// Scales weights to the format of `E`; floats are left unchanged.
pub(crate) fn scale_weights<E: Element>(
    matrix: &Matrix<'_>,
    bias: &[f32],
    input: QuantParams,
) -> QuantisedWeights {
    let outputs = matrix.outputs;
    if !E::QUANTISED {
        return QuantisedWeights {
            weights: matrix.weights.to_vec(),
            scale: vec![1.0; outputs],
            shift: bias.to_vec(),
        };
    }
    let mut largest = vec![0.0_f32; outputs];
    for row in matrix.weights.chunks_exact(outputs) {
        largest.iter_mut().zip(row).for_each(|(largest, weight)| *largest = largest.max(weight.abs()));
    }
    // Symmetric, with a step for each output. A common step would be set by the output with the largest weights; once batch
    // normalisation is folded in, outputs differ in scale. -128 stays unused so that the range is symmetric.
    // The lower bound keeps the division by the step finite for outputs whose weights are all zero.
    let steps: Vec<f32> = largest.iter().map(|largest| largest.max(1e-20) / 127.0).collect();
    let mut totals = vec![0.0_f32; outputs];
    let mut weights = Vec::with_capacity(matrix.weights.len());
    for row in matrix.weights.chunks_exact(outputs) {
        for ((weight, step), total) in row.iter().zip(&steps).zip(&mut totals) {
            let level = (weight / step).round_ties_even();
            *total += level;
            weights.push(level);
        }
    }
    // With q = level of an activation, z = zero point and w = level of a weight, the layer is
    //     scale sum((q - z) w) + bias = scale sum(q w) + (bias - scale z sum(w)),
    // so the products need no subtraction of z: it becomes part of the shift. sum(w) runs over all taps, also over those that lie
    // beyond the board on some squares; the positions there hold z (see `layout`).
    let scale: Vec<f32> = steps.iter().map(|step| step * input.scale).collect();
    let shift = bias.iter().zip(&totals).zip(&scale);
    let shift = shift.map(|((bias, total), scale)| bias - input.zero_point * total * scale).collect();
    QuantisedWeights { weights, scale, shift }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_scales_give_the_product_back() {
        let weights = [0.5, -2.0, 1.0, 4.0];
        let matrix = Matrix { taps: 1, inputs: 2, outputs: 2, weights: &weights };
        let input = QuantParams { scale: 0.1, zero_point: 16.0 };
        let scaled = scale_weights::<u8>(&matrix, &[1.0, -1.0], input);
        assert_eq!(scaled.weights, [64.0, -64.0, 127.0, 127.0]);
        // Activations 1.4 and 0.4 are the levels 30 and 20.
        for (output, expected) in [(0, 1.4 * 0.5 + 0.4 + 1.0), (1, 1.4 * -2.0 + 0.4 * 4.0 - 1.0)] {
            let sum = 30.0 * scaled.weights[output] + 20.0 * scaled.weights[2 + output];
            let value = sum * scaled.scale[output] + scaled.shift[output];
            assert!((value - expected).abs() < 0.03, "{value}, expected {expected}");
        }
    }
}
