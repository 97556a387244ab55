//! Dense layers and convolutions of any patch, stride and map as GEMMs with 16-bit operands.
//!
//! The three products are those of [`super::super::gemm`], and so is the division among threads: the output and the gradient of the
//! input by rows, the gradient of the weights by its own elements. What differs is the packing of both operands
//! ([`super::panels`]): a thread packs the rows it multiplies, while the weights and, for their own gradient, the gradient of the
//! output are packed once for all threads.
//!
//! Weights that do not stay in a core's cache are read as seldom as possible. If all rows of the left operand stay there, each thread
//! multiplies them by some columns of the weights. Otherwise the rows of wide patches are multiplied in parts of the inner dimension,
//! so that a thread takes hundreds of rows at a time.

use std::{ops::Range, sync::Arc};

use super::{
    HalfBackend, HalfConvolution, Pool, Work,
    panels::{Along, BLOCK, DEPTH, Operand, Pack, Panels, Product, SIDE, Side, TILE},
};
use crate::{
    aligned::Aligned,
    gradient::Start,
    layers::convolution::{
        Known,
        gemm::{GemmShape, GradientTask, INPUTS, Needs, Source},
        grown,
    },
    layout::{CHANNEL_BLOCK, padded},
    simd::{Simd as _, element::Bf16},
};

/// Numbers that a thread packs at a time: 512 KB, which leave room in L2 for two panels of the other operand.
const NUMBERS: usize = 1 << 18;
/// The largest number of rows that a thread multiplies at a time.
const MOST_ROWS: usize = 512;
/// Inner dimension of a part of a product with more numbers on the left than a thread packs: with the whole of it, a thread would
/// take few rows, and read all weights for each few.
const PART: usize = NUMBERS / MOST_ROWS;
const _: () = assert!(PART.is_multiple_of(DEPTH), "a part begins with a tile of the weights");
/// The most inputs of a task for the gradient of the weights, if the gradient of the output is too large to stay in L2 for the next
/// task.
const MANY_INPUTS: usize = 256;

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

    /// Divides the columns of the im2col of `rows` rows into taps and channels that are multiplied one after another. This depends on
    /// the batch, never on the threads.
    fn parts(&self, rows: usize) -> Vec<(Range<usize>, Range<usize>)> {
        let inputs = self.shape.from.channels;
        let (taps, channels) = self.shape.whole();
        // The weights are packed in one piece, so a part has to begin with a tile of them.
        if rows * self.shape.columns() <= NUMBERS || !inputs.is_multiple_of(DEPTH) {
            return vec![(taps, channels)];
        }
        let ranges = |whole: Range<usize>, step: usize| {
            whole.clone().step_by(step).map(move |first| first..whole.end.min(first + step))
        };
        let of_taps = ranges(taps, (PART / inputs).max(1));
        of_taps
            .flat_map(|taps| ranges(channels.clone(), PART).map(move |part| (taps.clone(), part)))
            .collect()
    }

    /// Packs a left operand.
    fn packed<'a>(&self, memory: &'a mut Aligned<Bf16>, left: Operand<'_>) -> &'a [Bf16] {
        let (panel, tiles) = (left.panel(), grown(memory, left.packed_len()));
        let pack = Pack { operand: left, side: Side::Left, first: 0, panel, tile: TILE, tiles: &mut *tiles };
        self.pool.backend.simd().run(pack);
        tiles
    }

    /// True if all rows of the left operand stay in L2 but the weights do not. Then a thread takes some columns of all rows, so that it
    /// reads a part of the weights; otherwise it takes some rows, and reads all weights.
    fn has_few_rows(&self, rows: usize, inner: usize) -> bool {
        rows * inner <= 2 * NUMBERS && self.shape.columns() * self.shape.to.channels > NUMBERS
    }

    /// Multiplies all rows, each thread with some columns of the packed weights.
    fn multiply_by_columns(
        &self,
        helpers: bool,
        left: &[Bf16],
        right: &Panels,
        (output, columns): (&mut [f32], usize),
    ) {
        let (rows, workers) = (output.len() / columns, self.pool.workers(helpers));
        let (right_panel, inner) = (right.panel(), right.inner);
        let each = padded(columns.div_ceil(workers.threads()), BLOCK);
        let products = workers.each((0..columns).step_by(each).collect(), |first| {
            let columns = each.min(columns - first);
            let mut sums = vec![0.0; rows * columns];
            let right = &right.tiles()[first / SIDE * right_panel..];
            let (output, start) = (&mut sums[..], Start::Fresh);
            let product = Product { left, right, right_panel, inner, output, columns, start };
            self.pool.with(|work| self.pool.backend.multiply(product, &mut work.filter_gradient));
            (first, columns, sums)
        });
        workers.change((output, columns), |place, rows| {
            for (first, width, sums) in &products {
                let sums = &sums[place / columns * width..];
                for (row, sums) in rows.chunks_exact_mut(columns).zip(sums.chunks_exact(*width)) {
                    row[*first..first + width].copy_from_slice(sums);
                }
            }
        });
    }

    /// The gradient of the input of few rows.
    fn input_gradient_by_columns(&self, helpers: bool, gradient: Operand<'_>, input_gradient: &mut [f32]) {
        let (from, to) = (self.shape.from, self.shape.to);
        self.pool.with(|work| {
            let Operands { left, sums, .. } = &mut work.operands;
            let left = self.packed(left, gradient);
            let right = &self.backward;
            let Source::Im2Col(im2col) = &self.shape.source else {
                return self.multiply_by_columns(helpers, left, right, (input_gradient, from.width()));
            };
            let columns = padded(self.shape.columns(), CHANNEL_BLOCK);
            let sums = grown(sums, gradient.outer * columns);
            self.multiply_by_columns(helpers, left, right, (&mut *sums, columns));
            let (taps, _) = self.shape.whole();
            let boards = input_gradient.chunks_mut(from.room()).zip(sums.chunks(to.squares() * columns));
            self.pool.workers(helpers).each(boards.collect(), |(board, rows): (&mut [f32], &[f32])| {
                board.fill(0.0);
                im2col.scatter(&taps, (rows, columns), board);
            });
        });
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
        let rows = |gradient| Operand {
            values: gradient,
            stride: to.width(),
            along: Along::Inner,
            outer: gradient.len() / to.width(),
            inner: to.channels,
        };
        let all = rows(gradient);
        if self.has_few_rows(all.outer, all.inner) {
            return self.input_gradient_by_columns(helpers, all, input_gradient);
        }
        let count = self.rows_at_a_time(helpers, all.outer, all.inner);
        let boards = count / to.squares();
        let pieces = input_gradient.chunks_mut(boards * from.room()).zip(gradient.chunks(boards * to.room()));
        self.pool.workers(helpers).each(pieces.collect(), |(values, gradient): (&mut [f32], &[f32])| {
            self.pool.with(|work| {
                let Work { operands: Operands { left, sums, .. }, filter_gradient, .. } = work;
                let operand = rows(gradient);
                let left = self.packed(left, operand);
                let (right_panel, inner) = (self.backward.panel(), operand.inner);
                let mut multiply = |first: usize, output: &mut [f32], columns: usize| {
                    let right = &self.backward.tiles()[first / SIDE * right_panel..];
                    let start = Start::Fresh;
                    let product = Product { left, right, right_panel, inner, output, columns, start };
                    self.pool.backend.multiply(product, filter_gradient);
                };
                let Source::Im2Col(im2col) = &self.shape.source else {
                    return multiply(0, values, from.width());
                };
                values.fill(0.0);
                // Some taps at a time, so that their sums are still in the cache when they are added to the boards.
                let (all, whole) = (self.shape.whole().0, from.channels.is_multiple_of(BLOCK));
                let each = if whole { (PART / from.channels).max(1) } else { all.len() };
                for first in all.clone().step_by(each) {
                    let taps = first..all.end.min(first + each);
                    let columns = padded(taps.len() * from.channels, CHANNEL_BLOCK);
                    let sums = grown(sums, operand.outer * columns);
                    multiply(first * from.channels, &mut *sums, columns);
                    let boards = sums.chunks_exact(to.squares() * columns);
                    for (rows, board) in boards.zip(values.chunks_exact_mut(from.room())) {
                        im2col.scatter(&taps, (rows, columns), board);
                    }
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
        let rows = output.len() / to.width();
        if self.has_few_rows(rows, self.shape.columns()) {
            self.pool.with(|work| {
                let Operands { left, gathered, .. } = &mut work.operands;
                let rows = self.left(gathered, input, self.shape.whole(), Along::Inner);
                let left = self.packed(left, rows);
                self.multiply_by_columns(helpers, left, &self.forward, (&mut *output, to.width()));
            });
            return self.pool.workers(helpers).change((output, to.width()), |_, rows| epilogue(rows));
        }
        let parts = self.parts(rows);
        let longest = parts.iter().map(|(taps, channels)| taps.len() * channels.len()).max().unwrap_or(1);
        let count = self.rows_at_a_time(helpers, rows, longest);
        let boards = count / to.squares();
        let right_panel = self.forward.panel();
        let pieces = output.chunks_mut(boards * to.room()).zip(input.chunks(boards * from.room()));
        self.pool.workers(helpers).each(pieces.collect(), |(output, input): (&mut [f32], &[f32])| {
            self.pool.with(|work| {
                let Work { operands: Operands { left, gathered, .. }, filter_gradient, .. } = work;
                let mut start = Start::Fresh;
                for (taps, channels) in &parts {
                    let first = taps.start * from.channels + channels.start;
                    let rows = self.left(gathered, input, (taps.clone(), channels.clone()), Along::Inner);
                    let product = Product {
                        inner: rows.inner,
                        left: self.packed(left, rows),
                        right: &self.forward.tiles()[first / DEPTH * TILE..],
                        right_panel,
                        output: &mut *output,
                        columns: to.width(),
                        start,
                    };
                    self.pool.backend.multiply(product, filter_gradient);
                    start = Start::Continued;
                }
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
        // Every element of the result is a whole sum, so the division may depend on the threads.
        let share = padded(self.shape.from.channels.div_ceil(2 * workers.threads()), BLOCK);
        let most = if rows.packed_len() > NUMBERS { share.clamp(INPUTS, MANY_INPUTS) } else { INPUTS };
        self.pool.panels.with(Panels::default, |packed| {
            packed.set(workers, rows);
            let tasks = self.shape.gradient_tasks(&mut spare, most);
            workers.each(tasks, |GradientTask { taps, channels, weights }| {
                self.pool.with(|work| {
                    let Work { operands: Operands { left, gathered, .. }, filter_gradient, .. } = work;
                    let columns = self.left(gathered, input, (taps, channels), Along::Outer);
                    let product = Product {
                        left: self.packed(left, columns),
                        right: packed.tiles(),
                        right_panel: packed.panel(),
                        inner: rows.inner,
                        output: weights,
                        columns: to.channels,
                        start: Start::Fresh,
                    };
                    self.pool.backend.multiply(product, filter_gradient);
                });
            });
        });
        spare
    }
}
