//! Backends: the GEMMs of layers on one instruction set and number format.
//!
//! | backend | 3x3 convolution | boards a pass | reason for the number |
//! |---|---|---|---|
//! | [`Winograd`] | 36 products by F(4x4, 3x3), f32 | 8 | 32 rows fill the register blocks, and the transformed boards still fit in L2 |
//! | [`Direct`] | nine taps read in place, bf16 and int8 | 16 | activations of a layer stay in L2 |
//! | [`Tiles`] | as [`Direct`], on AMX | 16 | a dense layer is a product of 16 rows, one for each board |
//!
//! A pass computes a layer for all its boards before the next layer, so weights are read from an outer cache once per pass and
//! layer. Winograd's algorithm is used in f32 only: its transforms widen the range of the inputs, and rounding to 8 or 16 bits
//! would have to follow them, where it costs more accuracy.

mod direct;
pub(crate) mod stem;
mod tiles;
mod winograd;

pub(crate) use direct::Direct;
pub(crate) use tiles::Tiles;
pub(crate) use winograd::Winograd;

use chess::encoding::Plane;

use crate::{
    gemm::Matrix,
    layout::{Flat, Grid},
    plan::Convolution,
    simd::Lanes,
    simd::element::Element,
};

/// The type of a layer's accumulated sums.
pub(crate) type SumOf<G> = <<G as Backend>::Element as Element>::Sum;

/// The sizes that determine a backend's scratch memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// The widest input of a convolution.
    pub(crate) width: usize,
    /// The largest number of outputs of a convolution.
    pub(crate) outputs: usize,
}

/// Computes convolutions and dense layers on one instruction set and number format.
pub(crate) trait Backend: Clone + Send + Sync + 'static {
    /// The number format of activations.
    type Element: Element;
    /// The instruction set for everything except the products.
    type Simd: Lanes<Self::Element> + Lanes<f32>;
    /// Implementation of the first convolution.
    type Stem: Stem<Self>;
    /// Packed weights of a convolution.
    type Convolution: Send + Sync;
    /// Packed weights of a dense layer.
    type Dense: Send + Sync;
    /// Scratch memory of one thread.
    type Work: Send;

    /// The number of channels in memory is a multiple of this.
    const CHANNELS: usize;
    /// Boards per pass through the network: few enough for the activations to stay in the cache.
    const BOARDS: usize;

    /// The token of the instruction set.
    fn simd(&self) -> Self::Simd;

    /// Packs a convolution with 1 or 9 taps whose input has `width` channels in memory.
    fn pack_convolution(&self, matrix: &Matrix<'_>, width: usize) -> Self::Convolution;

    fn pack_dense(&self, matrix: &Matrix<'_>) -> Self::Dense;

    /// Multiply-adds of a convolution on one board, including padding.
    fn operations(&self, matrix: &Matrix<'_>, width: usize) -> u64;

    /// Scratch memory of one thread for layers of up to these sizes.
    fn work(&self, sizes: Sizes) -> Self::Work;

    /// Prepares the thread (AMX needs its tiles configured).
    fn begin(&self, _work: &mut Self::Work) {}

    /// Undoes [`Backend::begin`].
    fn end(&self, _work: &mut Self::Work) {}

    /// Computes the sums of a convolution for each board of a batch and calls `each` with the board's number and
    /// `[72 positions][outputs]`. The contents of the positions between ranks are undefined.
    fn convolve(
        &self,
        layer: &Self::Convolution,
        batch: Batch<Grid<'_, Self::Element>>,
        work: &mut Self::Work,
        each: impl FnMut(usize, &[SumOf<Self>]),
    );

    /// Computes the sums of a dense layer, `[boards][outputs]`. Input and output have space for [`Backend::BOARDS`]
    /// boards.
    fn dense(
        &self,
        layer: &Self::Dense,
        batch: Batch<&Flat<Self::Element>>,
        work: &mut Self::Work,
        output: &mut Flat<SumOf<Self>>,
    );
}

/// The input of a layer; only its first `boards` boards are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch<I> {
    pub(crate) input: I,
    pub(crate) boards: usize,
}

/// The first convolution, packed for a backend.
pub(crate) trait Stem<G: Backend>: Send + Sync {
    /// Scratch memory of one thread.
    type Scratch: Send;

    fn new(convolution: &Convolution) -> Self;

    /// Scratch memory of one thread.
    fn scratch(&self) -> Self::Scratch;

    /// Computes the sums of one board, `[72 positions][padded outputs]`; the positions between ranks are undefined.
    fn run(
        &self,
        backend: &G,
        planes: &[Plane],
        memory: ThreadMemory<'_, G::Work, Self::Scratch>,
        output: &mut [f32],
    );
}

/// Scratch memory of one thread: the backend's, and that of one part of the network.
pub(crate) struct ThreadMemory<'a, W, S> {
    pub(crate) work: &'a mut W,
    pub(crate) scratch: &'a mut S,
}

#[cfg(test)]
pub(crate) mod tests;
