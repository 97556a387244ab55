//! How an instruction set and a number format compute a layer's sums.

mod direct;
mod tiles;
mod winograd;

pub(crate) use direct::Direct;
pub(crate) use tiles::Tiles;
pub(crate) use winograd::{Filters, Winograd};

use crate::{
    element::Element,
    layout::{Flat, Grid},
    product::Matrix,
    simd::Lanes,
};

/// The sums of a layer's products.
pub(crate) type SumOf<G> = <<G as Engine>::Element as Element>::Sum;

/// The sizes that decide how much room an engine needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// The widest input of a convolution.
    pub(crate) width: usize,
    /// The most outputs of a convolution.
    pub(crate) outputs: usize,
}

/// One way of computing convolutions and dense layers.
pub(crate) trait Engine: Clone + Send + Sync + 'static {
    /// The number format of activations.
    type Element: Element;
    /// The instruction set of everything that is no product.
    type Simd: Lanes<Self::Element> + Lanes<f32>;
    /// Packed weights of a convolution.
    type Convolution: Send + Sync;
    /// Packed weights of a dense layer.
    type Dense: Send + Sync;
    /// Room for intermediate results.
    type Work: Send;

    /// Channels in memory are a multiple of this.
    const CHANNELS: usize;
    /// Boards that are run through the network together, so that activations stay in the cache.
    const BOARDS: usize;

    /// The token of the instruction set.
    fn simd(&self) -> Self::Simd;

    /// Packs a convolution with 1 or 9 taps whose input has `width` channels in memory.
    fn pack_convolution(&self, matrix: &Matrix<'_>, width: usize) -> Self::Convolution;

    /// Packs a dense layer.
    fn pack_dense(&self, matrix: &Matrix<'_>) -> Self::Dense;

    /// Multiplications of a convolution on one board, padding included.
    fn operations(&self, matrix: &Matrix<'_>, width: usize) -> u64;

    /// Makes room.
    fn work(&self, sizes: Sizes) -> Self::Work;

    /// Makes the thread ready to compute.
    fn begin(&self, _work: &mut Self::Work) {}

    /// The computation is over.
    fn end(&self, _work: &mut Self::Work) {}

    /// Sums of a convolution of so many boards: calls `each` for every one with `[72 positions][outputs]`, of which the positions between
    /// ranks mean nothing.
    fn convolve(
        &self,
        layer: &Self::Convolution,
        input: (Grid<'_, Self::Element>, usize),
        work: &mut Self::Work,
        each: impl FnMut(usize, &[SumOf<Self>]),
    );

    /// Sums of a dense layer of so many boards, `[boards][outputs]`. Both sides have room for [`Engine::BOARDS`].
    fn dense(
        &self,
        layer: &Self::Dense,
        input: (&Flat<Self::Element>, usize),
        work: &mut Self::Work,
        output: &mut Flat<SumOf<Self>>,
    );
}

#[cfg(test)]
mod tests;
