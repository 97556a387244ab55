//! The operators for consumers that build a network from their own layers: the kernels, and PyTorch in the Python package.

use kernels::layers::{Operation, Patch};
use serde::Serialize;

use super::{Activation, Pooling, Shape};
use crate::parameter::EPSILON;

/// The operator of a step. A board is `[channels, ranks, files]`; values without squares are a board of one square.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Operator {
    /// A function applied to each value.
    Activation {
        /// The function applied to each value.
        function: Activation,
    },
    /// Softmax attention among 64 squares. Inputs: queries, keys and values, the channels of one head after another, and with `bias` the
    /// term of the scores, `[heads * queries * keys, 1, 1]`. Scores are divided by the square root of the channels of a head.
    Attention {
        /// Number of heads.
        heads: usize,
        /// True if there is a fourth input.
        bias: bool,
    },
    /// Batch normalisation: matrices `scale` and `shift`, `[1, channels]`, and the running statistics `[2, channels]`, mean and
    /// variance.
    BatchNorm {
        /// Added to the variance.
        epsilon: f32,
    },
    /// The channels of the first input followed by those of the second.
    Concatenation,
    /// A convolution: matrices `weight`, `[size * size * inputs, channels]` with row `(rank tap * size + file tap) * inputs +
    /// input`, and optionally `bias`, `[1, channels]`.
    Convolution {
        /// Kernel size: squares along one side.
        size: usize,
        /// Stride: squares from one output to the next.
        stride: usize,
        /// Padding: squares of zeros added on every side.
        margin: usize,
        /// True if there is a bias.
        bias: bool,
    },
    /// A fully connected layer: matrices `weight`, `[inputs, units]`, and optionally `bias`, `[1, units]`.
    Dense {
        /// True if there is a bias.
        bias: bool,
    },
    /// In training each value is set to zero with this probability, and the others are multiplied by 1 / (1 - rate).
    Dropout {
        /// Probability that a value is set to zero.
        rate: f32,
    },
    /// The first channels of each square.
    First {
        /// Number of channels.
        count: usize,
    },
    /// All values in one row: square by square from a1, and for each square its channels.
    Flatten,
    /// The first input times the sigmoid of the first half of the second input's channels, plus the second half.
    Gate,
    /// Group normalisation: matrices `scale` and `shift`, `[1, channels]`.
    GroupNorm {
        /// Number of groups of neighbouring channels.
        groups: usize,
        /// Added to the variance.
        epsilon: f32,
    },
    /// Layer normalisation over the channels of each square: matrices `scale` and `shift`, `[1, channels]`.
    LayerNorm {
        /// Added to the variance.
        epsilon: f32,
    },
    /// The scores of moves from queries, keys and a board of four channels: `from * 64 + to`, then promotions to queen, rook and
    /// bishop, `4096 + (from file * 8 + to file) * 3 + piece`.
    MoveScores,
    /// One value per channel for each window of squares. Zeros beyond the edge count in a mean but not in a maximum.
    Pool {
        /// Maximum or mean.
        method: Pooling,
        /// Size, stride and margin of the windows; `None` for the whole board.
        window: Option<[usize; 3]>,
    },
    /// A scale and a shift for each square and channel: matrices `scale` and `shift`, `[squares, channels]`, those that there are.
    SquareAffine {
        /// True if there is a scale.
        scale: bool,
        /// True if there is a shift.
        shift: bool,
    },
    /// The sum of both inputs.
    Sum,
    /// A row as a board: the inverse of `Flatten`.
    #[allow(missing_docs, reason = "the fields are what their names say")]
    Unflatten { channels: usize, ranks: usize, files: usize },
}

impl Operator {
    /// Batch normalisation with the epsilon that this program uses everywhere.
    pub(crate) const BATCH_NORM: Self = Self::BatchNorm { epsilon: EPSILON };

    /// The operation of the kernels for lists of layers.
    pub(crate) fn kernel(self, inputs: &[Shape]) -> Operation {
        match self {
            Self::Activation { function } => Operation::Activation(function),
            Self::BatchNorm { .. } => Operation::BatchNorm,
            Self::Concatenation => Operation::Join,
            Self::Convolution { size, stride, margin, bias } => {
                Operation::Convolution { patch: Patch { ranks: size, files: size, stride, margin }, bias }
            }
            Self::Dense { bias } => Operation::Convolution { patch: Patch::SQUARE, bias },
            Self::Dropout { rate } => Operation::Dropout { rate },
            Self::Flatten => Operation::Flatten,
            Self::Gate => Operation::Gate,
            Self::GroupNorm { groups, .. } => Operation::GroupNorm { groups },
            Self::Pool { method, window } => {
                let patch = match window {
                    Some([size, stride, margin]) => Patch { ranks: size, files: size, stride, margin },
                    None => Patch { ranks: inputs[0].ranks, files: inputs[0].files, stride: 1, margin: 0 },
                };
                Operation::Pool { method, patch }
            }
            Self::Sum => Operation::Sum,
            Self::Attention { heads, bias } => Operation::Attention { heads, bias },
            Self::First { count } => Operation::First { count },
            Self::LayerNorm { epsilon } => Operation::LayerNorm { epsilon },
            Self::MoveScores => Operation::MoveScores,
            Self::SquareAffine { scale, shift } => Operation::Squares { scale, shift },
            Self::Unflatten { .. } => Operation::Unflatten,
        }
    }
}
