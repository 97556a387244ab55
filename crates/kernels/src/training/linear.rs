//! Convolutions and dense layers without what follows them: products over rows, forward and backward.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    arithmetic::Arithmetic,
    gradient::WeightGradient,
    shape::Reach,
    tensor::{Layout, Tensor},
};
use crate::{
    layout::{CHANNEL_BLOCK, padded, tap_offsets},
    product::{Matrix, Packed, Product},
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
    forward: Packed<f32>,
    backward: Option<Packed<f32>>,
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
    /// Packs `[taps][inputs][outputs]`; `backward` where the gradient of the input is asked for.
    pub(crate) fn pack(self, arithmetic: &dyn Arithmetic, weights: &[f32], backward: bool) -> PackedLinear {
        let Self { reach, inputs, outputs } = self;
        let taps = reach.taps();
        let forward = arithmetic.pack(&Matrix { taps, inputs, outputs, weights });
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
            arithmetic.pack(&Matrix { taps, inputs: outputs, outputs: inputs, weights: &reversed })
        });
        PackedLinear { linear: self, forward, backward }
    }
}

impl PackedLinear {
    /// `output = input * weights`.
    pub(crate) fn forward(&self, context: Context<'_>, input: &Tensor, output: &mut Tensor) {
        self.multiply(&self.forward, context, input, output);
    }

    /// The gradient of the input from that of the output.
    pub(crate) fn backward(&self, context: Context<'_>, gradient: &Tensor, input_gradient: &mut Tensor) {
        let weights = self.backward.as_ref().expect("a layer whose input has a gradient is packed for it");
        self.multiply(weights, context, gradient, input_gradient);
    }

    fn multiply(&self, weights: &Packed<f32>, context: Context<'_>, input: &Tensor, output: &mut Tensor) {
        assert!(input.layout == output.layout && weights.outputs == output.width, "tensors of another layer");
        let taps = taps(self.linear.reach, input);
        let (layout, width, stride) = (output.layout, output.width, output.stride());
        let parts: Vec<_> = context.shares.iter().zip(output.split(context.shares)).collect();
        parts.into_par_iter().for_each(|(share, part)| {
            let mut product = |board: usize, size: (usize, usize)| {
                context.arithmetic.product(Product {
                    input: &input.data,
                    input_rows: layout.rows(input.width, input.start(board)),
                    taps: &taps,
                    weights,
                    output: part,
                    output_rows: layout.rows(width, (board - share.start) * stride),
                    size,
                });
            };
            match layout {
                Layout::Boards => share.clone().for_each(|board| product(board, (8, 8))),
                Layout::Flat => product(share.start, (1, share.len())),
            }
        });
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
        let (layout, taps) = (input.layout, taps(reach, input));
        let shares: Vec<Vec<f32>> = context
            .shares
            .par_iter()
            .map(|share| {
                let mut result = vec![0.0; taps.len() * inputs * columns];
                let mut add = |board: usize, size: (usize, usize)| {
                    context.arithmetic.weight_gradient(WeightGradient {
                        input: &input.data,
                        input_rows: layout.rows(input.width, input.start(board)),
                        taps: &taps,
                        inputs,
                        gradient: &gradient.data,
                        gradient_rows: layout.rows(gradient.width, gradient.start(board)),
                        outputs: columns,
                        result: &mut result,
                        size,
                    });
                };
                match layout {
                    Layout::Boards => share.clone().for_each(|board| add(board, (8, 8))),
                    Layout::Flat => add(share.start, (1, share.len())),
                }
                result
            })
            .collect();
        let mut total = vec![0.0; taps.len() * inputs * outputs];
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

fn taps(reach: Reach, input: &Tensor) -> Vec<isize> {
    match reach {
        Reach::Board => {
            assert!(input.layout == Layout::Boards, "only boards have neighbours");
            tap_offsets(3, input.width)
        }
        Reach::Square => vec![0],
    }
}
