//! Converts operators to the operations of the kernels for lists of layers.

use kernels::layers::{Operation, Patch, Pooling as Method};

use super::{Operator, Pooling, Shape};

impl Operator {
    pub(crate) fn kernel(self, inputs: &[Shape]) -> Operation {
        let square = |[size, stride, margin]: [usize; 3]| Patch { ranks: size, files: size, stride, margin };
        match self {
            Self::Activation { function } => Operation::Activation(function.of_kernels()),
            Self::BatchNorm { .. } => Operation::BatchNorm,
            Self::Concatenation => Operation::Join,
            Self::Convolution { size, stride, margin, bias } => {
                Operation::Convolution { patch: square([size, stride, margin]), bias }
            }
            Self::Dense { bias } => Operation::Convolution { patch: Patch::SQUARE, bias },
            Self::Dropout { rate } => Operation::Dropout { rate },
            Self::Flatten => Operation::Flatten,
            Self::Gate => Operation::Gate,
            Self::GroupNorm { groups, .. } => Operation::GroupNorm { groups },
            Self::Pool { method, window } => {
                let Shape { ranks, files, .. } = inputs[0];
                let board = Patch { ranks, files, stride: 1, margin: 0 };
                let method = match method {
                    Pooling::Max => Method::Max,
                    Pooling::Average => Method::Average,
                };
                Operation::Pool { method, patch: window.map_or(board, square) }
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
