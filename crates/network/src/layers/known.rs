//! Layers as the kernels of towers know them; these compute some kinds of layers in some orders.

use kernels::{Activation, training::KernelSize};

/// A layer in the words of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// A convolution of 8x8 squares to 8x8 squares.
    Convolution {
        kernel: KernelSize,
        bias: bool,
    },
    BatchNorm,
    Activation(Activation),
    /// A fully connected layer with bias.
    Dense,
    Flatten,
    /// The mean of each channel over the board.
    Mean,
    /// The end of a squeeze-excite unit.
    Gate,
    /// The sum with a skip connection.
    Sum,
    Other,
}
