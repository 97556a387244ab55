//! The operations of a backend that only training uses.
//!
//! Two things come to [`Backend`]: weights packed again in every step, and the
//! gradient of the weights. Activations and gradients of sums are kept in the backend's own number format, where it
//! reads them.

use super::shape::KernelSize;
use crate::{
    backend::{Backend, Sizes},
    gemm::Matrix,
    layout::Boards,
    simd::GradientLanes,
    simd::element::Element,
    start::Start,
};

/// The gradient of a convolution's weights over some boards.
pub(crate) struct FilterGradient<'a, E> {
    pub(crate) kernel_size: KernelSize,
    /// Channels of the input that count.
    pub(crate) inputs: usize,
    pub(crate) input: &'a Boards<E>,
    /// The first board of the input.
    pub(crate) first: usize,
    pub(crate) boards: usize,
    /// With respect to the sums, from board 0.
    pub(crate) gradient: &'a Boards<E>,
    /// `[taps][inputs][width of the gradient]`.
    pub(crate) result: &'a mut [f32],
    pub(crate) start: Start,
}

/// A backend that can be trained on. Sums are floats.
pub(crate) trait TrainingBackend:
    Backend<Simd: GradientLanes<f32>, Element: Element<Sum = f32>>
{
    /// Room for the gradient of the weights.
    type GradientWork: Send;

    /// Packs weights as [`Backend::pack_convolution`] does.
    fn pack(&self, matrix: &Matrix<'_>, width: usize) -> Self::Convolution {
        self.pack_convolution(matrix, width)
    }

    /// Makes room for up to [`GROUP`](super::GROUP) boards of the largest layer.
    fn gradient_work(&self, sizes: Sizes) -> Self::GradientWork;

    /// Adds the gradient of the weights over some boards, which [`TrainingBackend::end_filter_gradient`] may complete.
    fn filter_gradient(&self, request: FilterGradient<'_, Self::Element>, work: &mut Self::GradientWork);

    /// Completes the gradient of a layer's weights after the last boards.
    fn end_filter_gradient(
        &self,
        _kernel_size: KernelSize,
        _result: &mut [f32],
        _work: &mut Self::GradientWork,
    ) {
    }
}
