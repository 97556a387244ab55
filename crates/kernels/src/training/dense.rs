//! Dense layers with a bias and an optional activation, in floats, with one row for each board.

use rayon::prelude::*;

use super::gradient::WeightGradient;
use crate::{
    Activation,
    gemm::{Gemm, Packed, Rows},
    layout::{CHANNEL_BLOCK, Flat, padded},
    simd::{GradientLanes, Kernel, Lanes, Simd},
    start::Start,
};

/// A fully connected layer in training.
pub(crate) struct Dense {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// The index of its weights among the parameters; the bias follows.
    pub(crate) parameter: usize,
    activation: Activation,
    packed: Option<PackedDense>,
}

/// Weights for both directions, and the bias.
struct PackedDense {
    forward: Packed<f32>,
    backward: Packed<f32>,
    bias: Vec<f32>,
}

/// Activations and gradients of a layer for one micro-batch.
pub(crate) struct DenseActivations {
    /// Before the activation, bias included.
    sums: Flat<f32>,
    /// After the activation.
    pub(crate) output: Flat<f32>,
    /// The gradient of the output; after [`Dense::backward`], the gradient of the sums.
    pub(crate) gradient: Flat<f32>,
}

/// Number of inputs whose weight gradients one thread accumulates at a time.
const INPUTS: usize = 64;

impl Dense {
    pub(crate) fn new(inputs: usize, outputs: usize, parameter: usize, activation: Activation) -> Self {
        Self { inputs, outputs, parameter, activation, packed: None }
    }

    /// Allocates the activations of `boards` boards.
    pub(crate) fn room(&self, boards: usize) -> DenseActivations {
        let rows = || Flat::new(boards, padded(self.outputs, CHANNEL_BLOCK), 0.0);
        DenseActivations { sums: rows(), output: rows(), gradient: rows() }
    }

    /// Packs the layer's weights and bias.
    pub(crate) fn pack<S: Lanes<f32>>(&mut self, simd: S, parameters: &[Vec<f32>]) {
        let Self { inputs, outputs, .. } = *self;
        let (weights, bias) = (&parameters[self.parameter], &parameters[self.parameter + 1]);
        let packed = self.packed.get_or_insert_with(|| PackedDense {
            forward: Packed::zeros::<S>(inputs, outputs),
            backward: Packed::zeros::<S>(outputs, inputs),
            bias: vec![0.0; padded(outputs, CHANNEL_BLOCK)],
        });
        packed.forward.set_rows::<S>(weights);
        packed.backward.set_columns(simd, weights);
        packed.bias[..outputs].copy_from_slice(bias);
    }

    fn packed(&self) -> &PackedDense {
        self.packed.as_ref().expect(super::PACKED)
    }

    /// Computes the output of the first `boards` boards.
    pub(crate) fn forward<S: Lanes<f32>>(
        &self,
        simd: S,
        boards: usize,
        input: &Flat<f32>,
        memory: &mut DenseActivations,
    ) {
        let DenseActivations { sums, output, .. } = memory;
        multiply(simd, boards, input, &self.packed().forward, sums);
        simd.run(Activate { bias: &self.packed().bias, activation: self.activation, boards, sums, output });
    }

    /// Turns the gradient of the output into the gradient of the sums, and computes the gradient of the input.
    pub(crate) fn backward<S: Lanes<f32>>(
        &self,
        simd: S,
        boards: usize,
        memory: &mut DenseActivations,
        input_gradient: &mut Flat<f32>,
    ) {
        let DenseActivations { sums, gradient, .. } = memory;
        simd.run(Deactivate { activation: self.activation, boards, sums, gradient });
        multiply(simd, boards, gradient, &self.packed().backward, input_gradient);
    }

    /// The gradients of weights and bias, given the number of boards, the layer's input and the activations of each
    /// micro-batch.
    pub(crate) fn gradients<'a, S: GradientLanes<f32>>(
        &self,
        simd: S,
        batches: &[(usize, &'a Flat<f32>, &'a DenseActivations)],
    ) -> [Vec<f32>; 2] {
        let (outputs, columns) = (self.outputs, padded(self.outputs, CHANNEL_BLOCK));
        let mut weights = vec![0.0; self.inputs * outputs];
        weights.par_chunks_mut(INPUTS * outputs).enumerate().for_each(|(chunk, weights)| {
            let inputs = weights.len() / outputs;
            let mut result = vec![0.0; inputs * columns];
            for (number, &(boards, input, memory)) in batches.iter().enumerate() {
                let rows = |first: usize, stride: usize| Rows { first, group_stride: 0, stride };
                simd.run(WeightGradient {
                    input: &input.data[..],
                    input_rows: rows(chunk * INPUTS, input.stride),
                    taps: &[0],
                    inputs,
                    gradient: &memory.gradient.data[..],
                    gradient_rows: rows(0, columns),
                    outputs: columns,
                    result: &mut result,
                    start: if number == 0 { Start::Fresh } else { Start::Continued },
                    size: (1, boards),
                });
            }
            for (row, sums) in weights.chunks_exact_mut(outputs).zip(result.chunks_exact(columns)) {
                row.copy_from_slice(&sums[..outputs]);
            }
        });
        let mut bias = vec![0.0_f64; outputs];
        for &(boards, _, memory) in batches {
            for board in 0..boards {
                for (sum, term) in bias.iter_mut().zip(memory.gradient.board(board)) {
                    *sum += f64::from(*term);
                }
            }
        }
        [weights, bias.into_iter().map(|sum| sum as f32).collect()]
    }
}

/// `output = input * weights`.
fn multiply<S: Lanes<f32>>(
    simd: S,
    boards: usize,
    input: &Flat<f32>,
    weights: &Packed<f32>,
    output: &mut Flat<f32>,
) {
    let rows = |stride: usize| Rows { first: 0, group_stride: 0, stride };
    let output_rows = rows(output.stride);
    simd.run(Gemm {
        input: &input.data,
        input_rows: rows(input.stride),
        taps: &[0],
        weights,
        output: &mut output.data,
        output_rows,
        size: (1, boards),
    });
}

/// Adds the bias to the sums and applies the activation.
struct Activate<'a> {
    bias: &'a [f32],
    activation: Activation,
    boards: usize,
    sums: &'a mut Flat<f32>,
    output: &'a mut Flat<f32>,
}

impl<S: Simd> Kernel<S> for Activate<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { bias, activation, boards, sums, output } = self;
        let width = sums.stride;
        assert!(bias.len() == width && output.stride == width && width.is_multiple_of(S::LANES), "one layer");
        for board in 0..boards {
            let (sums, output) = (sums.board_mut(board), output.board_mut(board));
            for column in (0..width).step_by(S::LANES) {
                // SAFETY: whole vectors of rows of the width.
                unsafe {
                    let place = sums.as_mut_ptr().add(column);
                    let value = simd.add(simd.load(place), simd.load(bias.as_ptr().add(column)));
                    simd.store(place, value);
                    simd.store(output.as_mut_ptr().add(column), activation.apply(simd, value));
                }
            }
        }
    }
}

/// Turns the gradient after the activation into the gradient before it.
struct Deactivate<'a> {
    activation: Activation,
    boards: usize,
    sums: &'a Flat<f32>,
    gradient: &'a mut Flat<f32>,
}

impl<S: Simd> Kernel<S> for Deactivate<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { activation, boards, sums, gradient } = self;
        let width = sums.stride;
        assert!(gradient.stride == width && width.is_multiple_of(S::LANES), "one layer");
        for board in 0..boards {
            let (sums, gradient) = (sums.board(board), gradient.board_mut(board));
            for column in (0..width).step_by(S::LANES) {
                // SAFETY: whole vectors of rows of the width.
                unsafe {
                    let place = gradient.as_mut_ptr().add(column);
                    let sums = simd.load(sums.as_ptr().add(column));
                    simd.store(place, activation.gradient(simd, sums, simd.load(place)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{gemm::Matrix, simd::Portable, training::linear::reversed};

    /// Sizes that are not multiples of any block size; the second is larger than a block of a transposition.
    #[test]
    fn packed_many_at_a_time_is_packed_one_by_one() {
        for (inputs, outputs) in [(5, 21), (67, 35), (16, 32)] {
            let weights: Vec<f32> = (0..inputs * outputs).map(|number| number as f32 - 40.0).collect();
            let mut layer = Dense::new(inputs, outputs, 0, Activation::Identity);
            // Packed twice, because earlier contents of a layer must not matter.
            for bias in [1.0, 0.5] {
                layer.pack(Portable, &[vec![bias; inputs * outputs], vec![bias; outputs]]);
            }
            layer.pack(Portable, &[weights.clone(), vec![0.25; outputs]]);
            let transposed = reversed(Portable, &weights, (1, inputs, outputs));
            let expected = |inputs, outputs, weights: &[f32]| {
                Packed::new::<Portable>(&Matrix { taps: 1, inputs, outputs, weights }, inputs)
            };
            layer.packed().forward.assert_close(&expected(inputs, outputs, &weights), f32::EPSILON);
            layer.packed().backward.assert_close(&expected(outputs, inputs, &transposed), f32::EPSILON);
            assert_eq!(layer.packed().bias[..outputs], vec![0.25; outputs]);
        }
    }
}
