//! Convolution over the board.

use super::{
    dense::accumulate,
    features::{Features, SQUARES},
    shape::{ShapeError, expect_len},
};

/// A 1x1 or 3x3 convolution with bias; squares beyond the edge count as zero, so the board stays 8x8.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    kernel: usize,
    inputs: usize,
    outputs: usize,
    /// `[kernel rows][kernel columns][inputs][outputs]`, so that the innermost loop runs over outputs.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Convolution {
    /// A layer from `weights`, `[outputs][inputs][kernel rows][kernel columns]` as PyTorch and lc0 store them, and
    /// `bias`, `[outputs]`. Kernel row 0 looks one rank down (towards rank 1), column 0 one file left.
    ///
    /// # Errors
    /// [`ShapeError`] when the kernel is neither 1 nor 3 squares wide, or the weights do not divide by outputs and kernel.
    pub fn new(kernel: usize, weights: &[f32], bias: Vec<f32>) -> Result<Self, ShapeError> {
        check_kernel(kernel)?;
        let (outputs, taps) = (bias.len(), kernel * kernel);
        let inputs = weights.len().checked_div(outputs * taps).unwrap_or_default();
        expect_len("convolution weights", weights.len(), &[outputs, inputs, kernel, kernel])?;
        // [outputs][inputs][taps] -> [taps][inputs][outputs]
        let mut reordered = Vec::with_capacity(weights.len());
        for tap in 0..taps {
            for input in 0..inputs {
                reordered.extend((0..outputs).map(|output| weights[(output * inputs + input) * taps + tap]));
            }
        }
        Self::from_matrix(kernel, reordered, bias)
    }

    /// A layer from `weights`, `[kernel rows][kernel columns][inputs][outputs]`, as [`Convolution::weights`] gives them.
    ///
    /// # Errors
    /// As [`Convolution::new`].
    pub fn from_matrix(kernel: usize, weights: Vec<f32>, bias: Vec<f32>) -> Result<Self, ShapeError> {
        check_kernel(kernel)?;
        let outputs = bias.len();
        let inputs = weights.len().checked_div(outputs * kernel * kernel).unwrap_or_default();
        expect_len("convolution weights", weights.len(), &[kernel, kernel, inputs, outputs])?;
        Ok(Self { kernel, inputs, outputs, weights, bias })
    }

    /// Rows and columns of the kernel: 1 or 3.
    pub fn kernel(&self) -> usize {
        self.kernel
    }

    /// The weights, `[kernel rows][kernel columns][inputs][outputs]`; rows and columns as in [`Convolution::new`].
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The bias, `[outputs]`.
    pub fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// Number of channels in.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of channels out.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// # Shapes
    /// `[64][inputs]` to `[64][outputs]`.
    pub(super) fn forward(&self, board: &Features) -> Features {
        let mut values = self.bias.repeat(SQUARES);
        for (square, outputs) in values.chunks_exact_mut(self.outputs).enumerate() {
            for (tap, weights) in self.weights.chunks_exact(self.inputs * self.outputs).enumerate() {
                if let Some(neighbour) = self.neighbour(square, tap) {
                    accumulate(outputs, board.square(neighbour), weights);
                }
            }
        }
        Features { channels: self.outputs, values }
    }

    /// The square that a kernel tap looks at from `square`, if it is on the board.
    fn neighbour(&self, square: usize, tap: usize) -> Option<usize> {
        let reach = self.kernel / 2;
        let rank = (square / 8 + tap / self.kernel).checked_sub(reach)?;
        let file = (square % 8 + tap % self.kernel).checked_sub(reach)?;
        (rank < 8 && file < 8).then_some(rank * 8 + file)
    }
}

fn check_kernel(kernel: usize) -> Result<(), ShapeError> {
    if matches!(kernel, 1 | 3) {
        return Ok(());
    }
    Err(ShapeError { part: "convolution kernel".into(), found: kernel, expected: "1 or 3".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_with_one_weight_shifts_the_board() {
        // Row 0, column 2: each square takes the number of the square one rank down, one file right.
        let mut weights = [0.0; 9];
        weights[2] = 1.0;
        let shift = Convolution::new(3, &weights, vec![0.0]).unwrap();
        let board = Features { channels: 1, values: (0..64).map(|square| square as f32 + 1.0).collect() };
        let shifted = shift.forward(&board);
        for square in 0..64 {
            let expected = if square < 8 || square % 8 == 7 { 0.0 } else { (square - 8 + 1) as f32 + 1.0 };
            assert_eq!(shifted.values[square], expected, "square {square}");
        }
    }

    #[test]
    fn channels_mix_as_out_in_weights() {
        let mix = Convolution::new(1, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], vec![0.0, 10.0]).unwrap();
        let board = Features { channels: 3, values: [1.0, 0.0, 2.0].repeat(64) };
        assert_eq!(mix.forward(&board).values, [1.0 + 6.0, 4.0 + 12.0 + 10.0].repeat(64));
    }

    #[test]
    fn wrong_sizes_are_refused() {
        assert!(Convolution::new(2, &[0.0; 4], vec![0.0]).is_err());
        assert!(Convolution::new(3, &[0.0; 8], vec![0.0]).is_err());
        assert!(Convolution::new(3, &[], vec![]).is_err());
    }
}
