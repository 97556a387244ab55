//! A layer of a list, ready to run.

use super::{
    attention::Attention,
    convolution::{Convolution, HalfConvolutions, Needs},
    list::{List, Shape, Step},
    normalise::Groups,
    operation::{Operation, Pooling},
    pooling::Pool,
};
use crate::Activation;

/// A layer's kernel with its compiled parameters.
pub(super) enum Layer {
    Convolution(Box<Convolution>),
    BatchNorm,
    GroupNorm(Groups),
    Activation(Activation),
    Dropout,
    Pool(Pool),
    /// The mean of each channel over the whole map.
    Mean,
    Flatten,
    Join,
    Gate,
    Sum,
    /// Over the channels of each square.
    ChannelNorm {
        epsilon: f32,
    },
    Squares,
    Attention(Attention),
    MoveScores,
    First,
    Unflatten,
}

impl Layer {
    pub(super) fn new(list: &List, step: &Step, needs: Needs, half: Option<&HalfConvolutions>) -> Self {
        let from = list.input(step);
        if let Some(convolution) = Convolution::new(step, from, needs, half) {
            return Self::Convolution(Box::new(convolution));
        }
        match step.operation {
            Operation::Convolution { .. } => unreachable!("made above"),
            Operation::BatchNorm => Self::BatchNorm,
            Operation::GroupNorm { groups } => Self::GroupNorm(Groups { groups, shape: from }),
            Operation::Activation(activation) => Self::Activation(activation),
            Operation::Dropout { .. } => Self::Dropout,
            Operation::Pool { method: Pooling::Average, patch } if patch.is_whole(from) => Self::Mean,
            Operation::Pool { method, patch } => Self::Pool(Pool::new(method, patch, (from, step.shape))),
            Operation::Flatten => Self::Flatten,
            Operation::Join => Self::Join,
            Operation::Gate => Self::Gate,
            Operation::Sum => Self::Sum,
            Operation::LayerNorm { epsilon } => Self::ChannelNorm { epsilon },
            Operation::Squares { .. } => Self::Squares,
            Operation::Attention { heads, bias } => {
                Self::Attention(Attention { heads, bias, keys: from, values: step.shape })
            }
            Operation::MoveScores => Self::MoveScores,
            Operation::First { .. } => Self::First,
            Operation::Unflatten => Self::Unflatten,
        }
    }
}

/// The shapes of a step's inputs and of its output.
pub(super) fn shapes(list: &List, step: &Step) -> (Vec<Shape>, Shape) {
    (step.inputs.iter().map(|place| list.shape(*place)).collect(), step.shape)
}
