//! Dense layers and convolutions of any patch, stride and map as GEMMs with 16-bit operands.
//!
//! The three products are those of [`super::super::gemm`], and so is the division among threads: the output and the gradient of the
//! input by rows, the gradient of the weights by its own elements. What differs is the packing of both operands
//! ([`super::panels`]): a thread packs the rows it multiplies, while the weights and, for their own gradient, the gradient of the
//! output are packed once for all threads.

use std::{ops::Range, sync::Arc};

use super::{
    HalfBackend, HalfConvolution, Pool,
    panels::{Along, BLOCK, Operand, Pack, Panels, Product, Side},
};
use crate::{
    aligned::Aligned,
    layers::convolution::{
        Known,
        gemm::{GemmShape, GradientTask, Needs, Source},
        grown,
    },
    layout::{CHANNEL_BLOCK, padded},
    simd::{Simd as _, element::Bf16},
};

/// Numbers that a thread packs at a time: 512 KB, which leave room in L2 for two panels of the other operand.
const NUMBERS: usize = 1 << 18;
/// The largest number of rows that a thread multiplies at a time.
const MOST_ROWS: usize = 512;

/// A thread's operands, which grow to the largest size needed.
pub(super) struct Operands {
    left: Aligned<Bf16>,
    gathered: Aligned<f32>,
    sums: Aligned<f32>,
}

impl Default for Operands {
    fn default() -> Self {
        Self {
            left: Aligned::filled(0, Bf16::default()),
            gathered: Aligned::filled(0, 0.0),
            sums: Aligned::filled(0, 0.0),
        }
    }
}

/// A layer computed as one GEMM on a backend.
pub(super) struct HalfGemm<G: HalfBackend> {
    pool: Arc<Pool<G>>,
    shape: GemmShape,
    needs: Needs,
    /// The weights, and the transposed weights.
    forward: Panels,
    backward: Panels,
}

impl<G: HalfBackend> HalfGemm<G> {
    pub(super) fn new(pool: Arc<Pool<G>>, shape: GemmShape, needs: Needs) -> Self {
        Self { pool, shape, needs, forward: Panels::default(), backward: Panels::default() }
    }

    fn rows_at_a_time(&self, helpers: bool, rows: usize, inner: usize) -> usize {
        let most = (NUMBERS / inner).clamp(BLOCK, MOST_ROWS);
        self.shape.rows_at_a_time(self.pool.workers(helpers).threads(), rows, most)
    }

    /// Packs the left operand and multiplies it; `output` has rows of `columns` sums.
    fn multiply(
        &self,
        (packed, work): (&mut Aligned<Bf16>, &mut G::GradientWork),
        left: Operand<'_>,
        right: &[Bf16],
        (output, columns): (&mut [f32], usize),
    ) {
        let backend = &self.pool.backend;
        let tiles = grown(packed, left.packed_len());
        backend.simd().run(Pack { operand: left, side: Side::Left, first: 0, tiles: &mut *tiles });
        backend.multiply(Product { left: tiles, right, inner: left.inner, output, columns }, work);
    }

    /// The inputs that some taps and channels read for each output square of some boards: as rows of the left operand along
    /// [`Along::Inner`], transposed along [`Along::Outer`].
    fn left<'a>(
        &self,
        gathered: &'a mut Aligned<f32>,
        input: &'a [f32],
        (taps, channels): (Range<usize>, Range<usize>),
        along: Along,
    ) -> Operand<'a> {
        let (from, to) = (self.shape.from, self.shape.to);
        let (rows, columns) = (input.len() / from.room() * to.squares(), taps.len() * channels.len());
        let (values, stride) = match &self.shape.source {
            Source::Squares => (&input[channels.start..], from.width()),
            Source::Im2Col(im2col) => {
                let gathered = grown(gathered, rows * columns);
                im2col.gather_boards(self.pool.backend.simd(), input, (&taps, &channels), gathered);
                (&*gathered, columns)
            }
        };
        let (outer, inner) = match along {
            Along::Inner => (rows, columns),
            Along::Outer => (columns, rows),
        };
        Operand { values, stride, along, outer, inner }
    }

    fn input_gradient(&self, helpers: bool, gradient: &[f32], input_gradient: &mut [f32]) {
        let (from, to) = (self.shape.from, self.shape.to);
        let columns = padded(self.shape.columns(), CHANNEL_BLOCK);
        let count = self.rows_at_a_time(helpers, gradient.len() / to.width(), to.channels);
        let boards = count / to.squares();
        let pieces = input_gradient.chunks_mut(boards * from.room()).zip(gradient.chunks(boards * to.room()));
        self.pool.workers(helpers).each(pieces.collect(), |(values, gradient): (&mut [f32], &[f32])| {
            self.pool.with(|work| {
                let Operands { left, sums, .. } = &mut work.operands;
                let operand = Operand {
                    values: gradient,
                    stride: to.width(),
                    along: Along::Inner,
                    outer: gradient.len() / to.width(),
                    inner: to.channels,
                };
                let (memory, right) = ((left, &mut work.filter_gradient), self.backward.tiles());
                let Source::Im2Col(im2col) = &self.shape.source else {
                    return self.multiply(memory, operand, right, (values, columns));
                };
                let sums = grown(sums, operand.outer * columns);
                self.multiply(memory, operand, right, (&mut *sums, columns));
                values.fill(0.0);
                let boards = sums.chunks_exact(to.squares() * columns);
                for (rows, board) in boards.zip(values.chunks_exact_mut(from.room())) {
                    im2col.scatter((rows, columns), board);
                }
            });
        });
    }
}

impl<G: HalfBackend> HalfConvolution for HalfGemm<G> {
    fn pack(&mut self, weights: &[f32]) {
        let weights = &*self.shape.live(weights);
        let (columns, outputs) = (self.shape.columns(), self.shape.to.channels);
        let workers = self.pool.workers(true);
        let matrix = |along, [outer, inner]: [usize; 2]| Operand {
            values: weights,
            stride: outputs,
            along,
            outer,
            inner,
        };
        self.forward.set(workers, matrix(Along::Outer, [outputs, columns]));
        if self.needs == Needs::All {
            self.backward.set(workers, matrix(Along::Inner, [columns, outputs]));
        }
    }

    fn forward(
        &self,
        helpers: bool,
        input: &[f32],
        output: &mut [f32],
        epilogue: &(dyn Fn(&mut [f32]) + Sync),
    ) {
        let (from, to) = (self.shape.from, self.shape.to);
        let count = self.rows_at_a_time(helpers, output.len() / to.width(), self.shape.columns());
        let boards = count / to.squares();
        let pieces = output.chunks_mut(boards * to.room()).zip(input.chunks(boards * from.room()));
        self.pool.workers(helpers).each(pieces.collect(), |(output, input): (&mut [f32], &[f32])| {
            self.pool.with(|work| {
                let Operands { left, gathered, .. } = &mut work.operands;
                let rows = self.left(gathered, input, self.shape.whole(), Along::Inner);
                let memory = (left, &mut work.filter_gradient);
                self.multiply(memory, rows, self.forward.tiles(), (&mut *output, to.width()));
            });
            epilogue(output);
        });
    }

    fn backward(
        &self,
        helpers: bool,
        Known { input, gradient }: Known<'_>,
        input_gradient: Option<&mut [f32]>,
        mut spare: Vec<f32>,
    ) -> Vec<f32> {
        if let Some(values) = input_gradient {
            self.input_gradient(helpers, gradient, values);
        }
        let (workers, to) = (self.pool.workers(helpers), self.shape.to);
        let rows = Operand {
            values: gradient,
            stride: to.width(),
            along: Along::Outer,
            outer: to.channels,
            inner: gradient.len() / to.width(),
        };
        self.pool.panels.with(Panels::default, |packed| {
            packed.set(workers, rows);
            let tasks = self.shape.gradient_tasks(&mut spare);
            workers.each(tasks, |GradientTask { taps, channels, weights }| {
                self.pool.with(|work| {
                    let Operands { left, gathered, .. } = &mut work.operands;
                    let columns = self.left(gathered, input, (taps, channels), Along::Outer);
                    let memory = (left, &mut work.filter_gradient);
                    self.multiply(memory, columns, packed.tiles(), (weights, to.channels));
                });
            });
        });
        spare
    }
}
