//! Convolutions and dense layers with products of 16-bit floats, which are added up in 32 bits (Micikevicius et al. 2018,
//! arXiv:1710.03740).
//!
//! Between layers, values stay 32-bit floats. For convolutions of 1x1 and 3x3 squares over the whole board, a few boards at a time are
//! rounded into the layout of the backends of inference, which multiply on vectors or on a tile unit; [`HalfBackend`] adds the gradient
//! of the weights to them. All other layers of some size are GEMMs of packed operands ([`gemm`]).
//!
//! Only operands of products are rounded. What is kept for the backward pass, what is added (bias, skip connections, statistics)
//! and the weights that the optimiser moves are f32: an update of a thousandth of a weight is below the 8 bits of precision of
//! bf16 and would be lost. bf16 has the exponent of f32, so gradients need no loss scaling, which fp16 would.
//!
//! Rounding happens on the way into the layout of the product, a copy that is needed anyway: maps of lists have no zeros between
//! ranks. In the backward pass a group of boards is rounded once for both products, the gradient of the weights and that of the
//! input.

mod direct;
mod gemm;
mod panels;
#[cfg(test)]
mod tests;
mod tiles;

use std::{ops::Range, sync::Arc};

use super::{
    GROUP, Known,
    gemm::{GemmShape, Needs},
    summed,
};
use crate::{
    FreeList, Isa, KernelError, KernelSize, Precision,
    backend::{Backend, Batch, Direct, Sizes},
    gemm::Matrix,
    gradient::Start,
    layers::{
        list::{List, Shape, Step},
        operation::Operation,
        workers::{Workers, micro_batches},
    },
    layout::{Boards, CHANNEL_BLOCK, Grid, POSITIONS, RANK, SQUARES, padded, position},
    simd::{GradientLanes, Kernel, Lanes, Portable, Simd as _, element::Bf16},
};
#[cfg(target_arch = "x86_64")]
use crate::{backend::Tiles, simd::Avx512Bf16, tiles::Hardware};
use {
    gemm::{HalfGemm, Operands},
    panels::{Panels, Product},
};

/// The gradient of a convolution's weights over some boards.
struct FilterGradient<'a> {
    kernel_size: KernelSize,
    /// Number of input channels, without padding.
    inputs: usize,
    input: &'a Boards<Bf16>,
    boards: usize,
    /// Number of outputs with padding: columns of the result.
    outputs: usize,
    /// The gradient with respect to the sums.
    gradient: &'a Boards<Bf16>,
    /// `[taps][inputs][outputs]`.
    result: &'a mut [f32],
    start: Start,
}

/// The weights of a convolution on the board.
#[derive(Clone, Copy)]
struct Filter<'a> {
    matrix: Matrix<'a>,
    /// True to turn the gradient of the output into that of the input, with transposed weights and the taps in reverse.
    is_reversed: bool,
    /// Numbers that a position of what it reads takes in memory.
    width: usize,
}

/// A backend of 16-bit floats that supports training.
trait HalfBackend: Backend<Element = Bf16, Simd: GradientLanes<Bf16> + GradientLanes<f32>> {
    /// Scratch memory for the gradient of the weights.
    type GradientWork: Send;

    /// Numbers of a position in memory for as many channels.
    fn width(channels: usize) -> usize {
        padded(channels, CHANNEL_BLOCK)
    }

    /// Packs a convolution in place of an earlier one of the same sizes.
    fn pack_filter(
        &self,
        workers: Workers<Self::Simd>,
        filter: Filter<'_>,
        earlier: Option<Self::Convolution>,
    ) -> Self::Convolution;

    /// Allocates scratch memory for up to [`GROUP`] boards of the largest layer.
    fn gradient_work(&self, sizes: Sizes) -> Self::GradientWork;

    /// Adds the gradient of the weights over some boards.
    fn filter_gradient(&self, request: FilterGradient<'_>, work: &mut Self::GradientWork);

    /// Computes a product of packed matrices.
    fn multiply(&self, product: Product<'_>, work: &mut Self::GradientWork);
}

/// A convolution with its backend erased. If `helpers` is true, threads of the rayon pool help.
pub(in crate::layers) trait HalfConvolution: Send + Sync {
    /// Packs `[taps][inputs][outputs]`.
    fn pack(&mut self, weights: &[f32]);

    /// Computes the output of all boards and passes it, some boards at a time, to `epilogue`.
    fn forward(
        &self,
        helpers: bool,
        input: &[f32],
        output: &mut [f32],
        epilogue: &(dyn Fn(&mut [f32]) + Sync),
    );

    /// The gradient of the weights, stored in `spare`, and of the input if required.
    fn backward(
        &self,
        helpers: bool,
        known: Known<'_>,
        input_gradient: Option<&mut [f32]>,
        spare: Vec<f32>,
    ) -> Vec<f32>;
}

/// Makes the convolutions of a list, which share the scratch memory of the threads; `None` for a layer that multiplies 32-bit floats.
pub(in crate::layers) type HalfConvolutions =
    Box<dyn Fn(&Step, Shape, Needs) -> Option<Box<dyn HalfConvolution>>>;

/// The convolutions of a list on an instruction set.
///
/// # Errors
/// [`KernelError::MissingPrecision`] if the instruction set does not multiply 16-bit floats, or no layer of the list does.
pub(in crate::layers) fn half_convolutions(list: &List, isa: Isa) -> Result<HalfConvolutions, KernelError> {
    isa.check_precision(Precision::Bf16)?;
    if !list.steps.iter().any(|step| step.operation.is_half(list.input(step), step.shape)) {
        let reason = "only convolutions and dense layers of at least 4096 weights multiply in it, and the network has none";
        return Err(isa.without(Precision::Bf16, reason));
    }
    let widths = list.steps.iter().filter_map(|step| {
        let from = list.input(step);
        step.operation.on_board(from).map(|_| from.width().max(step.shape.width()))
    });
    let width = widths.max().unwrap_or_default();
    let sizes = Sizes { width, outputs: width };
    match isa {
        Isa::Portable => Ok(convolutions(Direct::<_, Bf16>::new(Portable), sizes)),
        #[cfg(target_arch = "x86_64")]
        _ => on_x86(isa, sizes).ok_or_else(|| isa.without(Precision::Bf16, "the processor changed")),
        #[cfg(not(target_arch = "x86_64"))]
        _ => Err(isa.without(Precision::Bf16, "the processor is not x86-64")),
    }
}

/// `None` if a token is not available, which the caller's check has ruled out.
#[cfg(target_arch = "x86_64")]
fn on_x86(isa: Isa, sizes: Sizes) -> Option<HalfConvolutions> {
    match isa {
        Isa::Portable | Isa::Avx2 => None,
        Isa::Avx512 => Some(convolutions(Direct::<_, Bf16>::new(Avx512Bf16::new()?), sizes)),
        Isa::Amx => {
            let tiles = Tiles::<_, _, Bf16>::new(Avx512Bf16::new()?, Hardware::new().ok()?);
            Some(convolutions(tiles, sizes))
        }
    }
}

fn convolutions<G: HalfBackend>(backend: G, sizes: Sizes) -> HalfConvolutions {
    let pool = Arc::new(Pool { backend, sizes, free: FreeList::default(), panels: FreeList::default() });
    Box::new(move |step, from, needs| {
        let (Operation::Convolution { patch, .. }, to) = (step.operation, step.shape) else { return None };
        if !step.operation.is_half(from, to) {
            return None;
        }
        let pool = Arc::clone(&pool);
        Some(match step.operation.on_board(from) {
            Some(kernel_size) => Box::new(OnBackend { pool, kernel_size, from, to, needs, packed: None }),
            None => Box::new(HalfGemm::new(pool, GemmShape::new(patch, [from, to]), needs)),
        })
    })
}

/// The scratch memory of the threads; each borrows one.
struct Pool<G: HalfBackend> {
    backend: G,
    sizes: Sizes,
    free: FreeList<Work<G>>,
    /// Packed gradients, which all threads read.
    panels: FreeList<Panels>,
}

impl<G: HalfBackend> Pool<G> {
    fn workers(&self, helpers: bool) -> Workers<G::Simd> {
        Workers { simd: self.backend.simd(), helpers }
    }

    fn with<T>(&self, run: impl FnOnce(&mut Work<G>) -> T) -> T {
        let new = || Work {
            convolution: self.backend.work(self.sizes),
            filter_gradient: self.backend.gradient_work(self.sizes),
            boards: Vec::new(),
            operands: Operands::default(),
        };
        self.free.with(new, run)
    }
}

/// A thread's buffers.
struct Work<G: HalfBackend> {
    convolution: G::Work,
    filter_gradient: G::GradientWork,
    /// Memory of [`GROUP`] boards, by width.
    boards: Vec<Boards<Bf16>>,
    operands: Operands,
}

impl<G: HalfBackend> Work<G> {
    /// Boards of a width, with unspecified values on their squares and zeros elsewhere.
    fn take(&mut self, width: usize) -> Boards<Bf16> {
        let found = self.boards.iter().position(|boards| boards.width == width);
        found.map_or_else(
            || Boards::new(GROUP, width, Bf16::default()),
            |index| self.boards.swap_remove(index),
        )
    }
}

/// A convolution's weights, packed.
struct Packed<C> {
    forward: C,
    backward: Option<C>,
}

/// A convolution on a backend.
struct OnBackend<G: HalfBackend> {
    pool: Arc<Pool<G>>,
    kernel_size: KernelSize,
    from: Shape,
    to: Shape,
    needs: Needs,
    packed: Option<Packed<G::Convolution>>,
}

impl<G: HalfBackend> OnBackend<G> {
    fn packed(&self) -> &Packed<G::Convolution> {
        self.packed.as_ref().expect(crate::layers::PACKED)
    }

    /// Rounds up to [`GROUP`] boards of a shape; returns their number.
    fn round(&self, boards: &[f32], shape: Shape, to: &mut Boards<Bf16>) -> usize {
        let (simd, out_width) = (self.pool.backend.simd(), to.width);
        for (number, input) in boards.chunks_exact(shape.room()).enumerate() {
            simd.run(Round { input, width: shape.width(), output: to.board_mut(number), out_width });
        }
        boards.len() / shape.room()
    }

    /// Convolves up to [`GROUP`] boards.
    fn convolve(
        &self,
        work: &mut G::Work,
        weights: &G::Convolution,
        (input, boards): (&Boards<Bf16>, usize),
        output: &mut [f32],
    ) {
        let backend = &self.pool.backend;
        backend.begin(work);
        for first in (0..boards).step_by(G::BOARDS) {
            let count = G::BOARDS.min(boards - first);
            let grid = Grid { board: first, ..input.grid() };
            backend.convolve(weights, Batch { input: grid, boards: count }, work, |board, sums| {
                let width = output.len() / boards / SQUARES;
                let output = &mut output[(first + board) * SQUARES * width..][..SQUARES * width];
                let ranks = output.chunks_exact_mut(8 * width).zip(sums.chunks(RANK * width));
                ranks.for_each(|(to, rank)| to.copy_from_slice(&rank[..8 * width]));
            });
        }
        backend.end(work);
    }
}

impl<G: HalfBackend> HalfConvolution for OnBackend<G> {
    fn pack(&mut self, weights: &[f32]) {
        let (backend, workers) = (&self.pool.backend, self.pool.workers(true));
        let (inputs, outputs) = (self.from.channels, self.to.channels);
        let matrix = Matrix { taps: self.kernel_size.taps(), inputs, outputs, weights };
        let (forward, backward) =
            self.packed.take().map_or((None, None), |packed| (Some(packed.forward), packed.backward));
        let pack = |is_reversed, channels, earlier| {
            let filter = Filter { matrix, is_reversed, width: G::width(channels) };
            backend.pack_filter(workers, filter, earlier)
        };
        let forward = pack(false, inputs, forward);
        let backward = (self.needs == Needs::All).then(|| pack(true, outputs, backward));
        self.packed = Some(Packed { forward, backward });
    }

    fn forward(
        &self,
        helpers: bool,
        input: &[f32],
        output: &mut [f32],
        epilogue: &(dyn Fn(&mut [f32]) + Sync),
    ) {
        let (from, to) = (GROUP * self.from.room(), GROUP * self.to.room());
        let groups = output.chunks_mut(to).zip(input.chunks(from)).collect();
        self.pool.workers(helpers).each(groups, |(output, input): (&mut [f32], &[f32])| {
            self.pool.with(|work| {
                let mut boards = work.take(G::width(self.from.channels));
                let count = self.round(input, self.from, &mut boards);
                self.convolve(&mut work.convolution, &self.packed().forward, (&boards, count), output);
                work.boards.push(boards);
            });
            epilogue(output);
        });
    }

    fn backward(
        &self,
        helpers: bool,
        Known { input, gradient }: Known<'_>,
        input_gradient: Option<&mut [f32]>,
        spare: Vec<f32>,
    ) -> Vec<f32> {
        let workers = self.pool.workers(helpers);
        let (from, to) = (self.from.room(), self.to.room());
        let (mut rest, mut spare) = (input_gradient, Some(spare));
        let mut tasks = Vec::new();
        for batch in micro_batches(input.len() / from, GROUP) {
            let of_input = rest.take().map(|values| {
                let (of_batch, after) = values.split_at_mut(batch.len() * from);
                rest = Some(after);
                of_batch
            });
            tasks.push((batch, of_input, spare.take().unwrap_or_default()));
        }
        let run = |(batch, mut of_input, mut result): (Range<usize>, Option<&mut [f32]>, Vec<f32>)| {
            result.resize(self.kernel_size.taps() * self.from.channels * self.to.width(), 0.0);
            self.pool.with(|work| {
                let [mut inputs, mut gradients] =
                    [self.from, self.to].map(|shape| work.take(G::width(shape.channels)));
                for first in batch.clone().step_by(GROUP) {
                    let group = first..batch.end.min(first + GROUP);
                    self.round(&input[group.start * from..group.end * from], self.from, &mut inputs);
                    let gradient = &gradient[group.start * to..group.end * to];
                    let boards = self.round(gradient, self.to, &mut gradients);
                    let request = FilterGradient {
                        kernel_size: self.kernel_size,
                        inputs: self.from.channels,
                        input: &inputs,
                        boards,
                        outputs: self.to.width(),
                        gradient: &gradients,
                        result: &mut result,
                        start: if first == batch.start { Start::Fresh } else { Start::Continued },
                    };
                    self.pool.backend.filter_gradient(request, &mut work.filter_gradient);
                    if let (Some(weights), Some(values)) = (&self.packed().backward, &mut of_input) {
                        let output = &mut values[(first - batch.start) * from..][..boards * from];
                        self.convolve(&mut work.convolution, weights, (&gradients, boards), output);
                    }
                }
                work.boards.extend([inputs, gradients]);
            });
            result
        };
        summed(workers, workers.each(tasks, run), self.to.channels)
    }
}

/// Rounds the squares of a board, `[64][width]`, into the layout of [`Boards`]; what is wider there becomes zero.
struct Round<'a> {
    input: &'a [f32],
    width: usize,
    output: &'a mut [Bf16],
    out_width: usize,
}

impl<S: Lanes<Bf16>> Kernel<S> for Round<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, width, output, out_width } = self;
        assert!(width.is_multiple_of(S::LANES) && width <= out_width, "whole vectors that fit");
        assert!(input.len() >= SQUARES * width && output.len() >= POSITIONS * out_width, "whole boards");
        for square in 0..SQUARES {
            let (from, to) = (square * width, position(square) * out_width);
            for column in (0..width).step_by(S::LANES) {
                // SAFETY: by the assertions, the square is in the input and has room in the output.
                unsafe {
                    let values = simd.load(input.as_ptr().add(from + column));
                    simd.store_elements(output.as_mut_ptr().add(to + column), values);
                }
            }
            output[to + width..to + out_width].fill(Bf16::default());
        }
    }
}
