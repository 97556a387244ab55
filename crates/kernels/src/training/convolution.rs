//! Convolutions of a micro-batch, forward and backward, on the backends of inference.

mod direct;
mod mixed;
mod tiles;
mod winograd;

pub(crate) use winograd::pack_filters;

use super::{
    backend::{FilterGradient, TrainingBackend},
    linear::{Linear, reversed},
    work::{GROUP, Work},
};
use crate::{
    backend::{Backend, Batch},
    gemm::Matrix,
    layout::{Boards, CHANNEL_BLOCK, Grid, padded},
    simd::element::Element,
    start::Start,
};

/// The source of the gradient of each board's sums, and the destination of the gradient of its input.
pub(crate) struct GradientFlow<S, I> {
    /// Writes the gradient for the squares of a board.
    pub(crate) of_sums: S,
    /// Receives the gradient for the squares of a board.
    pub(crate) of_input: I,
}

/// The passes for which a layer's weights are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Directions {
    /// Forward only: the layer reads the network's input, whose gradient is not needed.
    Forward,
    Both,
}

/// A layer's weights, packed for one or both directions.
pub(crate) struct PackedConvolution<G: Backend> {
    linear: Linear,
    forward: G::Convolution,
    backward: Option<G::Convolution>,
}

impl<G: TrainingBackend> PackedConvolution<G> {
    /// Packs `[taps][inputs][outputs]`.
    pub(crate) fn new(backend: &G, linear: Linear, weights: &[f32], directions: Directions) -> Self {
        let Linear { kernel_size, inputs, outputs } = linear;
        let taps = kernel_size.taps();
        let pack = |inputs: usize, outputs: usize, weights: &[f32]| {
            backend.pack(&Matrix { taps, inputs, outputs, weights }, padded(inputs, CHANNEL_BLOCK))
        };
        let forward = pack(inputs, outputs, weights);
        let backward = (directions == Directions::Both)
            .then(|| pack(outputs, inputs, &reversed(backend.simd(), weights, (taps, inputs, outputs))));
        Self { linear, forward, backward }
    }

    /// Calls `each` with the sums of every board, `[72 positions][outputs]`.
    pub(crate) fn forward(
        &self,
        work: &mut Work<G>,
        input: &Boards<G::Element>,
        each: impl FnMut(usize, &[f32]),
    ) {
        let Work { backend, convolution, boards, .. } = work;
        convolve(backend, convolution, &self.forward, (input, *boards), each);
    }

    /// Computes the gradient of the weights into `result`, `[taps][inputs][padded outputs]`, and the gradient of the
    /// input if weights for it were packed.
    pub(crate) fn backward(
        &self,
        work: &mut Work<G>,
        input: &Boards<G::Element>,
        result: &mut Vec<f32>,
        flow: GradientFlow<impl FnMut(usize, &mut [G::Element]), impl FnMut(usize, &[f32])>,
    ) {
        let GradientFlow { mut of_sums, mut of_input } = flow;
        let Linear { kernel_size, inputs, outputs } = self.linear;
        let width = padded(outputs, CHANNEL_BLOCK);
        result.resize(kernel_size.taps() * inputs * width, 0.0);
        let mut gradient = work.take(width);
        for first in (0..work.boards).step_by(GROUP) {
            let boards = GROUP.min(work.boards - first);
            for board in 0..boards {
                of_sums(first + board, gradient.board_mut(board));
            }
            let Work { backend, convolution, filter_gradient, .. } = &mut *work;
            let start = if first == 0 { Start::Fresh } else { Start::Continued };
            let gradient = &gradient;
            let request =
                FilterGradient { kernel_size, inputs, input, first, boards, gradient, result, start };
            backend.filter_gradient(request, filter_gradient);
            if let Some(weights) = &self.backward {
                let of_group = (gradient, boards);
                convolve(backend, convolution, weights, of_group, |board, sums| {
                    of_input(first + board, sums);
                });
            }
        }
        let Work { backend, filter_gradient, .. } = &mut *work;
        backend.end_filter_gradient(kernel_size, result, filter_gradient);
        work.give(gradient);
    }
}

/// Calls `each` with the sums of every board.
fn convolve<G: Backend<Element: Element<Sum = f32>>>(
    backend: &G,
    work: &mut G::Work,
    weights: &G::Convolution,
    (input, boards): (&Boards<G::Element>, usize),
    mut each: impl FnMut(usize, &[f32]),
) {
    backend.begin(work);
    for first in (0..boards).step_by(G::BOARDS) {
        let grid = Grid { board: first, ..input.grid() };
        let count = G::BOARDS.min(boards - first);
        backend.convolve(weights, Batch { input: grid, boards: count }, work, |board, sums| {
            each(first + board, sums);
        });
    }
    backend.end(work);
}

#[cfg(test)]
mod tests;
