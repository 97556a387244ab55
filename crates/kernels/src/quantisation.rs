//! int8 quantisation: `real = (level - zero point) * scale`, for activations and weights.

use crate::{KernelError, gemm::Matrix, plan::Plan, simd::element::Element};

/// Scale and zero point of quantised values: `real = (level - zero_point) * scale`. Has no meaning for formats that are not
/// quantised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QuantParams {
    pub(crate) scale: f32,
    pub(crate) zero_point: f32,
}

impl QuantParams {
    /// Levels that are the real values themselves.
    pub(crate) const IDENTITY: Self = Self { scale: 1.0, zero_point: 0.0 };
}

/// Ranges of the activations between layers on real positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// For each activation, the largest value worth representing, in the order of [`crate::Plan::tensors`].
    pub ranges: Vec<f32>,
}

/// Zero point among the levels 0 to 255 if activations can be slightly negative. Chosen, not tuned.
const RAISED_ZERO: f32 = 16.0;

/// The lower end of the range that the levels always cover, a little below the minimum of Mish. Lower activations would be clipped.
const LOWEST: f32 = -0.31;

/// The quantisation of every activation between layers.
pub(crate) struct ActivationQuantisation {
    parameters: Vec<QuantParams>,
    zero_point: f32,
}

impl ActivationQuantisation {
    /// The identity quantisation, for a format that is not quantised.
    pub(crate) fn none(plan: &Plan) -> Self {
        Self { parameters: vec![QuantParams::IDENTITY; plan.tensors().len()], zero_point: 0.0 }
    }

    /// The quantisation given by a calibration of this plan.
    ///
    /// # Errors
    /// [`KernelError::Calibration`] for ranges of another plan, [`KernelError::Range`] for activations below [`LOWEST`].
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
        let lowest = plan.lowest_activation();
        if lowest.least() < LOWEST {
            return Err(KernelError::Range {
                part: "eight-bit activations".into(),
                found: format!("{lowest:?} with minimum {}", lowest.least()),
                expected: format!("a minimum of {LOWEST} or more"),
            });
        }
        // Networks of ReLUs use all 256 levels for positive numbers. One activation with a small negative range raises the zero
        // point of all of them: boards are allocated once, with the zero point in their margins, and serve several layers.
        // `below` widens the step so that 16 levels reach down to `LOWEST`.
        let (zero_point, below) =
            if lowest.least() < 0.0 { (RAISED_ZERO, -LOWEST / RAISED_ZERO) } else { (0.0, 0.0) };
        let parameters = |range: &f32| QuantParams {
            scale: (range / (255.0 - zero_point)).max(below).max(1e-6),
            zero_point,
        };
        Ok(Self { parameters: ranges.iter().map(parameters).collect(), zero_point })
    }

    /// The quantisation of one activation, by its index in [`Plan::tensors`].
    pub(crate) fn of(&self, tensor: usize) -> QuantParams {
        self.parameters[tensor]
    }

    /// The level that represents zero, the same for all activations.
    pub(crate) fn zero_point(&self) -> f32 {
        self.zero_point
    }
}

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
