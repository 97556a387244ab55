//! Convolutions as GEMMs: one row of the left matrix per output square, gathered from its patch unless the patch is a
//! single square.
//!
//! Three ways to share the work, none of which changes the order in which any number is summed:
//! - the output and the gradient of the input are divided by rows (every row is independent);
//! - streamed layers are divided by columns, because their weights are the larger operand;
//! - the gradient of the weights is divided by its own elements: a task owns some taps and inputs, and goes over all rows of the
//!   batch. There are no partial sums to add up, unlike in Winograd's algorithm, where a task owns boards.

use std::{borrow::Cow, ops::Range};

use super::{
    Known,
    matrix::{multiply, rows, staggered},
    strips::Strips,
};
use crate::{
    gemm::{Packed, Rows},
    gradient::{Start, WeightGradient},
    layers::{im2col::Im2Col, list::Shape, operation::Patch, workers::Workers},
    layout::{CHANNEL_BLOCK, padded},
    simd::{GradientLanes, Lanes},
};

/// The largest number of rows that one thread multiplies at a time. The weights are read once for all of them.
const MOST_ROWS: usize = 512;
/// Size of the buffer into which patches are gathered, in floats: small enough to stay in the cache.
const GATHERED: usize = 1 << 16;
/// Number of weights from which on the packed weights no longer stay in the cache until they are used.
const STREAMED: usize = 1 << 18;
/// Number of inputs for which one thread accumulates weight gradients at a time, and of rows that it reads for them.
pub(super) const INPUTS: usize = 64;
const GRADIENT_ROWS: usize = 256;

/// The results required of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::layers) enum Needs {
    /// The output, with weights that never change.
    Play,
    /// The output and the gradient of the weights, which change at every step.
    Weights,
    /// Also the gradient of the input.
    All,
}

/// The squares from which a row of the left matrix is read.
pub(super) enum Source {
    /// The square itself.
    Squares,
    /// The squares of a patch, gathered.
    Im2Col(Im2Col),
}

/// The GEMM of a layer: its weights multiply the squares themselves or their im2col.
pub(super) struct GemmShape {
    pub(super) source: Source,
    pub(super) from: Shape,
    pub(super) to: Shape,
}

/// Some taps and some input channels of each, with their gradients `[taps][channels][outputs]`.
pub(super) struct GradientTask<'a> {
    pub(super) taps: Range<usize>,
    pub(super) channels: Range<usize>,
    pub(super) weights: &'a mut [f32],
}

impl GemmShape {
    pub(super) fn new(patch: Patch, [from, to]: [Shape; 2]) -> Self {
        let source = match patch {
            Patch::SQUARE => Source::Squares,
            _ => Source::Im2Col(Im2Col::new(patch, from, to)),
        };
        Self { source, from, to }
    }

    /// Length of a row of the left matrix.
    pub(super) fn columns(&self) -> usize {
        match &self.source {
            Source::Squares => self.from.channels,
            Source::Im2Col(im2col) => im2col.columns(),
        }
    }

    /// The taps that touch the map, numbered as in the weights.
    fn taps(&self) -> &[usize] {
        match &self.source {
            Source::Squares => &[0],
            Source::Im2Col(im2col) => &im2col.taps,
        }
    }

    /// The weights of the taps that touch the map, `[columns][outputs]`, of `[taps][inputs][outputs]`.
    pub(super) fn live<'a>(&self, weights: &'a [f32]) -> Cow<'a, [f32]> {
        let tap = self.from.channels * self.to.channels;
        if self.columns() * self.to.channels == weights.len() {
            return Cow::Borrowed(weights);
        }
        self.taps().iter().flat_map(|number| &weights[number * tap..][..tap]).copied().collect()
    }

    /// Number of rows that one thread takes at a time: an equal share of all rows, from 8 to `most`, and whole boards, because patches
    /// are gathered board by board.
    pub(super) fn rows_at_a_time(&self, threads: usize, rows: usize, most: usize) -> usize {
        let squares = self.to.squares();
        let rows = rows.div_ceil(threads).clamp(8.min(rows), most);
        rows.div_ceil(squares) * squares
    }

    /// All taps that touch the map, and all channels.
    pub(super) fn whole(&self) -> (Range<usize>, Range<usize>) {
        (0..self.taps().len(), 0..self.from.channels)
    }

    /// Divides the gradient of the weights, `[taps][inputs][outputs]`, into tasks of up to `most` inputs; the gradient for taps that
    /// never touch the map becomes zero.
    pub(super) fn gradient_tasks<'a>(&self, weights: &'a mut Vec<f32>, most: usize) -> Vec<GradientTask<'a>> {
        let (inputs, outputs) = (self.from.channels, self.to.channels);
        let all = match &self.source {
            Source::Squares => 1,
            Source::Im2Col(im2col) => im2col.all,
        };
        weights.resize(all * inputs * outputs, 0.0);
        let tap = inputs * outputs;
        // Taps with few inputs are multiplied together to fill a task, unless a tap is left out.
        let together = if self.taps().len() == all { (most / inputs).max(1) } else { 1 };
        let slices = weights.chunks_mut(together * tap).enumerate().filter_map(|(number, weights)| {
            let live = self.taps().iter().position(|tap| *tap == number * together);
            if live.is_none() {
                weights.fill(0.0);
            }
            let first = live?;
            Some((first..first + weights.len() / tap, weights))
        });
        let tasks = slices.flat_map(|(taps, weights)| {
            weights.chunks_mut(most * outputs).enumerate().map(move |(part, weights)| {
                let (first, count) = (part * most, weights.len() / outputs / taps.len());
                GradientTask { taps: taps.clone(), channels: first..first + count, weights }
            })
        });
        tasks.collect()
    }
}

/// A layer computed as one GEMM in f32.
pub(super) struct GemmConvolution {
    shape: GemmShape,
    needs: Needs,
    /// True if the weights are read in place, strip by strip, instead of being packed beforehand.
    pub(super) streams: bool,
    forward: Option<Packed<f32>>,
    backward: Option<Packed<f32>>,
}

impl GemmConvolution {
    pub(super) fn new(shape: GemmShape, needs: Needs) -> Self {
        let is_square = matches!(shape.source, Source::Squares);
        let is_large = shape.from.channels * shape.to.channels >= STREAMED;
        let streams = is_square && needs != Needs::Play && is_large;
        Self { shape, needs, streams, forward: None, backward: None }
    }

    /// Packs `[taps][inputs][outputs]`.
    pub(super) fn pack<S: Lanes<f32>>(&mut self, simd: S, weights: &[f32]) {
        if self.streams {
            return;
        }
        let (columns, outputs) = (self.shape.columns(), self.shape.to.channels);
        let weights = &self.shape.live(weights);
        let forward = self.forward.get_or_insert_with(|| Packed::zeros::<S>(columns, outputs));
        forward.set_rows::<S>(weights);
        if self.needs == Needs::All {
            let backward = self.backward.get_or_insert_with(|| Packed::zeros::<S>(outputs, columns));
            backward.set_columns(simd, weights);
        }
    }

    fn rows_at_a_time<S: GradientLanes<f32>>(&self, workers: Workers<S>, rows: usize) -> usize {
        let most = match &self.shape.source {
            Source::Squares => MOST_ROWS,
            Source::Im2Col(_) => (GATHERED / self.shape.columns()).clamp(8, MOST_ROWS),
        };
        self.shape.rows_at_a_time(workers.threads(), rows, most)
    }

    /// Computes the output of all boards and passes it, piece by piece, to `epilogue`.
    pub(super) fn forward<S: GradientLanes<f32>>(
        &self,
        workers: Workers<S>,
        input: &[f32],
        output: &mut [f32],
        epilogue: impl Fn(&mut [f32]) + Sync + Send,
    ) {
        let weights = self.forward.as_ref().expect(super::super::PACKED);
        let (width, columns) = (self.shape.to.width(), self.shape.columns());
        let count = self.rows_at_a_time(workers, output.len() / width);
        let pieces = output.chunks_mut(count * width).enumerate().collect();
        workers.each(pieces, |(piece, output): (usize, &mut [f32])| {
            let (first, count) = (piece * count, output.len() / width);
            match &self.shape.source {
                Source::Squares => {
                    let stride = self.shape.from.width();
                    multiply(
                        workers.simd,
                        (&input[first * stride..], stride),
                        weights,
                        (output, width),
                        count,
                    );
                }
                Source::Im2Col(im2col) => {
                    let mut gathered = vec![0.0; count * columns];
                    let (taps, channels) = self.shape.whole();
                    let boards = &input[first / self.shape.to.squares() * self.shape.from.room()..];
                    im2col.gather_boards(workers.simd, boards, (&taps, &channels), &mut gathered);
                    multiply(workers.simd, (&gathered, columns), weights, (output, width), count);
                }
            }
            epilogue(output);
        });
    }

    pub(super) fn backward<S: GradientLanes<f32>>(
        &self,
        workers: Workers<S>,
        gradient: &[f32],
        input_gradient: &mut [f32],
    ) {
        let weights = self.backward.as_ref().expect(super::super::PACKED);
        let (width, columns) = (self.shape.to.width(), padded(self.shape.columns(), CHANNEL_BLOCK));
        let count = self.rows_at_a_time(workers, gradient.len() / width);
        let boards = count / self.shape.to.squares();
        let pieces = input_gradient.chunks_mut(boards * self.shape.from.room()).enumerate().collect();
        workers.each(pieces, |(piece, to): (usize, &mut [f32])| {
            let gradient = &gradient[piece * count * width..];
            let count = to.len() / self.shape.from.room() * self.shape.to.squares();
            match &self.shape.source {
                Source::Squares => {
                    multiply(workers.simd, (gradient, width), weights, (to, columns), count);
                }
                Source::Im2Col(im2col) => {
                    let (taps, _) = self.shape.whole();
                    let mut sums = vec![0.0; count * columns];
                    multiply(workers.simd, (gradient, width), weights, (&mut sums, columns), count);
                    to.fill(0.0);
                    let boards = sums.chunks_exact(self.shape.to.squares() * columns);
                    boards.zip(to.chunks_exact_mut(self.shape.from.room())).for_each(|(rows, board)| {
                        im2col.scatter(&taps, (rows, columns), board);
                    });
                }
            }
        });
    }

    /// Computes the output from unpacked weights, `[inputs][outputs]`.
    pub(super) fn stream<S: GradientLanes<f32>>(
        &self,
        workers: Workers<S>,
        weights: &[f32],
        input: &[f32],
        output: &mut [f32],
    ) {
        let outputs = self.shape.to.channels;
        let strips = Strips { inner: self.shape.from.channels, columns: outputs };
        let left = (input, self.shape.from.width());
        strips.multiply(
            workers,
            left,
            (output, self.shape.to.width()),
            |packed: &mut Packed<f32>, columns| {
                packed.set_strip::<S>(&weights[columns.start..], outputs, columns.len());
            },
        );
    }

    /// The gradient of the input; the transposed weights are read strip by strip in the same way.
    pub(super) fn stream_back<S: GradientLanes<f32>>(
        &self,
        workers: Workers<S>,
        weights: &[f32],
        gradient: &[f32],
        input_gradient: &mut [f32],
    ) {
        let outputs = self.shape.to.channels;
        let strips = Strips { inner: outputs, columns: self.shape.from.channels };
        let left = (gradient, self.shape.to.width());
        strips.multiply(
            workers,
            left,
            (input_gradient, self.shape.from.width()),
            |packed: &mut Packed<f32>, columns| {
                packed.set_columns(workers.simd, &weights[columns.start * outputs..columns.end * outputs]);
            },
        );
    }

    /// The gradient of the weights, `[taps][inputs][outputs]`, stored in the buffer passed as `weights`.
    pub(super) fn weight_gradient<S: GradientLanes<f32>>(
        &self,
        workers: Workers<S>,
        Known { input, gradient }: Known<'_>,
        mut weights: Vec<f32>,
    ) -> Vec<f32> {
        let outputs = self.shape.to.channels;
        let (input, input_stride) = match &self.shape.source {
            Source::Squares => staggered(input, self.shape.from.width()),
            // Gathered rows are packed densely, so there is nothing to stagger.
            Source::Im2Col(_) => (Cow::Borrowed(input), self.shape.from.width()),
        };
        let (gradient, gradient_stride) = staggered(gradient, self.shape.to.width());
        let sources = [(&input[..], input_stride), (&gradient[..], gradient_stride)];
        let tasks = self.shape.gradient_tasks(&mut weights, INPUTS);
        workers.each(tasks, |GradientTask { taps, channels, weights }| {
            let width = self.shape.to.width();
            if width == outputs {
                self.add_products(workers.simd, (taps, channels), sources, weights);
                return;
            }
            let mut sums = vec![0.0; taps.len() * channels.len() * width];
            self.add_products(workers.simd, (taps, channels), sources, &mut sums);
            for (row, sums) in weights.chunks_exact_mut(outputs).zip(sums.chunks_exact(width)) {
                row.copy_from_slice(&sums[..outputs]);
            }
        });
        weights
    }

    /// The gradient of the weights of some taps and inputs, `[taps][inputs][padded outputs]`.
    fn add_products<S: GradientLanes<f32>>(
        &self,
        simd: S,
        (taps, channels): (Range<usize>, Range<usize>),
        [(input, input_stride), (gradient, gradient_stride)]: [(&[f32], usize); 2],
        result: &mut [f32],
    ) {
        let (width, squares) = (self.shape.to.width(), self.shape.to.squares());
        let inputs = taps.len() * channels.len();
        // 64 inputs x 256 rows of the left operand (64 KB) and 256 rows of the gradient stay in L2 while the blocks of the result
        // pass over them. The pieces are counted in boards, not in threads, which fixes the order of the sum.
        let boards = (GRADIENT_ROWS / squares).max(1);
        let mut gathered = Vec::new();
        for (piece, gradient) in gradient.chunks(boards * squares * gradient_stride).enumerate() {
            let (count, first) = (gradient.len() / gradient_stride, piece * boards);
            let (input, input_rows) = match &self.shape.source {
                Source::Squares => {
                    let from = &input[first * squares * input_stride..];
                    (from, Rows { first: channels.start, ..rows(input_stride) })
                }
                Source::Im2Col(im2col) => {
                    gathered.resize(count * inputs, 0.0);
                    let boards = &input[first * self.shape.from.room()..];
                    im2col.gather_boards(simd, boards, (&taps, &channels), &mut gathered);
                    (&gathered[..], rows(inputs))
                }
            };
            simd.run(WeightGradient {
                input,
                input_rows,
                taps: &[0],
                inputs,
                gradient,
                gradient_rows: rows(gradient_stride),
                outputs: width,
                result: &mut *result,
                start: if piece == 0 { Start::Fresh } else { Start::Continued },
                size: (1, count),
            });
        }
    }
}
