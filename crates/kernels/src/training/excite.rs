//! Squeeze-excite (Hu et al. 2018, arXiv:1709.01507; with a shift as in lc0) between a normalisation and the skip
//! connection.
//!
//! The output of a channel is `activation(value * scale + shift + skip)`, where `value` is the normalised sum, and scale
//! and shift belong to the board. For the kernels of the normalisation, the unit is therefore a different factor and
//! shift for each board, and all it needs from a board are sums over its squares, which those kernels compute.

use super::{
    dense::{Dense, DenseActivations},
    folded::{Folded, Unfolded},
    normalise::Affine,
};
use crate::{
    Activation,
    layout::{CHANNEL_BLOCK, Flat, SQUARES, padded},
    simd::Lanes,
};

/// A squeeze-excite unit in training.
pub(crate) struct Excite {
    channels: usize,
    pub(crate) squeeze: Dense,
    pub(crate) expand: Dense,
}

/// Activations and gradients of a unit for one micro-batch.
pub(crate) struct ExciteActivations {
    pub(crate) pooled: Flat<f32>,
    pub(crate) squeeze: DenseActivations,
    pub(crate) expand: DenseActivations,
    /// Scales after the sigmoid.
    scale: Flat<f32>,
    /// `[2][width]` for each board: the factor and shift of its sums.
    affine: Flat<f32>,
    /// Gradients of the means.
    pooled_gradient: Flat<f32>,
    /// `[2][width]` for each board, to be applied to its gradients.
    backward_affine: Flat<f32>,
}

/// The sums of the layer before a unit.
pub(crate) struct LayerSums<'a> {
    pub(crate) folded: &'a Folded,
    /// Sums of each board's columns.
    pub(crate) board_sums: &'a Flat<f32>,
    /// Sums of each board's gradients, `[2][width]`.
    pub(crate) gradient_sums: &'a mut Flat<f32>,
}

fn halves(row: &[f32]) -> Affine<'_> {
    let (factor, shift) = row.split_at(row.len() / 2);
    Affine { factor, shift }
}

impl ExciteActivations {
    /// The factor and shift that are applied to a board's sums.
    pub(crate) fn affine(&self, board: usize) -> Affine<'_> {
        halves(self.affine.board(board))
    }

    /// The factor and shift that are applied to a board's gradients.
    pub(crate) fn backward_affine(&self, board: usize) -> Affine<'_> {
        halves(self.backward_affine.board(board))
    }
}

impl Excite {
    /// A unit whose parameters start at index `parameter`.
    pub(crate) fn new(channels: usize, hidden: usize, parameter: usize, activation: Activation) -> Self {
        let squeeze = Dense::new(channels, hidden, parameter, activation);
        let expand = Dense::new(hidden, 2 * channels, parameter + 2, Activation::Identity);
        Self { channels, squeeze, expand }
    }

    /// Allocates the activations of `boards` boards.
    pub(crate) fn room(&self, boards: usize) -> ExciteActivations {
        let width = padded(self.channels, CHANNEL_BLOCK);
        let rows = |width: usize| Flat::new(boards, width, 0.0);
        ExciteActivations {
            pooled: rows(width),
            squeeze: self.squeeze.room(boards),
            expand: self.expand.room(boards),
            scale: rows(width),
            affine: rows(2 * width),
            pooled_gradient: rows(width),
            backward_affine: rows(2 * width),
        }
    }

    /// Computes the unit's activations from the sums of each board's columns.
    pub(crate) fn forward<S: Lanes<f32>>(
        &self,
        simd: S,
        boards: usize,
        (board_sums, folded): (&Flat<f32>, &Folded),
        memory: &mut ExciteActivations,
    ) {
        let ExciteActivations { pooled, squeeze, expand, scale, affine, .. } = memory;
        for board in 0..boards {
            for (column, mean) in pooled.board_mut(board).iter_mut().enumerate() {
                let sum = board_sums.board(board)[column] / SQUARES as f32;
                *mean = sum * folded.factor[column] + folded.shift[column];
            }
        }
        self.squeeze.forward(simd, boards, pooled, squeeze);
        self.expand.forward(simd, boards, &squeeze.output, expand);
        for board in 0..boards {
            let (scales, shifts) = expand.output.board(board).split_at(self.channels);
            let scale = scale.board_mut(board);
            let (factor, shift) = affine.board_mut(board).split_at_mut(folded.factor.len());
            for channel in 0..self.channels {
                scale[channel] = 1.0 / (1.0 + (-scales[channel]).exp());
                factor[channel] = folded.factor[channel] * scale[channel];
                shift[channel] = folded.shift[channel] * scale[channel] + shifts[channel];
            }
        }
    }

    /// Propagates the gradient through the unit, given each board's sums from [`super::normalise::Gate`], and turns these
    /// sums into the sums of the gradients of the normalised values.
    pub(crate) fn backward<S: Lanes<f32>>(
        &self,
        simd: S,
        boards: usize,
        layer: LayerSums<'_>,
        memory: &mut ExciteActivations,
    ) {
        let LayerSums { folded, board_sums, gradient_sums } = layer;
        let width = folded.factor.len();
        let ExciteActivations { squeeze, expand, scale, pooled_gradient, .. } = memory;
        for board in 0..boards {
            let (sums, products) = gradient_sums.board(board).split_at(width);
            let (by_scale, by_shift) = expand.gradient.board_mut(board).split_at_mut(self.channels);
            let scale = scale.board(board);
            for channel in 0..self.channels {
                // The normalised value is `factor * centred + at_mean`.
                let at_mean = folded.shift[channel] + folded.mean[channel] * folded.factor[channel];
                let of_scale = folded.factor[channel] * products[channel] + at_mean * sums[channel];
                by_scale[channel] = of_scale * scale[channel] * (1.0 - scale[channel]);
                by_shift[channel] = sums[channel];
            }
        }
        self.expand.backward(simd, boards, expand, &mut squeeze.gradient);
        self.squeeze.backward(simd, boards, squeeze, pooled_gradient);
        for board in 0..boards {
            let (sums, products) = gradient_sums.board_mut(board).split_at_mut(width);
            let (scale, pooled) = (scale.board(board), pooled_gradient.board(board));
            let of_board = board_sums.board(board);
            for channel in 0..self.channels {
                let centred = of_board[channel] / SQUARES as f32 - folded.mean[channel];
                sums[channel] = scale[channel] * sums[channel] + pooled[channel];
                products[channel] = scale[channel] * products[channel] + pooled[channel] * centred;
            }
        }
    }

    /// Computes the factor and shift that turn each board's gradients into the gradients of its sums.
    pub(crate) fn unfold(&self, boards: usize, unfolded: &Unfolded, memory: &mut ExciteActivations) {
        let ExciteActivations { scale, pooled_gradient, backward_affine, .. } = memory;
        for board in 0..boards {
            let (factor, shift) = backward_affine.board_mut(board).split_at_mut(unfolded.factor.len());
            let (scale, pooled) = (scale.board(board), pooled_gradient.board(board));
            for channel in 0..self.channels {
                factor[channel] = unfolded.factor[channel] * scale[channel];
                shift[channel] =
                    unfolded.shift[channel] + unfolded.factor[channel] * pooled[channel] / SQUARES as f32;
            }
        }
    }
}
