//! The three operations a chess network spends its time in, on activations of shape `[boards * 64, channels]`: the 3x3
//! board convolution, the moments of each channel, and normalisation with its activation and skip connection.
//!
//! Burn's general convolution and batch normalisation are several times slower on a CPU than one matrix product over
//! gathered neighbourhoods and two fused passes over the board. So the CPU backend gets its own operations with
//! hand-written gradients ([`flex`], [`autodiff`]); every other device runs [`plain`], which is also the oracle of the
//! fast ones in the tests.
//!
//! A convolution weight is a matrix `[9 * channels_in, channels_out]`. Its row `tap * channels_in + channel` belongs to
//! the neighbour at `tap = (rank step + 1) * 3 + (file step + 1)`.

mod autodiff;
mod flex;
pub(crate) mod plain;

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::tensor::Tensor;

/// Squares of a board: rows of an activation matrix for each position.
pub(crate) const SQUARES: usize = 64;

/// Squares that a 3x3 convolution reads.
pub(crate) const TAPS: usize = 9;

/// Added to the variance before the root, as in the batch-normalisation paper (arXiv 1502.03167); the usual value.
pub(crate) const EPSILON: f32 = 1e-5;

/// What normalisation does after scale and shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// Nothing.
    Linear,
    /// max(0, x).
    Rectify,
}

/// The operations with a derivative, dispatched by device at run time.
#[backend_extension(Flex, Autodiff)]
pub(crate) trait BoardOps: Backend {
    /// See [`convolution`].
    fn board_convolution(input: FloatTensor<Self>, weight: FloatTensor<Self>) -> FloatTensor<Self>;

    /// See [`moments`].
    fn channel_moments(input: FloatTensor<Self>) -> FloatTensor<Self>;

    /// See [`normalise`].
    fn board_normalise(
        input: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        scale: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        finish: Finish,
    ) -> FloatTensor<Self>;

    /// See [`normalise_add`].
    fn board_normalise_add(
        input: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        scale: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        skip: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}

/// The arithmetic behind [`BoardOps`], forward and backward, on a backend without gradients.
pub(crate) trait BoardKernels: Backend {
    /// Forward pass of the convolution.
    fn convolve(input: FloatTensor<Self>, weight: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The weight whose convolution is the gradient with respect to the input: taps reversed, channels swapped.
    fn reverse_weight(weight: FloatTensor<Self>) -> FloatTensor<Self>;

    /// Gradient of the convolution with respect to its weight.
    fn convolve_weight_gradient(input: FloatTensor<Self>, gradient: FloatTensor<Self>) -> FloatTensor<Self>;

    /// Mean (row 0) and variance (row 1) of each channel.
    fn moments(input: FloatTensor<Self>) -> FloatTensor<Self>;

    /// Forward pass of the normalisation; a skip connection is added before the rectifier.
    fn normalise(normalisation: Normalisation<Self>, finish: Finish) -> FloatTensor<Self>;

    /// Gradients of the normalisation. `output` is what the forward pass gave and tells where the rectifier was open.
    fn normalise_gradient(
        normalisation: Normalisation<Self>,
        output: Option<FloatTensor<Self>>,
        gradient: FloatTensor<Self>,
    ) -> NormalisationGradient<Self>;
}

/// The operands of a normalisation.
#[derive(Clone, Debug)]
pub(crate) struct Normalisation<B: Backend> {
    /// `[rows, channels]`.
    pub(crate) input: FloatTensor<B>,
    /// `[2, channels]`: mean and variance.
    pub(crate) moments: FloatTensor<B>,
    /// `[1, channels]`.
    pub(crate) scale: FloatTensor<B>,
    /// `[1, channels]`.
    pub(crate) shift: FloatTensor<B>,
    /// `[rows, channels]`, where there is a skip connection.
    pub(crate) skip: Option<FloatTensor<B>>,
}

/// The gradients of a normalisation with respect to its operands.
pub(crate) struct NormalisationGradient<B: Backend> {
    /// `[rows, channels]`; the moments are taken to be those of the input.
    pub(crate) input: FloatTensor<B>,
    /// `[1, channels]`.
    pub(crate) scale: FloatTensor<B>,
    /// `[1, channels]`.
    pub(crate) shift: FloatTensor<B>,
    /// `[rows, channels]`: the gradient before the rectifier, which is that of the skip connection.
    pub(crate) skip: FloatTensor<B>,
}

/// 3x3 convolution over each board, zero outside it.
///
/// # Shapes
/// input `[boards * 64, channels_in]`, weight `[9 * channels_in, channels_out]` -> `[boards * 64, channels_out]`.
pub(crate) fn convolution(input: Tensor<2>, weight: Tensor<2>) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::board_convolution(input.into_dispatch(), weight.into_dispatch()))
}

/// Mean (row 0) and biased variance (row 1) of each channel, without a gradient.
///
/// # Shapes
/// `[rows, channels]` -> `[2, channels]`.
pub(crate) fn moments(input: Tensor<2>) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::channel_moments(input.inner().into_dispatch()))
}

/// `finish((input - mean) / sqrt(variance + EPSILON) * scale + shift)`.
///
/// The gradient is that of *batch* normalisation: it takes the moments to be those of the input.
///
/// # Shapes
/// input `[rows, channels]`, moments `[2, channels]`, scale and shift `[1, channels]` -> `[rows, channels]`.
pub(crate) fn normalise(
    input: Tensor<2>,
    moments: Tensor<2>,
    scale: Tensor<2>,
    shift: Tensor<2>,
    finish: Finish,
) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::board_normalise(
        input.into_dispatch(),
        moments.into_dispatch(),
        scale.into_dispatch(),
        shift.into_dispatch(),
        finish,
    ))
}

/// [`normalise`], then the skip connection added, then rectified.
///
/// # Shapes
/// As [`normalise`]; skip `[rows, channels]`.
pub(crate) fn normalise_add(
    input: Tensor<2>,
    moments: Tensor<2>,
    scale: Tensor<2>,
    shift: Tensor<2>,
    skip: Tensor<2>,
) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::board_normalise_add(
        input.into_dispatch(),
        moments.into_dispatch(),
        scale.into_dispatch(),
        shift.into_dispatch(),
        skip.into_dispatch(),
    ))
}

#[cfg(test)]
mod tests;
