//! int8 quantisation: the steps of activations and weights.

use crate::{KernelError, epilogue::Quantum, gemm::Matrix, plan::Plan, simd::element::Element};

/// Zero point among the levels 0 to 255 if activations can be slightly negative.
const RAISED_ZERO: f32 = 16.0;

/// Ranges of the activations between layers on real positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// The largest value worth representing, in the order of [`Plan::tensors`].
    pub ranges: Vec<f32>,
}

/// The levels of every activation between layers.
pub(crate) struct Levels {
    quanta: Vec<Quantum>,
    zero: f32,
}

impl Levels {
    /// Levels for a format that is not quantised.
    pub(crate) fn none(plan: &Plan) -> Self {
        Self { quanta: vec![Quantum::NONE; plan.tensors().len()], zero: 0.0 }
    }

    /// Quantises by a calibration of this plan.
    pub(crate) fn new(plan: &Plan, calibration: Option<&Calibration>) -> Result<Self, KernelError> {
        let ranges = calibration.map_or(&[][..], |calibration| &calibration.ranges);
        let expected = plan.tensors().len();
        if ranges.len() != expected || ranges.iter().any(|range| !range.is_finite() || *range < 0.0) {
            let usable = ranges.iter().filter(|range| range.is_finite() && **range >= 0.0).count();
            return Err(KernelError::Calibration {
                part: "eight-bit activations".into(),
                found: usable,
                expected,
            });
        }
        let (zero, least) = if plan.has_negative_activations() { (RAISED_ZERO, 0.31) } else { (0.0, 0.0) };
        let quantum = |range: &f32| {
            // The levels below zero must reach the minimum of the activation function.
            let below = if zero > 0.0 { least / zero } else { 0.0 };
            Quantum { step: (range / (255.0 - zero)).max(below).max(1e-6), zero }
        };
        Ok(Self { quanta: ranges.iter().map(quantum).collect(), zero })
    }

    /// The levels of one activation.
    pub(crate) fn quantum(&self, tensor: usize) -> Quantum {
        self.quanta[tensor]
    }

    /// The level that is zero, the same everywhere.
    pub(crate) fn zero(&self) -> f32 {
        self.zero
    }
}

/// Weights as levels, with scale and shift that turn sums of levels into numbers.
pub(crate) struct Scaled {
    /// Weights in the order of the matrix, as levels from -127 to 127 for each output.
    pub(crate) weights: Vec<f32>,
    /// The scale of each output.
    pub(crate) scale: Vec<f32>,
    /// For each output: its bias, less the contribution of the zero of the input's levels.
    pub(crate) shift: Vec<f32>,
}

/// Scales weights to the format of `E`; floats are left unchanged.
pub(crate) fn scale_weights<E: Element>(matrix: &Matrix<'_>, bias: &[f32], input: Quantum) -> Scaled {
    let outputs = matrix.outputs;
    if !E::QUANTISED {
        return Scaled { weights: matrix.weights.to_vec(), scale: vec![1.0; outputs], shift: bias.to_vec() };
    }
    let mut largest = vec![0.0_f32; outputs];
    for row in matrix.weights.chunks_exact(outputs) {
        largest.iter_mut().zip(row).for_each(|(largest, weight)| *largest = largest.max(weight.abs()));
    }
    // The lower bound keeps the division by a step finite for outputs whose weights are all zero.
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
    let scale: Vec<f32> = steps.iter().map(|step| step * input.step).collect();
    let shift = bias.iter().zip(&totals).zip(&scale);
    let shift = shift.map(|((bias, total), scale)| bias - input.zero * total * scale).collect();
    Scaled { weights, scale, shift }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_scales_give_the_product_back() {
        let weights = [0.5, -2.0, 1.0, 4.0];
        let matrix = Matrix { taps: 1, inputs: 2, outputs: 2, weights: &weights };
        let input = Quantum { step: 0.1, zero: 16.0 };
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
