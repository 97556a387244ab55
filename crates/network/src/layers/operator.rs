//! Steps for whatever builds a network out of its own layers: Burn here, and other programs.

use serde::Serialize;

use super::{Activation, Pooling};
use crate::parameter::EPSILON;

/// The operator of a step. A board is `[channels, ranks, files]`; numbers without squares are a board of one square.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Operator {
    /// A function of each number.
    Activation {
        /// The function applied to each number.
        function: Activation,
    },
    /// Batch normalisation: matrices `scale` and `shift`, `[1, channels]`, and the running statistics `[2, channels]`, mean and
    /// variance.
    BatchNorm {
        /// Added to the variance.
        epsilon: f32,
    },
    /// The channels of both inputs, one behind the other.
    Concatenation,
    /// A convolution: matrices `weight`, `[size * size * inputs, channels]` with row `(rank tap * size + file tap) * inputs +
    /// input`, and perhaps `bias`, `[1, channels]`.
    Convolution {
        /// Squares along one side of the kernel.
        size: usize,
        /// Squares from one output to the next.
        stride: usize,
        /// Squares of zeros added on every side.
        margin: usize,
        /// True if there is a bias.
        bias: bool,
    },
    /// A fully connected layer: matrices `weight`, `[inputs, units]`, and perhaps `bias`, `[1, units]`.
    Dense {
        /// True if there is a bias.
        bias: bool,
    },
    /// In training each number becomes zero with this probability, and the others grow by 1 / (1 - rate).
    Dropout {
        /// Probability that a number is zeroed.
        rate: f32,
    },
    /// All numbers in one row: square by square from a1, and for each square its channels.
    Flatten,
    /// The first input times the sigmoid of the first half of the second one's channels, plus the other half.
    Gate,
    /// Group normalisation: matrices `scale` and `shift`, `[1, channels]`.
    GroupNorm {
        /// Groups of neighbouring channels.
        groups: usize,
        /// Added to the variance.
        epsilon: f32,
    },
    /// One number a channel for each window of squares; zeros beyond the edge count in a mean and not in a maximum.
    Pool {
        /// Maximum or mean.
        method: Pooling,
        /// Size, stride and margin of the windows; `None` for the whole board.
        window: Option<[usize; 3]>,
    },
    /// The sum of both inputs.
    Sum,
}

impl Operator {
    /// Batch normalisation as it is everywhere here.
    pub(crate) const BATCH_NORM: Self = Self::BatchNorm { epsilon: EPSILON };
}
