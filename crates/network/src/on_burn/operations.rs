//! The three operations a chess network spends its time in, on activations of shape `[boards * 64, channels]`, in Burn's own
//! tensor functions: the 3x3 board convolution, the moments of each channel, and normalisation.

use burn::tensor::Tensor;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;

use crate::architecture::{EPSILON, SQUARES};

/// 3x3 convolution over each board, zero outside it.
///
/// # Shapes
/// input `[boards * 64, channels_in]`, weight `[9 * channels_in, channels_out]` -> `[boards * 64, channels_out]`.
pub(crate) fn convolution(input: Tensor<2>, weight: Tensor<2>) -> Tensor<2> {
    let [rows, channels_in] = input.dims();
    let [_, channels_out] = weight.dims();
    let boards = rows / SQUARES;
    let planes = input.reshape([boards, 8, 8, channels_in]).permute([0, 3, 1, 2]); // [boards, channels_in, 8, 8]
    let kernel = weight.reshape([3, 3, channels_in, channels_out]).permute([3, 2, 0, 1]);
    let options = ConvOptions::new([1, 1], [1, 1], [1, 1], 1);
    let output = conv2d(planes, kernel, None, options); // [boards, channels_out, 8, 8]
    output.permute([0, 2, 3, 1]).reshape([rows, channels_out])
}

/// Mean (row 0) and biased variance (row 1) of each channel.
///
/// # Shapes
/// `[rows, channels]` -> `[2, channels]`.
pub(crate) fn moments(input: Tensor<2>) -> Tensor<2> {
    let mean = input.clone().mean_dim(0);
    let variance = (input - mean.clone()).square().mean_dim(0);
    Tensor::cat(vec![mean, variance], 0)
}

/// `(input - mean) / sqrt(variance + EPSILON) * scale + shift`.
///
/// # Shapes
/// input `[rows, channels]`, moments `[2, channels]`, scale and shift `[1, channels]` -> `[rows, channels]`.
pub(crate) fn normalise(
    input: Tensor<2>,
    moments: Tensor<2>,
    scale: Tensor<2>,
    shift: Tensor<2>,
) -> Tensor<2> {
    let mean = moments.clone().narrow(0, 0, 1);
    let variance = moments.narrow(0, 1, 1);
    (input - mean) / variance.add_scalar(EPSILON).sqrt() * scale + shift
}
