//! Weight gradients with 16-bit products on a tile unit.

use super::{
    Filter, FilterGradient, HalfBackend,
    panels::{self, Along, Operand, Pack, Product, Side},
};
use crate::{
    KernelSize,
    aligned::Aligned,
    backend::{Backend as _, Sizes, Tiles},
    gemm::{Matrix, Rows},
    gradient::{Interleave, Start},
    layers::{convolution::GROUP, workers::Workers},
    layout::{Boards, CHANNEL_BLOCK, MARGIN, RANK, SQUARES, padded},
    simd::element::{Bf16, Element},
    simd::{GradientLanes, Kernel},
    tiles::{
        BOARDS, Block, OuterProducts, ROW_BYTES, ROWS, SIDE, STEP, Tap, Taps, TileConfig, TileUnit,
        add_block, add_outer_products,
    },
};

/// Elements in a channel's row: an odd number of cache lines, so that the rows of a tile fall into different cache
/// sets.
const ROW: usize = (GROUP.div_ceil(BOARDS) * SIDE + 1) * STEP;
/// Number of copies of each row, shifted by a file: the inputs of taps to the left, in the middle and to the right.
const COPIES: usize = 3;
/// Number of elements in the pairs of one rank of one board, for 16 channels.
const PAIRS: usize = SIDE * CHANNEL_BLOCK;

/// Scratch memory for the operands of one thread.
pub(crate) struct Streams<U: TileUnit> {
    tiles: U::Tiles,
    /// `[copies][channels][row]`.
    input: Aligned<Bf16>,
    /// `[channels / 16][fours of boards][8 ranks][4 boards][4 pairs of files][16][2]`.
    gradient: Aligned<Bf16>,
    /// `[taps][inputs in whole tiles][outputs]`.
    result: Vec<f32>,
}

/// The taps of a layer, grouped by input copy; the number is the stride between copies, in elements.
fn taps(kernel_size: KernelSize, copy: usize) -> Vec<Tap> {
    let tap = |file: usize, rank: usize| Tap {
        place: rank * COPIES + file,
        row: file * copy,
        ranks: rank as isize - 1,
    };
    match kernel_size {
        KernelSize::OneByOne => vec![Tap { place: 0, ..tap(1, 1) }],
        KernelSize::ThreeByThree => {
            (0..COPIES).flat_map(|file| (0..3).map(move |rank| tap(file, rank))).collect()
        }
    }
}

impl<S, U> HalfBackend for Tiles<S, U, Bf16>
where
    S: GradientLanes<Bf16> + GradientLanes<f32>,
    U: TileUnit,
{
    type GradientWork = Streams<U>;

    fn gradient_work(&self, sizes: Sizes) -> Streams<U> {
        let room = |len: usize| Aligned::filled(len, Bf16::default());
        Streams {
            tiles: self.unit().tiles(),
            input: room(COPIES * (sizes.width + Self::CHANNELS) * ROW),
            gradient: room(GROUP * SQUARES * sizes.outputs),
            result: Vec::new(),
        }
    }

    /// Positions a multiple of 1 KB apart would share a few sets of L1, which could not hold the values of a board for all taps.
    fn width(channels: usize) -> usize {
        let width = padded(channels, CHANNEL_BLOCK);
        if width.is_multiple_of(512) { width + Self::CHANNELS } else { width }
    }

    fn pack_filter(
        &self,
        workers: Workers<S>,
        Filter { matrix, is_reversed, width }: Filter<'_>,
        earlier: Option<Taps<Bf16>>,
    ) -> Taps<Bf16> {
        let Matrix { taps, inputs, outputs, weights } = matrix;
        let (along, [inner, outer]) =
            if is_reversed { (Along::Inner, [outputs, inputs]) } else { (Along::Outer, [inputs, outputs]) };
        let tap = |weights| Operand { values: weights, stride: outputs, along, outer, inner };
        let mut matrices: Vec<Operand<'_>> = weights.chunks_exact(inputs * outputs).map(tap).collect();
        if is_reversed {
            matrices.reverse();
        }
        let packed = earlier.unwrap_or_else(|| Taps::zeros([taps, inner, outer], width));
        packed_taps(workers, &matrices, packed)
    }

    fn filter_gradient(&self, request: FilterGradient<'_>, work: &mut Streams<U>) {
        let FilterGradient { kernel_size, inputs, input, boards, outputs, gradient, result, start } = request;
        let (simd, rows) = (self.simd(), padded(inputs, ROWS));
        let Streams { tiles, input: stream, gradient: pairs, result: sums } = work;
        let fours = boards.div_ceil(BOARDS);
        simd.run(Transpose { input, boards, output: stream });
        pair_up(simd, (gradient, boards), outputs, fours, pairs);
        let taps = taps(kernel_size, input.width * ROW);
        let whole = rows == inputs;
        if !whole {
            sums.resize(taps.len() * rows * outputs, 0.0);
        }
        self.unit().configure(tiles, &TileConfig::WHOLE);
        let products = OuterProducts {
            input: stream,
            inputs: rows,
            row: ROW,
            taps: &taps,
            gradient: pairs,
            outputs,
            fours,
            start: if whole { start } else { Start::Fresh },
            result: if whole { &mut *result } else { &mut sums[..taps.len() * rows * outputs] },
        };
        // SAFETY: configured above, on this thread, and released below.
        unsafe { add_outer_products(self.unit(), tiles, products) };
        self.unit().release(tiles);
        if !whole {
            let kept = sums.chunks_exact(rows * outputs).map(|tap| &tap[..inputs * outputs]);
            for (sums, terms) in result.chunks_exact_mut(inputs * outputs).zip(kept) {
                start.add(sums, terms);
            }
        }
    }

    fn multiply(&self, product: Product<'_>, work: &mut Streams<U>) {
        self.unit().configure(&mut work.tiles, &TileConfig::WHOLE);
        // SAFETY: configured above, on this thread, and released below.
        product.blocks(|block| unsafe { multiply_block(self.unit(), &mut work.tiles, block) });
        self.unit().release(&mut work.tiles);
    }
}

/// Packs the matrices of all taps in the order of [`Taps`], in place of what `packed` holds.
///
/// # Panics
/// If `packed` has another size.
fn packed_taps<S: GradientLanes<Bf16> + GradientLanes<f32>>(
    workers: Workers<S>,
    matrices: &[Operand<'_>],
    mut packed: Taps<Bf16>,
) -> Taps<Bf16> {
    /// Panels of a task, which lie next to each other in memory.
    const PANELS: usize = 4;
    let (panel, tile) = (matrices.len() * matrices[0].panel(), matrices.len() * panels::TILE);
    let tiles = packed.packed_mut();
    assert_eq!(tiles.len(), matrices[0].outer.div_ceil(ROWS) * panel, "a convolution of the same sizes");
    let tasks = tiles.chunks_mut(PANELS * panel).enumerate().collect();
    workers.each(tasks, |(task, tiles): (usize, &mut [Bf16])| {
        for (number, operand) in matrices.iter().enumerate() {
            let (operand, first, tiles) = (*operand, task * PANELS, &mut tiles[number * panels::TILE..]);
            workers.simd.run(Pack { operand, side: Side::Right, first, panel, tile, tiles });
        }
    });
    packed
}

/// Computes 32 x 32 sums.
///
/// # Safety
/// This thread's tiles are configured as [`TileConfig::WHOLE`].
unsafe fn multiply_block<U: TileUnit>(unit: &U, tiles: &mut U::Tiles, block: panels::Block<'_>) {
    let count = block.tiles();
    let panels::Block { left, right, sums, stride, start } = block;
    let sums = sums.as_mut_ptr();
    // SAFETY: configured by the caller; all panels have the same whole number of tiles, and there is room for four tiles of sums.
    unsafe {
        let block = Block {
            inputs: left.map(|panel| panel.as_ptr().cast()),
            input_stride: ROW_BYTES,
            input_step: panels::TILE * size_of::<Bf16>(),
            gradients: right.map(|panel| panel.as_ptr().cast()),
            size: (1, count),
            sums: [0, ROWS, ROWS * stride, ROWS * stride + ROWS].map(|at| sums.add(at).cast()),
            sum_stride: stride * size_of::<f32>(),
            start,
        };
        add_block(unit, tiles, &block);
    }
}

/// Interleaves the squares of some boards in pairs; boards missing in the last group of four are zero.
fn pair_up<S: GradientLanes<Bf16>>(
    simd: S,
    (gradient, boards): (&Boards<Bf16>, usize),
    outputs: usize,
    fours: usize,
    pairs: &mut [Bf16],
) {
    let (width, block) = (gradient.width, fours * BOARDS * SIDE * PAIRS);
    let first = |board: usize| (board / BOARDS * SIDE * BOARDS + board % BOARDS) * PAIRS;
    for board in 0..boards {
        simd.run(Interleave {
            input: &gradient.data,
            rows: Rows {
                first: gradient.first(board),
                group_stride: RANK * width,
                stride: Bf16::GROUP * width,
            },
            size: (SIDE, SIDE / Bf16::GROUP),
            width: outputs,
            stride: width,
            output: pairs,
            output_rows: Rows {
                first: first(board),
                group_stride: BOARDS * PAIRS,
                stride: Bf16::GROUP * CHANNEL_BLOCK,
            },
            columns: (CHANNEL_BLOCK, block),
        });
    }
    for board in boards..fours * BOARDS {
        for rank in 0..outputs / CHANNEL_BLOCK * SIDE {
            let at = rank / SIDE * block + first(board) + rank % SIDE * BOARDS * PAIRS;
            pairs[at..at + PAIRS].fill(Bf16::default());
        }
    }
}

/// Transposes the squares of some boards into a row of [`ROW`] elements for each channel, in three copies; boards missing in
/// the last group of four are zero.
struct Transpose<'a> {
    input: &'a Boards<Bf16>,
    boards: usize,
    output: &'a mut [Bf16],
}

impl<S: GradientLanes<Bf16>> Kernel<S> for Transpose<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        const { assert!(BOARDS == 4 && MARGIN >= SIDE, "four boards, and zeros before the first") };
        let Self { input, boards, output } = self;
        let width = input.width;
        assert!(boards <= GROUP && width.is_multiple_of(ROWS), "boards and channels that fit");
        assert!(output.len() >= COPIES * width * ROW, "room for all channels");
        assert!(input.first(boards) <= input.data.len(), "boards that are there");
        for four in 0..boards.div_ceil(BOARDS) {
            for rank in 0..SIDE {
                for channel in (0..width).step_by(ROWS) {
                    // The margin before the first board starts with more zeros than a rank has squares.
                    let from = |board: usize| {
                        let place = input.first(board) + rank * RANK * width;
                        if board < boards { place + channel } else { channel }
                    };
                    let to = channel * ROW + (four * SIDE + rank) * STEP;
                    // SAFETY: by the assertions, a rank of 16 channels of each board is in the input, and 32 squares of them
                    // have room in every copy.
                    unsafe {
                        let from =
                            [0, 1, 2, 3].map(|board| input.data.as_ptr().add(from(four * BOARDS + board)));
                        simd.transpose(from, width, output.as_mut_ptr().add(to), [ROW, width * ROW]);
                    }
                }
            }
        }
    }
}
