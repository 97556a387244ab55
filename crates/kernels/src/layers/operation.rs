//! What a layer computes, and which squares it reads.

use super::Shape;
use crate::Activation;

/// The squares that one square of the output reads: a rectangle that moves over the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Squares from south to north.
    pub ranks: usize,
    /// Squares from west to east.
    pub files: usize,
    /// Squares from one place to the next.
    pub stride: usize,
    /// Squares of zeros added on every side.
    pub margin: usize,
}

impl Patch {
    /// A single square, as read by a 1x1 convolution.
    pub const SQUARE: Self = Self { ranks: 1, files: 1, stride: 1, margin: 0 };

    fn places(self, length: usize, size: usize) -> Option<usize> {
        Some((length + 2 * self.margin).checked_sub(size)? / self.stride.max(1) + 1)
    }

    /// The output map over an input map; `None` where the patch is larger than the map.
    fn over(self, shape: Shape) -> Option<Shape> {
        let (ranks, files) = (self.places(shape.ranks, self.ranks)?, self.places(shape.files, self.files)?);
        Some(Shape { ranks, files, ..shape })
    }
}

/// The reduction of a patch's numbers to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The largest; squares of the margin do not count.
    Max,
    /// The mean; squares of the margin count as zeros.
    Average,
}

/// The function of a layer. Weights are `[taps][inputs][outputs]`, every other parameter has one number per channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// The sum of each patch's numbers times weights, perhaps plus a bias. Parameters: weights, bias. Over [`Patch::SQUARE`] of a map
    /// of one square it is a dense layer.
    Convolution {
        /// The squares of a sum.
        patch: Patch,
        /// True if there is one.
        bias: bool,
    },
    /// `(x - mean) / sqrt(variance + 1e-5) * scale + shift` for each channel, over the batch or with stored statistics. Parameters: scale,
    /// shift.
    BatchNorm,
    /// As [`Operation::BatchNorm`], but over the squares of each position and each group of channels. Parameters:
    /// scale, shift.
    GroupNorm {
        /// Groups of equally many channels.
        groups: usize,
    },
    /// A function of each number.
    Activation(Activation),
    /// In training a product with numbers that the caller draws, in play nothing.
    Dropout {
        /// The probability that a number is zeroed.
        rate: f32,
    },
    /// One number a channel for each patch.
    Pool {
        /// Maximum or mean.
        method: Pooling,
        /// The squares of a number.
        patch: Patch,
    },
    /// All numbers of a map in a row, square by square.
    Flatten,
    /// The numbers of two flat inputs, one behind the other.
    Join,
    /// `x * sigmoid(first half) + second half` for each channel; the second input has both halves.
    Gate,
    /// The sum of two inputs.
    Sum,
}

impl Operation {
    /// True for a convolution that Winograd's algorithm does.
    pub(super) fn is_winograds(self, from: Shape) -> bool {
        let Self::Convolution { patch, .. } = self else { return false };
        let Patch { ranks, files, stride, margin } = patch;
        (ranks, files, stride) == (3, 3, 1) && margin < 2 && (from.ranks, from.files) == (8, 8)
    }

    /// Number of places that it reads.
    pub(super) fn inputs(self) -> usize {
        match self {
            Self::Join | Self::Gate | Self::Sum => 2,
            _ => 1,
        }
    }

    /// The shape of its output; `None` where its inputs do not fit.
    pub(super) fn shape(self, inputs: &[Shape], output: Shape) -> Option<Shape> {
        let first = inputs[0];
        match self {
            Self::Convolution { patch, .. } => {
                patch.over(first).map(|shape| Shape { channels: output.channels, ..shape })
            }
            Self::Pool { patch, .. } => patch.over(first),
            Self::GroupNorm { groups } if groups == 0 || !first.channels.is_multiple_of(groups) => None,
            Self::BatchNorm | Self::GroupNorm { .. } | Self::Activation(_) | Self::Dropout { .. } => {
                Some(first)
            }
            Self::Flatten => Some(Shape::flat(first.squares() * first.channels)),
            Self::Join => {
                let flat = inputs.iter().all(|shape| shape.squares() == 1);
                flat.then(|| Shape::flat(first.channels + inputs[1].channels))
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
            Self::BatchNorm | Self::GroupNorm { .. } => vec![output.channels; 2],
            _ => Vec::new(),
        }
    }
}
