//! Layers of the tower kernels, which support only some kinds of layers in some orders.

use kernels::{Activation, KernelSize};

use super::{Activation as Function, Operator, Pooling};

/// A layer in the terms of the kernels.
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

impl Operator {
    /// The layer of the tower kernels.
    pub(crate) fn known(self) -> Known {
        match self {
            Self::Activation { function: function @ (Function::Relu | Function::Mish | Function::Swish) } => {
                Known::Activation(function.of_kernels())
            }
            Self::BatchNorm { .. } => Known::BatchNorm,
            Self::Convolution { size: 1, stride: 1, margin: 0, bias } => {
                Known::Convolution { kernel: KernelSize::OneByOne, bias }
            }
            Self::Convolution { size: 3, stride: 1, margin: 1, bias } => {
                Known::Convolution { kernel: KernelSize::ThreeByThree, bias }
            }
            Self::Dense { bias: true } => Known::Dense,
            Self::Flatten => Known::Flatten,
            Self::Gate => Known::Gate,
            Self::Pool { method: Pooling::Average, window: None } => Known::Mean,
            Self::Sum => Known::Sum,
            _ => Known::Other,
        }
    }
}
