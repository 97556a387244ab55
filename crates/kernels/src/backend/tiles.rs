//! Convolutions and dense layers on a tile unit, everything else on vectors.

mod stem;

use std::marker::PhantomData;

use self::stem::Dense;
use super::{Backend, Batch, Sizes};
use crate::{
    aligned::Aligned,
    gemm::{Matrix, sums},
    layout::{CHANNEL_BLOCK, Flat, Grid, POSITIONS, SQUARES, padded},
    simd::Lanes,
    tiles::{ROWS, Taps, TileConfig, TileElement, TileUnit, TileWeights, dense},
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

/// A thread's tiles, and room for the sums of a board.
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
        TileWeights::new(matrix, matrix.inputs)
    }

    fn operations(&self, matrix: &Matrix<'_>, width: usize) -> u64 {
        (SQUARES * matrix.taps * width * padded(matrix.outputs, CHANNEL_BLOCK)) as u64
    }

    fn work(&self, sizes: Sizes) -> Work<U, E> {
        Work { tiles: self.unit.tiles(), configured: false, sums: sums::<E>(POSITIONS * sizes.outputs) }
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
        for board in 0..boards {
            // SAFETY: configured by `begin` on this thread, under which no other configuration is loaded.
            unsafe { layer.convolve_board(&self.unit, tiles, (input, board), sums) };
            each(board, &sums[..POSITIONS * layer.weights.outputs]);
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
