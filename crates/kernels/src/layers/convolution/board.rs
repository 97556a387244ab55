//! 3x3 convolutions of a whole board by Winograd's algorithm. Without a margin the outermost squares of the result are left out.

use std::ops::Range;

use super::transforms::{Buffers, convolve, filter_gradient};
use crate::{
    FreeList,
    gemm::{Matrix, Packed},
    layers::{list::Shape, rows::Add, workers::Workers},
    layout::unpadded,
    simd::GradientLanes,
    training::{GROUP, micro_batches, pack_filters, reversed},
};

const TAPS: usize = 9;
/// Boards that are multiplied with a layer's weights at a time, where a cache holds both.
const BOARDS: usize = 8;
/// Numbers per product at which a layer's weights begin to outgrow the caches: from then on they are read for twice,
/// and for four times, as many boards at once.
const WIDE: [usize; 2] = [1 << 15, 1 << 17];

/// A layer in training or play.
pub(super) struct Board {
    from: Shape,
    to: Shape,
    learns: bool,
    /// One for each product, of the layer and of the way back; none before they are packed.
    forward: Vec<Packed<f32>>,
    backward: Vec<Packed<f32>>,
}

impl Board {
    pub(super) fn new(from: Shape, to: Shape, learns: bool) -> Self {
        Self { from, to, learns, forward: Vec::new(), backward: Vec::new() }
    }

    pub(super) fn pack<S: GradientLanes<f32>>(&mut self, simd: S, weights: &[f32]) {
        let (taps, inputs, outputs) = (TAPS, self.from.channels, self.to.channels);
        pack_filters(simd, &Matrix { taps, inputs, outputs, weights }, &mut self.forward);
        if self.learns {
            let weights = &reversed(simd, weights, (taps, inputs, outputs));
            let (inputs, outputs) = (outputs, inputs);
            pack_filters(simd, &Matrix { taps, inputs, outputs, weights }, &mut self.backward);
        }
    }

    /// The bounds of [`WIDE`] that the weights of one product reach.
    fn is_wide(&self) -> [bool; 2] {
        WIDE.map(|bound| self.from.channels * self.to.channels >= bound)
    }

    /// Boards that are multiplied with the weights at a time; all of them are shared out among the threads.
    fn boards_at_a_time<S: GradientLanes<f32>>(&self, workers: Workers<S>, boards: usize) -> usize {
        let [wide, wider] = self.is_wide();
        let most = BOARDS << (usize::from(wide) + usize::from(wider));
        boards.div_ceil(workers.threads()).clamp(1, most).max(BOARDS.min(boards))
    }

    /// Boards whose gradients of the weights are added up at a time. It decides the order of addition, and so does not depend on the threads.
    fn group(&self) -> usize {
        if self.is_wide()[1] { 2 * GROUP } else { GROUP }
    }

    /// Fills the output of all boards and passes it, piece by piece, to `epilogue`.
    pub(super) fn forward<S: GradientLanes<f32>>(
        &self,
        (workers, free): (Workers<S>, &FreeList<Buffers>),
        (input, output): (&[f32], &mut [f32]),
        epilogue: impl Fn(&mut [f32]) + Sync + Send,
    ) {
        assert!(!self.forward.is_empty(), "{}", super::super::PACKED);
        self.convolve((workers, free, &self.forward), (input, self.from), (output, self.to), epilogue);
    }

    fn convolve<S: GradientLanes<f32>>(
        &self,
        (workers, free, filters): (Workers<S>, &FreeList<Buffers>, &[Packed<f32>]),
        (input, from): (&[f32], Shape),
        (output, to): (&mut [f32], Shape),
        epilogue: impl Fn(&mut [f32]) + Sync + Send,
    ) {
        let count = self.boards_at_a_time(workers, input.len() / from.room());
        let pieces = output.chunks_mut(count * to.room()).zip(input.chunks(count * from.room())).collect();
        workers.each(pieces, |(output, input): (&mut [f32], &[f32])| {
            convolve((workers, free), filters, (input, from), (&mut *output, to));
            epilogue(output);
        });
    }

    /// The gradient of the weights, stored in `spare`, and that of the input if it is required.
    pub(super) fn backward<S: GradientLanes<f32>>(
        &self,
        (workers, free): (Workers<S>, &FreeList<Buffers>),
        (input, gradient): (&[f32], &[f32]),
        input_gradient: Option<&mut [f32]>,
        spare: Vec<f32>,
    ) -> Vec<f32> {
        if let Some(to) = input_gradient {
            self.convolve((workers, free, &self.backward), (gradient, self.to), (to, self.from), |_| {});
        }
        let mut spare = Some(spare);
        let batches = micro_batches(input.len() / self.from.room(), self.group());
        let tasks = batches.into_iter().map(|batch| (batch, spare.take().unwrap_or_default()));
        let parts = workers.each(tasks.collect(), |(batch, mut result): (Range<usize>, Vec<f32>)| {
            let part = |shape: Shape| batch.start * shape.room()..batch.end * shape.room();
            let (input, gradient) = (&input[part(self.from)], &gradient[part(self.to)]);
            let (input, gradient) = ((input, self.from), (gradient, self.to));
            filter_gradient((workers, free), self.group(), input, gradient, &mut result);
            result
        });
        let summed = parts.into_iter().reduce(|mut sums, terms| {
            workers.simd.run(Add { sum: &mut sums, term: &terms });
            sums
        });
        unpadded(summed.unwrap_or_default(), self.to.channels)
    }
}
