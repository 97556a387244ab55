//! 3x3 convolutions of a whole board with Winograd's algorithm. Without a margin the outermost squares of the result are
//! omitted.
//!
//! The gradient of the input is the same convolution with reversed filters and swapped shapes; a layer without a margin becomes
//! one whose 6x6 gradient lies in the middle of the board, which is what the layout of the maps expresses.
//!
//! The gradient of the weights sums over all tiles of all boards. The batch is divided into micro-batches, at most 16, each with
//! a gradient of its own; within one, the boards are taken in groups whose transforms fit the caches; [`summed`] adds the
//! micro-batches in order. Groups of 8 boards instead of 16, and products over 4 boards instead of 8, were tried without gain
//! (`docs/experiments/training-kernel-changes.md`).

use std::ops::Range;

use super::{
    GROUP, Known,
    matrix::reversed,
    summed,
    transforms::{Convolve, Maps, Resources, convolve, filter_gradient},
};
use crate::{
    gemm::{Matrix, Packed},
    layers::{
        list::Shape,
        workers::{Workers, micro_batches},
    },
    simd::GradientLanes,
    winograd::pack_filters,
};

const TAPS: usize = 9;
/// Number of boards multiplied with a layer's weights at a time, if a cache holds both.
const BOARDS: usize = 8;
/// Numbers of weights per product from which on a layer's weights begin to outgrow the caches: each read of the weights
/// then serves twice, or four times, as many boards.
const WIDE: [usize; 2] = [1 << 15, 1 << 17];

/// A layer in training or play.
pub(super) struct WinogradConvolution {
    from: Shape,
    to: Shape,
    learns: bool,
    /// One matrix for each product of the forward pass and of the backward pass; empty until packed.
    forward: Vec<Packed<f32>>,
    backward: Vec<Packed<f32>>,
}

impl WinogradConvolution {
    pub(super) fn new(from: Shape, to: Shape, learns: bool) -> Self {
        Self { from, to, learns, forward: Vec::new(), backward: Vec::new() }
    }

    pub(super) fn pack<S: GradientLanes<f32>>(&mut self, simd: S, weights: &[f32]) {
        let (taps, inputs, outputs) = (TAPS, self.from.channels, self.to.channels);
        pack_filters(simd, &Matrix { taps, inputs, outputs, weights }, &mut self.forward);
        if self.learns {
            let weights = &reversed(simd, weights, [taps, inputs, outputs]);
            let (inputs, outputs) = (outputs, inputs);
            pack_filters(simd, &Matrix { taps, inputs, outputs, weights }, &mut self.backward);
        }
    }

    /// The bounds of [`WIDE`] that the weights of one product reach.
    fn is_wide(&self) -> [bool; 2] {
        WIDE.map(|bound| self.from.channels * self.to.channels >= bound)
    }

    /// Number of boards multiplied with the weights at a time; all boards are divided among the threads.
    fn boards_at_a_time<S: GradientLanes<f32>>(&self, workers: Workers<S>, boards: usize) -> usize {
        let [wide, wider] = self.is_wide();
        let most = BOARDS << (usize::from(wide) + usize::from(wider));
        boards.div_ceil(workers.threads()).clamp(1, most).max(BOARDS.min(boards))
    }

    /// Number of boards whose weight gradients are added up at a time. It determines the order of addition and therefore does not depend on
    /// the number of threads.
    fn group(&self) -> usize {
        if self.is_wide()[1] { 2 * GROUP } else { GROUP }
    }

    /// Computes the output of all boards and passes it, piece by piece, to `epilogue`.
    pub(super) fn forward<S: GradientLanes<f32>>(
        &self,
        resources: Resources<'_, S>,
        input: &[f32],
        output: &mut [f32],
        epilogue: impl Fn(&mut [f32]) + Sync + Send,
    ) {
        assert!(!self.forward.is_empty(), "{}", super::super::PACKED);
        let input = Maps { numbers: input, shape: self.from };
        self.convolve(resources, Convolve { filters: &self.forward, input, to: self.to, output }, epilogue);
    }

    fn convolve<S: GradientLanes<f32>>(
        &self,
        resources: Resources<'_, S>,
        all: Convolve<'_>,
        epilogue: impl Fn(&mut [f32]) + Sync + Send,
    ) {
        let Convolve { filters, input: Maps { numbers, shape }, to, output } = all;
        let workers = resources.workers;
        let count = self.boards_at_a_time(workers, numbers.len() / shape.room());
        let pieces = output.chunks_mut(count * to.room()).zip(numbers.chunks(count * shape.room())).collect();
        workers.each(pieces, |(output, numbers): (&mut [f32], &[f32])| {
            let input = Maps { numbers, shape };
            convolve(resources, Convolve { filters, input, to, output: &mut *output });
            epilogue(output);
        });
    }

    /// The gradient of the weights, stored in `spare`, and of the input if required.
    pub(super) fn backward<S: GradientLanes<f32>>(
        &self,
        resources: Resources<'_, S>,
        known: Known<'_>,
        input_gradient: Option<&mut [f32]>,
        spare: Vec<f32>,
    ) -> Vec<f32> {
        let (workers, Known { input, gradient }) = (resources.workers, known);
        if let Some(output) = input_gradient {
            let input = Maps { numbers: gradient, shape: self.to };
            let back = Convolve { filters: &self.backward, input, to: self.from, output };
            self.convolve(resources, back, |_| {});
        }
        let mut spare = Some(spare);
        let batches = micro_batches(input.len() / self.from.room(), self.group());
        let tasks = batches.into_iter().map(|batch| (batch, spare.take().unwrap_or_default()));
        let parts = workers.each(tasks.collect(), |(batch, mut result): (Range<usize>, Vec<f32>)| {
            let part = |shape: Shape| batch.start * shape.room()..batch.end * shape.room();
            let input = Maps { numbers: &input[part(self.from)], shape: self.from };
            let gradient = Maps { numbers: &gradient[part(self.to)], shape: self.to };
            filter_gradient(resources, self.group(), input, gradient, &mut result);
            result
        });
        summed(workers, parts, self.to.channels)
    }
}
