//! What a layer is to the kernels of towers, which compute some kinds of layers in some orders.

use kernels::Activation;

/// A layer in the words of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// A convolution of 8x8 squares to 8x8 squares.
    Convolution {
        kernel: Kernel,
        bias: bool,
    },
    BatchNorm,
    Activation(Activation),
    /// With bias.
    Dense,
    Flatten,
    /// Mean over the board.
    Mean,
    /// The end of a squeeze-excite unit.
    Gate,
    /// With a skip connection.
    Sum,
    Other,
}

/// Whether a convolution sees a square's neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// 3x3.
    Board,
    /// 1x1.
    Square,
}
