//! Convolutions and dense layers without what follows them: products over rows, forward and backward.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    arithmetic::Arithmetic,
    convolution::{FilterGradient, Filters},
    gradient::WeightGradient,
    shape::Reach,
    tensor::{Layout, Tensor},
};
use crate::{
    layout::{CHANNEL_BLOCK, padded},
    product::{Matrix, Packed, Product, Rows},
};

/// Sizes of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    pub(crate) reach: Reach,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
}

/// A layer's weights, packed for both directions.
pub(crate) struct PackedLinear {
    pub(crate) linear: Linear,
    forward: Weights,
    backward: Option<Weights>,
}

/// Weights, packed for one direction.
enum Weights {
    /// A convolution.
    Boards(Box<dyn Filters>),
    /// A dense layer.
    Flat(Packed<f32>),
}

/// The batch and what computes it.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) arithmetic: &'a dyn Arithmetic,
    pub(crate) shares: &'a [Range<usize>],
}

impl Context<'_> {
    /// Boards of the batch.
    pub(crate) fn boards(self) -> usize {
        self.shares.last().map_or(0, |share| share.end)
    }

    /// Works on the shares of a tensor side by side; gives what each share gave, in order.
    pub(crate) fn each<R: Send>(
        self,
        tensor: &mut Tensor,
        work: impl Fn(&Range<usize>, &mut [f32]) -> R + Sync,
    ) -> Vec<R> {
        let parts: Vec<_> = self.shares.iter().zip(tensor.split(self.shares)).collect();
        parts.into_par_iter().map(|(share, part)| work(share, part)).collect()
    }

    /// As [`Context::each`], on the shares of two tensors.
    pub(crate) fn each_of_two(
        self,
        (first, second): (&mut Tensor, &mut Tensor),
        work: impl Fn(&Range<usize>, &mut [f32], &mut [f32]) + Sync,
    ) {
        let parts: Vec<_> = first.split(self.shares).into_iter().zip(second.split(self.shares)).collect();
        self.shares.par_iter().zip(parts).for_each(|(share, (first, second))| work(share, first, second));
    }

    /// As [`Context::each`], for work that adds up `columns` numbers; gives their sums over the shares, in order.
    pub(crate) fn sum(
        self,
        tensor: &mut Tensor,
        columns: usize,
        work: impl Fn(&Range<usize>, &mut [f32], &mut [f64]) + Sync,
    ) -> Vec<f64> {
        let parts = self.each(tensor, |share, part| {
            let mut sums = vec![0.0; columns];
            work(share, part, &mut sums);
            sums
        });
        let mut total = vec![0.0; columns];
        for part in parts {
            for (sum, term) in total.iter_mut().zip(part) {
                *sum += term;
            }
        }
        total
    }
}

impl Linear {
    /// Packs `[taps][inputs][outputs]` for rows that lie like this; `backward` where the gradient of the input is asked
    /// for.
    pub(crate) fn pack(
        self,
        arithmetic: &dyn Arithmetic,
        layout: Layout,
        weights: &[f32],
        backward: bool,
    ) -> PackedLinear {
        let Self { reach, inputs, outputs } = self;
        assert!(layout == Layout::Boards || reach == Reach::Square, "only boards have neighbours");
        let pack = |matrix: &Matrix<'_>| match layout {
            Layout::Boards => Weights::Boards(arithmetic.filters(matrix)),
            Layout::Flat => Weights::Flat(arithmetic.pack(matrix)),
        };
        let taps = reach.taps();
        let forward = pack(&Matrix { taps, inputs, outputs, weights });
        let backward = backward.then(|| {
            // What flows back along a tap is multiplied with the transposed weights of the opposite tap.
            let mut reversed = vec![0.0; weights.len()];
            for tap in 0..taps {
                for input in 0..inputs {
                    for output in 0..outputs {
                        reversed[((taps - 1 - tap) * outputs + output) * inputs + input] =
                            weights[(tap * inputs + input) * outputs + output];
                    }
                }
            }
            pack(&Matrix { taps, inputs: outputs, outputs: inputs, weights: &reversed })
        });
        PackedLinear { linear: self, forward, backward }
    }
}

impl PackedLinear {
    /// `output = input * weights`.
    pub(crate) fn forward(&self, context: Context<'_>, input: &Tensor, output: &mut Tensor) {
        self.forward.multiply(context, input, output);
    }

    /// The gradient of the input from that of the output.
    pub(crate) fn backward(&self, context: Context<'_>, gradient: &Tensor, input_gradient: &mut Tensor) {
        let weights = self.backward.as_ref().expect("a layer whose input has a gradient is packed for it");
        weights.multiply(context, gradient, input_gradient);
    }

    /// The gradient of the weights, `[taps][inputs][outputs]`.
    pub(crate) fn weight_gradient(
        &self,
        context: Context<'_>,
        input: &Tensor,
        gradient: &Tensor,
    ) -> Vec<f32> {
        let Linear { reach, inputs, outputs } = self.linear;
        let columns = padded(outputs, CHANNEL_BLOCK);
        assert!(input.layout == gradient.layout && columns == gradient.width, "tensors of another layer");
        let of_share = |share: &Range<usize>| {
            let mut result = vec![0.0; reach.taps() * inputs * columns];
            match input.layout {
                Layout::Boards => context.arithmetic.filter_gradient(FilterGradient {
                    reach,
                    inputs,
                    input,
                    gradient,
                    boards: share,
                    result: &mut result,
                }),
                Layout::Flat => context.arithmetic.weight_gradient(WeightGradient {
                    input: &input.data,
                    input_rows: flat_rows(input, share),
                    taps: &[0],
                    inputs,
                    gradient: &gradient.data,
                    gradient_rows: flat_rows(gradient, share),
                    outputs: columns,
                    result: &mut result,
                    size: (1, share.len()),
                }),
            }
            result
        };
        let shares: Vec<Vec<f32>> = context.shares.par_iter().map(of_share).collect();
        let mut total = vec![0.0; reach.taps() * inputs * outputs];
        total.par_chunks_mut(outputs).enumerate().for_each(|(row, total)| {
            for share in &shares {
                for (sum, part) in total.iter_mut().zip(&share[row * columns..]) {
                    *sum += part;
                }
            }
        });
        total
    }
}

impl Weights {
    fn multiply(&self, context: Context<'_>, input: &Tensor, output: &mut Tensor) {
        assert!(input.layout == output.layout, "tensors of another layer");
        let width = output.width;
        context.each(output, |share, part| match self {
            Self::Boards(filters) => filters.convolve(input, share, part),
            Self::Flat(weights) => {
                assert_eq!(weights.outputs, width, "tensors of another layer");
                context.arithmetic.product(Product {
                    input: &input.data,
                    input_rows: flat_rows(input, share),
                    taps: &[0],
                    weights,
                    output: part,
                    output_rows: Rows { first: 0, group_stride: 0, stride: width },
                    size: (1, share.len()),
                });
            }
        });
    }
}

/// The rows of a share, one for each board.
fn flat_rows(tensor: &Tensor, share: &Range<usize>) -> Rows {
    Rows { first: tensor.start(share.start), group_stride: 0, stride: tensor.width }
}
