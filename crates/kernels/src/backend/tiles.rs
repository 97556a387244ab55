//! Convolutions and dense layers on a tile unit, everything else on vectors.

use std::marker::PhantomData;

use chess::encoding::Plane;

use super::{Backend, Batch, Sizes, Stem, ThreadMemory, stem::is_constant};
use crate::{
    aligned::Aligned,
    gemm::{Matrix, sums},
    layout::{Boards, CHANNEL_BLOCK, Flat, Grid, POSITIONS, SQUARES, padded, position},
    plan::Convolution,
    simd::{Lanes, element::Bf16},
    tiles::{ROWS, TOGETHER, Taps, TileConfig, TileElement, TileUnit, TileWeights, dense},
};

/// A tile unit together with an instruction set for vectors.
#[derive(Clone, Debug)]
pub(crate) struct Tiles<S, U, E> {
    simd: S,
    unit: U,
    element: PhantomData<E>,
}

impl<S, U, E> Tiles<S, U, E> {
    /// A backend on a tile unit, with an instruction set for everything except the products.
    pub(crate) fn new(simd: S, unit: U) -> Self {
        Self { simd, unit, element: PhantomData }
    }

    pub(crate) fn unit(&self) -> &U {
        &self.unit
    }
}

/// A thread's tiles, and room for the sums of the boards that are convolved together.
pub(crate) struct Work<U: TileUnit, E: TileElement> {
    tiles: U::Tiles,
    /// True from [`Backend::begin`] to [`Backend::end`].
    configured: bool,
    sums: Aligned<E::Sum>,
}

impl<U: TileUnit, E: TileElement> Work<U, E> {
    /// The tiles, configured as [`TileConfig::BOARD`] since the pass began.
    fn configured(&mut self) -> &mut U::Tiles {
        assert!(self.configured, "a pass that has begun");
        &mut self.tiles
    }
}

impl<S: Lanes<E> + Lanes<f32>, U: TileUnit, E: TileElement> Backend for Tiles<S, U, E> {
    type Element = E;
    type Simd = S;
    type Stem = Dense;
    type Convolution = Taps<E>;
    type Dense = TileWeights<E>;
    type Work = Work<U, E>;

    const CHANNELS: usize = E::ROW;
    const BOARDS: usize = ROWS;

    fn simd(&self) -> S {
        self.simd
    }

    fn pack_convolution(&self, matrix: &Matrix<'_>, width: usize) -> Taps<E> {
        Taps::new(matrix, width)
    }

    fn pack_dense(&self, matrix: &Matrix<'_>) -> TileWeights<E> {
        TileWeights::new(matrix)
    }

    fn operations(&self, matrix: &Matrix<'_>, width: usize) -> u64 {
        (SQUARES * matrix.taps * width * padded(matrix.outputs, CHANNEL_BLOCK)) as u64
    }

    fn work(&self, sizes: Sizes) -> Work<U, E> {
        Work {
            tiles: self.unit.tiles(),
            configured: false,
            sums: sums::<E>(TOGETHER * POSITIONS * sizes.outputs),
        }
    }

    // Everything between `begin` and `end` runs under this configuration on this thread, also the closures passed to `convolve`.
    // A program with another configuration, such as the gradient of the weights, may not be nested in it: its release would leave
    // the rest of the pass without tiles (an invalid-opcode fault).
    fn begin(&self, work: &mut Work<U, E>) {
        self.unit.configure(&mut work.tiles, &TileConfig::BOARD);
        work.configured = true;
    }

    fn end(&self, work: &mut Work<U, E>) {
        work.configured = false;
        self.unit.release(&mut work.tiles);
    }

    fn convolve(
        &self,
        layer: &Taps<E>,
        Batch { input, boards }: Batch<Grid<'_, E>>,
        work: &mut Work<U, E>,
        mut each: impl FnMut(usize, &[E::Sum]),
    ) {
        work.configured();
        let Work { tiles, sums, .. } = work;
        let together = layer.boards_together();
        for first in (0..boards).step_by(together) {
            let group = first..boards.min(first + together);
            // SAFETY: configured by `begin` on this thread, under which no other configuration is loaded.
            unsafe { layer.convolve(&self.unit, tiles, (input, group.clone()), sums) };
            group
                .zip(sums.chunks_exact(POSITIONS * layer.weights.outputs))
                .for_each(|(board, sums)| each(board, sums));
        }
    }

    fn dense(
        &self,
        layer: &TileWeights<E>,
        batch: Batch<&Flat<E>>,
        work: &mut Work<U, E>,
        output: &mut Flat<E::Sum>,
    ) {
        // SAFETY: as in `convolve`.
        unsafe { dense(&self.unit, work.configured(), layer, batch.input, output) };
    }
}

/// Values of a row of a tile.
const ROW: usize = <Bf16 as TileElement>::ROW;

/// The first convolution on a tile unit.
///
/// The planes of a board are expanded to dense values and convolved like any other layer. A tile unit multiplies all of them,
/// zeros included, in less time than vector code needs to add the rows of the pieces, each of which is a load from an outer
/// cache level. Weights and planes are bf16 whatever the precision of the other layers; the sums are 32-bit floats.
pub(crate) struct Dense {
    planes: usize,
    taps: Taps<Bf16>,
}

/// The planes of one board as dense values.
pub(crate) struct Numbers {
    /// One board, one value per plane and square; the padding stays zero.
    board: Boards<Bf16>,
    /// The values of the constant planes, which are the same on every square.
    everywhere: Aligned<Bf16>,
}

impl<S: Lanes<E> + Lanes<f32>, U: TileUnit, E: TileElement> Stem<Tiles<S, U, E>> for Dense {
    type Scratch = Numbers;

    fn new(convolution: &Convolution) -> Self {
        let Convolution { kernel, inputs, outputs, ref weights, .. } = *convolution;
        let matrix = Matrix { taps: kernel * kernel, inputs, outputs, weights };
        Self { planes: inputs, taps: Taps::new(&matrix, padded(inputs, ROW)) }
    }

    fn scratch(&self) -> Numbers {
        let width = padded(self.planes, ROW);
        let zero = Bf16::default();
        Numbers { board: Boards::new(1, width, zero), everywhere: Aligned::filled(width, zero) }
    }

    fn run(
        &self,
        backend: &Tiles<S, U, E>,
        planes: &[Plane],
        ThreadMemory { work, scratch: numbers }: ThreadMemory<'_, Work<U, E>, Numbers>,
        output: &mut [f32],
    ) {
        assert_eq!(planes.len(), self.planes, "planes of one board");
        numbers.write(planes);
        // SAFETY: configured by `begin` on this thread, under which no other configuration is loaded.
        unsafe {
            self.taps.convolve(backend.unit(), work.configured(), (numbers.board.grid(), 0..1), output);
        }
    }
}

impl Numbers {
    /// Overwrites the planes of the previous board with those of this one.
    fn write(&mut self, planes: &[Plane]) {
        let Self { board, everywhere } = self;
        let (first, width) = (board.first(0), board.width);
        for (number, plane) in everywhere.iter_mut().zip(planes) {
            *number = if is_constant(plane) { Bf16::from_f32(plane.value) } else { Bf16::default() };
        }
        let (common, _) = everywhere.as_chunks::<ROW>();
        for square in 0..SQUARES {
            let (rows, _) = board.data[first + position(square) * width..][..width].as_chunks_mut::<ROW>();
            rows.copy_from_slice(common);
        }
        for (number, plane) in planes.iter().enumerate().filter(|(_, plane)| !is_constant(plane)) {
            let value = Bf16::from_f32(plane.value);
            for square in plane.occupied() {
                board.data[first + position(square) * width + number] = value;
            }
        }
    }
}
