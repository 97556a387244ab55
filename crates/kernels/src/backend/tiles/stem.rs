//! The first convolution on a tile unit.
//!
//! The planes of a board are expanded to dense values and convolved like any other layer. A tile unit multiplies all of them,
//! zeros included, in less time than vector code needs to add the rows of the pieces, each of which is a load from an outer
//! cache level. Weights and planes are bf16 whatever the precision of the other layers; the sums are 32-bit floats.

use chess::encoding::Plane;

use super::{Tiles, Work};
use crate::{
    aligned::Aligned,
    backend::{Stem, ThreadMemory, stem::is_constant},
    gemm::Matrix,
    layout::{Boards, SQUARES, padded, position},
    plan::Convolution,
    simd::Lanes,
    simd::element::Bf16,
    tiles::{Taps, TileElement, TileUnit},
};

const ROW: usize = <Bf16 as TileElement>::ROW;

pub(crate) struct Dense {
    planes: usize,
    taps: Taps<Bf16>,
}

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
            self.taps.convolve_board(backend.unit(), work.configured(), (numbers.board.grid(), 0), output);
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
