//! Convolutions and dense layers: the algorithm chosen for each, and the weights packed for it.
//!
//! | layer | algorithm |
//! |---|---|
//! | 3x3 over 8x8 squares, stride 1, margin 0 or 1 | Winograd's F(4x4, 3x3): a quarter of the multiplications |
//! | 1x1, and dense layers (1x1 over one square) | GEMM on the squares as they lie in memory |
//! | dense layers of 2^18 weights and more, in training | the same, with weights packed strip by strip just before use |
//! | any other patch, stride or map | GEMM on gathered patches (im2col) |
//! | 1x1, and 3x3 with a margin of 1, over 8x8 squares in bf16 | the direct kernels of inference, on vectors or tiles |
//! | any other of at least 4096 weights in bf16 | GEMM of packed operands, on vectors or tiles |
//! | most 1x1 and dense layers in int8, in play (`eight_bits`) | GEMM of integers on the rounded squares |
//!
//! The choice depends on shapes and precision only, never on the number of threads or a measurement, so that a run can be
//! repeated. In bf16, direct products replace Winograd's although they multiply four times as much: a tile unit makes up for it,
//! and on processors without one f32 is the faster precision (`docs/experiments/training-speed.md`).
//!
//! Each algorithm has three products: the output, the gradient of the input (weights transposed, taps reversed) and the gradient
//! of the weights (outer products, summed over all squares of the batch).

mod eight_bits;
mod gemm;
mod half;
mod matrix;
mod strips;
mod transforms;
mod winograd;

use super::{
    element_wise::{Add, BiasActivation},
    list::{Shape, Step},
    operation::Operation,
    workers::Workers,
};
use crate::{
    Activation,
    layout::{CHANNEL_BLOCK, unpadded},
    simd::GradientLanes,
};

use eight_bits::EightBitConvolution;
use gemm::{GemmConvolution, GemmShape};
use half::HalfConvolution;
use transforms::grown;
use winograd::WinogradConvolution;

pub(super) use eight_bits::{EightBitConvolutions, Levels, eight_bit_convolutions, in_eight_bits};
pub(super) use gemm::Needs;
pub(super) use half::{HalfConvolutions, half_convolutions};
pub(super) use transforms::{Buffers, Resources};

/// Number of boards whose gradients are computed together: few enough to stay in the cache.
const GROUP: usize = 16;

/// The gradient of the weights, `[taps][inputs][outputs]`: the sum of those of the micro-batches, in order and without padding.
fn summed<S: GradientLanes<f32>>(workers: Workers<S>, parts: Vec<Vec<f32>>, outputs: usize) -> Vec<f32> {
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_default();
    let terms: Vec<Vec<f32>> = parts.collect();
    workers.change((&mut sum, CHANNEL_BLOCK), |first, sum| {
        for term in &terms {
            workers.simd.run(Add { term: &term[first..first + sum.len()], sum });
        }
    });
    unpadded(sum, outputs)
}

/// Operands of a layer's backward pass: its input, and the gradient of its output.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) input: &'a [f32],
    pub(super) gradient: &'a [f32],
}

/// The parameters of a network, and the gradients of an earlier step, whose buffers are reused.
pub(super) struct Parameters<'a> {
    pub(super) values: &'a [Vec<f32>],
    pub(super) spare: &'a mut [Vec<f32>],
}

/// The input of a layer in play or training.
pub(super) struct Input<'a> {
    pub(super) values: &'a [f32],
    /// The same, rounded, if a layer has read it in eight bits.
    pub(super) levels: &'a mut Levels,
}

/// The format in which a layer multiplies, if it can.
#[derive(Clone, Copy)]
pub(super) enum Products<'a> {
    F32,
    Half(&'a HalfConvolutions),
    EightBits(&'a EightBitConvolutions),
}

/// A convolution or dense layer.
pub(super) struct Convolution {
    to: Shape,
    /// The index of its weights among the parameters; the bias follows.
    parameter: usize,
    bias: bool,
    algorithm: ConvolutionAlgorithm,
    /// The bias, padded to whole vectors.
    packed_bias: Vec<f32>,
}

enum ConvolutionAlgorithm {
    /// Winograd's algorithm.
    Winograd(WinogradConvolution),
    /// Matrix products.
    Gemm(Box<GemmConvolution>),
    /// Products of 16-bit floats.
    Half(Box<dyn HalfConvolution>),
    /// Products of eight-bit integers.
    EightBits(Box<dyn EightBitConvolution>),
}

impl Convolution {
    /// The layer of a step; `None` if the step is not a convolution. Only layers of [`in_eight_bits`] get products of eight-bit integers.
    pub(super) fn new(step: &Step, from: Shape, needs: Needs, products: Products<'_>) -> Option<Self> {
        let Operation::Convolution { patch, bias } = step.operation else { return None };
        let to = step.shape;
        let half = match products {
            Products::Half(half) => half(step, from, needs),
            Products::F32 | Products::EightBits(_) => None,
        };
        let algorithm = if let Some(half) = half {
            ConvolutionAlgorithm::Half(half)
        } else if let Products::EightBits(eight_bits) = products {
            ConvolutionAlgorithm::EightBits(eight_bits([from, to]))
        } else if step.operation.is_winograds(from) {
            ConvolutionAlgorithm::Winograd(WinogradConvolution::new(from, to, needs == Needs::All))
        } else {
            let shape = GemmShape::new(patch, [from, to]);
            ConvolutionAlgorithm::Gemm(Box::new(GemmConvolution::new(shape, needs)))
        };
        Some(Self {
            to,
            parameter: step.parameters.start,
            bias,
            algorithm,
            packed_bias: vec![0.0; to.width()],
        })
    }

    /// Packs the layer's weights and bias.
    pub(super) fn pack<S: GradientLanes<f32>>(&mut self, simd: S, parameters: &[Vec<f32>]) {
        let weights = &parameters[self.parameter];
        if self.bias {
            let bias = &parameters[self.parameter + 1];
            self.packed_bias[..bias.len()].copy_from_slice(bias);
        }
        match &mut self.algorithm {
            ConvolutionAlgorithm::Winograd(winograd) => winograd.pack(simd, weights),
            ConvolutionAlgorithm::Gemm(gemm) => gemm.pack(simd, weights),
            ConvolutionAlgorithm::Half(half) => half.pack(weights),
            ConvolutionAlgorithm::EightBits(eight_bits) => eight_bits.pack(weights, &self.packed_bias),
        }
    }

    /// Computes the output of all boards.
    pub(super) fn forward<S: GradientLanes<f32>>(
        &self,
        resources: Resources<'_, S>,
        parameters: &[Vec<f32>],
        Input { values: input, levels }: Input<'_>,
        (activation, output): (Activation, &mut [f32]),
    ) {
        let workers = resources.workers;
        let epilogue = |rows: &mut [f32]| {
            if self.bias || activation != Activation::Identity {
                workers.simd.run(BiasActivation { bias: &self.packed_bias, activation, rows });
            }
        };
        match &self.algorithm {
            ConvolutionAlgorithm::Winograd(winograd) => winograd.forward(resources, input, output, epilogue),
            // A strip computes some columns of all rows, so no row is complete before the last strip: bias and activation take a
            // pass of their own instead of running on rows that are still in the cache.
            ConvolutionAlgorithm::Gemm(gemm) if gemm.streams => {
                gemm.stream(workers, &parameters[self.parameter], input, output);
                workers.change((output, self.to.width()), |_, rows| epilogue(rows));
            }
            ConvolutionAlgorithm::Gemm(gemm) => gemm.forward(workers, input, output, epilogue),
            ConvolutionAlgorithm::Half(half) => half.forward(workers.helpers, input, output, &epilogue),
            ConvolutionAlgorithm::EightBits(eight_bits) => {
                eight_bits.forward(input, levels, activation, output);
            }
        }
    }

    /// The gradients of the weights (stored in the spare buffers), the bias and, if required, the input.
    pub(super) fn backward<S: GradientLanes<f32>>(
        &self,
        resources: Resources<'_, S>,
        parameters: Parameters<'_>,
        known: Known<'_>,
        input_gradient: Option<&mut [f32]>,
    ) -> Vec<Vec<f32>> {
        let (workers, gradient) = (resources.workers, known.gradient);
        let Parameters { values, spare } = parameters;
        let spare = spare.get_mut(self.parameter).map(std::mem::take).unwrap_or_default();
        let weights = match &self.algorithm {
            ConvolutionAlgorithm::Winograd(winograd) => {
                winograd.backward(resources, known, input_gradient, spare)
            }
            ConvolutionAlgorithm::Half(half) => half.backward(workers.helpers, known, input_gradient, spare),
            ConvolutionAlgorithm::EightBits(_) => unreachable!("layers for play have no backward pass"),
            ConvolutionAlgorithm::Gemm(gemm) => {
                match input_gradient {
                    Some(to) if gemm.streams => {
                        gemm.stream_back(workers, &values[self.parameter], gradient, to);
                    }
                    Some(to) => gemm.backward(workers, gradient, to),
                    None => {}
                }
                gemm.weight_gradient(workers, known, spare)
            }
        };
        let mut gradients = vec![weights];
        if self.bias {
            let sums = workers.column_sums(gradient, self.to.width());
            gradients.push(sums[..self.to.channels].iter().map(|sum| *sum as f32).collect());
        }
        gradients
    }
}
