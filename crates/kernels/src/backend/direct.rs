//! Direct convolution: one matrix product for each of the nine taps.
//!
//! All nine are one GEMM whose inner dimension is taps times inputs. It computes 8 x 8 rows and skips the ninth position of each
//! rank, whose sums nobody reads.

use std::marker::PhantomData;

use super::{Backend, Batch, Sizes, stem::Sparse};
use crate::{
    aligned::Aligned,
    gemm::{Gemm, Matrix, Packed, Rows, sums},
    layout::{CHANNEL_BLOCK, Flat, Grid, POSITIONS, RANK, SQUARES, padded, tap_offsets},
    simd::{Lanes, element::Element},
};

/// Direct convolution with elements of one type.
#[derive(Clone, Debug)]
pub(crate) struct Direct<S, E> {
    simd: S,
    element: PhantomData<E>,
}

impl<S, E> Direct<S, E> {
    pub(crate) fn new(simd: S) -> Self {
        Self { simd, element: PhantomData }
    }
}

/// Packed weights, and the offsets of the neighbouring squares.
pub(crate) struct Taps<E: Element> {
    packed: Packed<E>,
    offsets: Vec<isize>,
}

impl<S: Lanes<E> + Lanes<f32>, E: Element> Backend for Direct<S, E> {
    type Element = E;
    type Simd = S;
    type Stem = Sparse;
    type Convolution = Taps<E>;
    type Dense = Packed<E>;
    type Work = Aligned<E::Sum>;

    const CHANNELS: usize = CHANNEL_BLOCK;
    const BOARDS: usize = 16;

    fn simd(&self) -> S {
        self.simd
    }

    fn pack_convolution(&self, matrix: &Matrix<'_>, width: usize) -> Taps<E> {
        let kernel = if matrix.taps == 1 { 1 } else { 3 };
        Taps { packed: Packed::new::<S>(matrix, width), offsets: tap_offsets(kernel, width) }
    }

    fn pack_dense(&self, matrix: &Matrix<'_>) -> Packed<E> {
        Packed::new::<S>(matrix, matrix.inputs)
    }

    fn operations(&self, matrix: &Matrix<'_>, width: usize) -> u64 {
        (SQUARES * matrix.taps * width * padded(matrix.outputs, CHANNEL_BLOCK)) as u64
    }

    fn work(&self, sizes: Sizes) -> Self::Work {
        sums::<E>(POSITIONS * sizes.outputs)
    }

    fn convolve(
        &self,
        layer: &Taps<E>,
        Batch { input, boards }: Batch<Grid<'_, E>>,
        work: &mut Aligned<E::Sum>,
        mut each: impl FnMut(usize, &[E::Sum]),
    ) {
        let (width, outputs) = (input.width, layer.packed.outputs);
        for board in 0..boards {
            self.simd.run(Gemm {
                input: input.data,
                input_rows: Rows { first: input.first(board), group_stride: RANK * width, stride: width },
                taps: &layer.offsets,
                weights: &layer.packed,
                output: work,
                output_rows: Rows { first: 0, group_stride: RANK * outputs, stride: outputs },
                size: (8, 8),
            });
            each(board, &work[..POSITIONS * outputs]);
        }
    }

    fn dense(
        &self,
        layer: &Packed<E>,
        Batch { input, boards }: Batch<&Flat<E>>,
        _work: &mut Aligned<E::Sum>,
        output: &mut Flat<E::Sum>,
    ) {
        let stride = output.stride;
        self.simd.run(Gemm {
            input: &input.data,
            input_rows: Rows { first: 0, group_stride: 0, stride: input.stride },
            taps: &[0],
            weights: layer,
            output: &mut output.data,
            output_rows: Rows { first: 0, group_stride: 0, stride },
            size: (1, boards),
        });
    }
}
