//! The operations of a backend that only training needs.
//!
//! Training adds two operations to [`Backend`]: packing the weights in every step, and the gradient of the weights.
//! Activations and gradients of sums that the backend reads are kept in its own number format.

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
    /// Number of input channels, without padding.
    pub(crate) inputs: usize,
    pub(crate) input: &'a Boards<E>,
    /// The first board of the input.
    pub(crate) first: usize,
    pub(crate) boards: usize,
    /// The gradient with respect to the sums, starting at board 0.
    pub(crate) gradient: &'a Boards<E>,
    /// `[taps][inputs][width of the gradient]`.
    pub(crate) result: &'a mut [f32],
    pub(crate) start: Start,
}

/// A backend that supports training. Sums are floats.
pub(crate) trait TrainingBackend:
    Backend<Simd: GradientLanes<f32>, Element: Element<Sum = f32>>
{
    /// Scratch memory for the gradient of the weights.
    type GradientWork: Send;

    /// Packs weights like [`Backend::pack_convolution`].
    fn pack(&self, matrix: &Matrix<'_>, width: usize) -> Self::Convolution {
        self.pack_convolution(matrix, width)
    }

    /// Allocates scratch memory for up to [`GROUP`](super::GROUP) boards of the largest layer.
    fn gradient_work(&self, sizes: Sizes) -> Self::GradientWork;

    /// Adds the gradient of the weights over some boards. [`TrainingBackend::end_filter_gradient`] completes it.
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
