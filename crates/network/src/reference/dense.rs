//! Fully connected layer.

use super::shape::{ShapeError, expect_len};

/// `outputs = weights * inputs + bias`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    inputs: usize,
    outputs: usize,
    /// `[inputs][outputs]`, so that the innermost loop runs over outputs.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Dense {
    /// A layer from `weights`, `[outputs][inputs]`, and `bias`, `[outputs]`, whose length is the number of outputs.
    ///
    /// # Errors
    /// [`ShapeError`] if the number of weights is not a multiple of the outputs, or zero.
    pub fn new(weights: &[f32], bias: Vec<f32>) -> Result<Self, ShapeError> {
        let outputs = bias.len();
        let inputs = weights.len().checked_div(outputs).unwrap_or_default();
        expect_len("dense weights", weights.len(), &[outputs, inputs])?;
        let transposed = (0..inputs * outputs).map(|at| weights[at % outputs * inputs + at / outputs]);
        Self::from_matrix(transposed.collect(), bias)
    }

    /// A layer from `weights`, `[inputs][outputs]`, as [`Dense::weights`] gives them.
    ///
    /// # Errors
    /// As [`Dense::new`].
    pub fn from_matrix(weights: Vec<f32>, bias: Vec<f32>) -> Result<Self, ShapeError> {
        let outputs = bias.len();
        let inputs = weights.len().checked_div(outputs).unwrap_or_default();
        expect_len("dense weights", weights.len(), &[inputs, outputs])?;
        Ok(Self { inputs, outputs, weights, bias })
    }

    /// The weights, `[inputs][outputs]`.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The bias, `[outputs]`.
    pub fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// Length of the input.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Length of the output.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// # Shapes
    /// `[inputs]` to `[outputs]`.
    pub(super) fn forward(&self, inputs: &[f32]) -> Vec<f32> {
        let mut outputs = self.bias.clone();
        accumulate(&mut outputs, inputs, &self.weights);
        outputs
    }
}

/// `outputs += inputs * weights`, weights `[inputs][outputs]`.
pub(super) fn accumulate(outputs: &mut [f32], inputs: &[f32], weights: &[f32]) {
    for (&input, row) in inputs.iter().zip(weights.chunks_exact(outputs.len())) {
        // A zero adds nothing to finite weights, and most inputs after a ReLU are zero.
        if input != 0.0 {
            outputs.iter_mut().zip(row).for_each(|(output, weight)| *output += input * weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_weights_times_inputs_plus_bias() {
        let dense = Dense::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], vec![0.5, -0.5]).unwrap();
        assert_eq!(dense.forward(&[1.0, 0.0, -1.0]), [1.0 - 3.0 + 0.5, 4.0 - 6.0 - 0.5]);
    }

    #[test]
    fn uneven_weights_are_refused() {
        assert!(Dense::new(&[1.0; 5], vec![0.0; 2]).is_err());
        assert!(Dense::new(&[], vec![]).is_err());
    }
}
