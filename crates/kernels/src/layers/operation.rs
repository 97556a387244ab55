//! The operation of a layer, and the squares it reads.

use serde::{Deserialize, Serialize};

use super::Shape;
use crate::{Activation, KernelSize};

/// The squares that one output square reads: a rectangle that moves over the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Height in squares, from south to north.
    pub ranks: usize,
    /// Width in squares, from west to east.
    pub files: usize,
    /// Squares from one patch to the next.
    pub stride: usize,
    /// Padding: squares of zeros added on every side of the map.
    pub margin: usize,
}

impl Patch {
    /// A single square, as read by a 1x1 convolution.
    pub const SQUARE: Self = Self { ranks: 1, files: 1, stride: 1, margin: 0 };

    /// True if it is the whole map.
    pub(super) fn is_whole(self, shape: Shape) -> bool {
        (self.ranks, self.files, self.margin) == (shape.ranks, shape.files, 0)
    }

    fn places(self, length: usize, size: usize) -> Option<usize> {
        Some((length + 2 * self.margin).checked_sub(size)? / self.stride.max(1) + 1)
    }

    /// The shape of the output map for an input map; `None` if the patch is larger than the map.
    fn over(self, shape: Shape) -> Option<Shape> {
        let (ranks, files) = (self.places(shape.ranks, self.ranks)?, self.places(shape.files, self.files)?);
        Some(Shape { ranks, files, ..shape })
    }
}

/// The reduction of a patch to one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pooling {
    /// The maximum; squares of the margin do not count.
    Max,
    /// The mean; squares of the margin count as zeros, as in PyTorch.
    Average,
}

/// Length of the output of [`Operation::MoveScores`]: `from * 64 + to`, then promotions to queen, rook and bishop,
/// `4096 + (from file * 8 + to file) * 3 + piece`; those to knights are moves like others.
pub const MOVE_SCORES: usize = 64 * 64 + 8 * 8 * 3;

/// The operation of a layer. Weights are `[taps][inputs][outputs]`; every other parameter has one value per channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// The weighted sum of each patch, with an optional bias. Parameters: weights, bias. With [`Patch::SQUARE`] over a map of one
    /// square it is a dense layer.
    Convolution {
        /// The squares that are summed.
        patch: Patch,
        /// True if there is a bias.
        bias: bool,
    },
    /// `(x - mean) / sqrt(variance + 1e-5) * scale + shift` for each channel, with the statistics of the batch or stored ones. Parameters:
    /// scale, shift.
    BatchNorm,
    /// As [`Operation::BatchNorm`], but with the statistics of each position and group of channels, over its squares.
    /// Parameters: scale, shift.
    GroupNorm {
        /// Number of groups, all with the same number of channels.
        groups: usize,
    },
    /// `(x - mean) / sqrt(variance + epsilon) * scale + shift`, with mean and variance over the channels of each square. Parameters: scale,
    /// shift.
    LayerNorm {
        /// Added to the variance.
        epsilon: f32,
    },
    /// `x * scale + shift` with numbers for each square and channel. Parameters, `[squares][channels]`: scale, shift, those that there are.
    Squares {
        /// True if there is a scale.
        scale: bool,
        /// True if there is a shift.
        shift: bool,
    },
    /// Softmax attention among the squares of a board. Inputs: queries, keys, values, each with the channels of one head after another, and
    /// with `bias` a flat one that is added to the scores, `[heads][queries][keys]`.
    Attention {
        /// Number of heads.
        heads: usize,
        /// True if there is a fourth input.
        bias: bool,
    },
    /// The scores of moves from queries (where a move starts), keys (where it ends) and a board of four channels for promotions, of which
    /// the last rank is read; a flat output of [`MOVE_SCORES`].
    MoveScores,
    /// The first channels of each square.
    First {
        /// Number of channels.
        count: usize,
    },
    /// The inverse of [`Operation::Flatten`].
    Unflatten,
    /// A function applied to each value.
    Activation(Activation),
    /// In training, a multiplication by factors that the caller draws; in play, the identity.
    Dropout {
        /// The probability that a value is set to zero.
        rate: f32,
    },
    /// One value per channel for each patch.
    Pool {
        /// Maximum or mean.
        method: Pooling,
        /// The squares that are reduced to one value.
        patch: Patch,
    },
    /// All values of a map as one row, square by square.
    Flatten,
    /// The channels of two inputs, one after another.
    Join,
    /// `x * sigmoid(first half) + second half` for each channel; the second input contains both halves.
    Gate,
    /// The sum of two inputs.
    Sum,
}

impl Operation {
    /// True for a convolution that Winograd's algorithm computes.
    pub(super) fn is_winograds(self, from: Shape) -> bool {
        let Self::Convolution { patch, .. } = self else { return false };
        let Patch { ranks, files, stride, margin } = patch;
        (ranks, files, stride) == (3, 3, 1) && margin < 2 && (from.ranks, from.files) == (8, 8)
    }

    /// True for a convolution or dense layer that multiplies 16-bit floats where a network trains in bf16. For small layers, whose
    /// operands would fill few tiles, packing costs more than the products.
    pub(super) fn is_half(self, from: Shape, to: Shape) -> bool {
        const WEIGHTS: usize = 1 << 12;
        let Self::Convolution { patch, .. } = self else { return false };
        let inner = patch.ranks * patch.files * from.channels;
        let is_large = inner >= 32 && to.channels >= 16 && inner * to.channels >= WEIGHTS;
        is_large || self.on_board(from).is_some()
    }

    /// The kernel size of a convolution over the whole board that has an algorithm with 16-bit floats.
    pub(super) fn on_board(self, from: Shape) -> Option<KernelSize> {
        let Self::Convolution { patch, .. } = self else { return None };
        let size = match patch {
            Patch::SQUARE => KernelSize::OneByOne,
            Patch { ranks: 3, files: 3, stride: 1, margin: 1 } => KernelSize::ThreeByThree,
            _ => return None,
        };
        ((from.ranks, from.files) == (8, 8)).then_some(size)
    }

    /// Number of places it reads.
    pub(super) fn inputs(self) -> usize {
        match self {
            Self::Join | Self::Gate | Self::Sum => 2,
            Self::Attention { bias, .. } => 3 + usize::from(bias),
            Self::MoveScores => 3,
            _ => 1,
        }
    }

    /// The shape of its output; `None` if its inputs do not fit.
    pub(super) fn shape(self, inputs: &[Shape], output: Shape) -> Option<Shape> {
        let first = inputs[0];
        match self {
            Self::Convolution { patch, .. } => {
                patch.over(first).map(|shape| Shape { channels: output.channels, ..shape })
            }
            Self::Pool { patch, .. } => patch.over(first),
            Self::GroupNorm { groups } if groups == 0 || !first.channels.is_multiple_of(groups) => None,
            Self::BatchNorm
            | Self::GroupNorm { .. }
            | Self::LayerNorm { .. }
            | Self::Squares { .. }
            | Self::Activation(_)
            | Self::Dropout { .. } => Some(first),
            Self::Attention { heads, bias } => {
                let values = inputs[2];
                let divides = |shape: Shape| heads > 0 && shape.channels.is_multiple_of(heads);
                let boards = inputs[..3].iter().all(|shape| shape.squares() == 64 && divides(*shape));
                let biased = !bias || inputs[3] == Shape::flat(heads * 64 * 64);
                (boards && biased && inputs[1] == first).then_some(values)
            }
            Self::MoveScores => {
                let promotions = inputs[2] == Shape { channels: 4, ..first };
                (first.squares() == 64 && inputs[1] == first && promotions).then(|| Shape::flat(MOVE_SCORES))
            }
            Self::First { count } => (count <= first.channels).then_some(Shape { channels: count, ..first }),
            Self::Unflatten => (Shape::flat(output.squares() * output.channels) == first).then_some(output),
            Self::Flatten => Some(Shape::flat(first.squares() * first.channels)),
            Self::Join => {
                let same = (inputs[1].ranks, inputs[1].files) == (first.ranks, first.files);
                same.then(|| Shape { channels: first.channels + inputs[1].channels, ..first })
            }
            Self::Gate => (inputs[1] == Shape::flat(2 * first.channels)).then_some(first),
            Self::Sum => (inputs[1] == first).then_some(first),
        }
    }

    pub(super) fn parameters(self, input: Shape, output: Shape) -> Vec<usize> {
        match self {
            Self::Convolution { patch, bias } => {
                let weights = patch.ranks * patch.files * input.channels * output.channels;
                std::iter::once(weights).chain(bias.then_some(output.channels)).collect()
            }
            Self::BatchNorm | Self::GroupNorm { .. } | Self::LayerNorm { .. } => vec![output.channels; 2],
            Self::Squares { scale, shift } => {
                vec![output.squares() * output.channels; usize::from(scale) + usize::from(shift)]
            }
            _ => Vec::new(),
        }
    }
}
