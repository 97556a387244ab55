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
    layers::{
        convolution::{
            Known,
            gemm::{GemmShape, GradientTask, Needs, Source},
            grown,
        },
        im2col::Gather,
        workers::Workers,
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

    fn workers(&self, helpers: bool) -> Workers<G::Simd> {
        Workers { simd: self.pool.backend.simd(), helpers }
    }

    fn rows_at_a_time(&self, helpers: bool, rows: usize, inner: usize) -> usize {
        let most = (NUMBERS / inner).clamp(BLOCK, MOST_ROWS);
        self.shape.rows_at_a_time(self.workers(helpers).threads(), rows, most)
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

    /// The rows of the left matrix that `count` rows of the output need; `input` starts with their first board.
    fn left_rows<'a>(&self, gathered: &'a mut Aligned<f32>, input: &'a [f32], count: usize) -> Operand<'a> {
        let (inner, squares) = (self.shape.columns(), self.shape.to.squares());
        let (values, stride) = match &self.shape.source {
            Source::Squares => (input, self.shape.from.width()),
            Source::Im2Col(im2col) => {
                let gathered = grown(gathered, count * inner);
                let boards =
                    gathered.chunks_exact_mut(squares * inner).zip(input.chunks(self.shape.from.room()));
                for (rows, board) in boards {
                    let (taps, channels) = (0..im2col.taps.len(), 0..self.shape.from.channels);
                    self.pool.backend.simd().run(Gather { im2col, board, taps, channels, rows });
                }
                (&*gathered, inner)
            }
        };
        Operand { values, stride, along: Along::Inner, outer: count, inner }
    }

    /// The transposed inputs of some taps and channels, for all boards.
    fn left_columns<'a>(
        &self,
        gathered: &'a mut Aligned<f32>,
        input: &'a [f32],
        (taps, channels): (Range<usize>, Range<usize>),
    ) -> Operand<'a> {
        let (boards, squares) = (input.len() / self.shape.from.room(), self.shape.to.squares());
        let (outer, inner) = (taps.len() * channels.len(), boards * squares);
        let (values, stride) = match &self.shape.source {
            Source::Squares => (&input[channels.start..], self.shape.from.width()),
            Source::Im2Col(im2col) => {
                let gathered = grown(gathered, inner * outer);
                let boards =
                    gathered.chunks_exact_mut(squares * outer).zip(input.chunks(self.shape.from.room()));
                for (rows, board) in boards {
                    let (taps, channels) = (taps.clone(), channels.clone());
                    self.pool.backend.simd().run(Gather { im2col, board, taps, channels, rows });
                }
                (&*gathered, outer)
            }
        };
        Operand { values, stride, along: Along::Outer, outer, inner }
    }

    fn input_gradient(&self, helpers: bool, gradient: &[f32], input_gradient: &mut [f32]) {
        let (from, to) = (self.shape.from, self.shape.to);
        let columns = padded(self.shape.columns(), CHANNEL_BLOCK);
        let count = self.rows_at_a_time(helpers, gradient.len() / to.width(), to.channels);
        let boards = count / to.squares();
        let pieces = input_gradient.chunks_mut(boards * from.room()).zip(gradient.chunks(boards * to.room()));
        self.workers(helpers).each(pieces.collect(), |(values, gradient): (&mut [f32], &[f32])| {
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
        let workers = self.workers(true);
        let matrix = |along, [outer, inner]: [usize; 2]| Operand {
            values: weights,
            stride: outputs,
            along,
            outer,
            inner,
        };
        self.forward.set(workers, (matrix(Along::Outer, [outputs, columns]), Side::Right));
        if self.needs == Needs::All {
            self.backward.set(workers, (matrix(Along::Inner, [columns, outputs]), Side::Right));
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
        self.workers(helpers).each(pieces.collect(), |(output, input): (&mut [f32], &[f32])| {
            self.pool.with(|work| {
                let Operands { left, gathered, .. } = &mut work.operands;
                let rows = self.left_rows(gathered, input, output.len() / to.width());
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
        let (workers, to) = (self.workers(helpers), self.shape.to);
        let rows = Operand {
            values: gradient,
            stride: to.width(),
            along: Along::Outer,
            outer: to.channels,
            inner: gradient.len() / to.width(),
        };
        self.pool.panels.with(Panels::default, |packed| {
            packed.set(workers, (rows, Side::Right));
            let tasks = self.shape.gradient_tasks(&mut spare);
            workers.each(tasks, |GradientTask { taps, channels, weights }| {
                self.pool.with(|work| {
                    let Operands { left, gathered, .. } = &mut work.operands;
                    let columns = self.left_columns(gathered, input, (taps, channels));
                    let memory = (left, &mut work.filter_gradient);
                    self.multiply(memory, columns, packed.tiles(), (weights, to.channels));
                });
            });
        });
        spare
    }
}
