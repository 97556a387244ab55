//! The heads of a network.

use serde::{Deserialize, Serialize};

/// How moves are scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum PolicyHead {
    /// A 3x3 convolution, then a 3x3 convolution to 80 move-shape planes (lc0's convolutional head).
    Convolution {
        /// Channels between the two; absent means as many as the trunk has.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channels: Option<usize>,
    },
    /// The same planes from two 1x1 convolutions: a ninth of the cost.
    #[default]
    Pointwise,
    /// A 1x1 convolution to this many channels, then a fully connected layer to every move.
    Dense {
        /// Channels before the fully connected layer; 32 in AlphaGo Zero's successors.
        channels: usize,
    },
}

/// How the position is judged: a 1x1 convolution, a hidden layer, an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueHead {
    /// Win, draw and loss, or one number.
    #[serde(default)]
    pub kind: ValueKind,
    /// Channels of the 1x1 convolution.
    #[serde(default = "default_value_channels")]
    pub channels: usize,
    /// Units of the hidden layer.
    #[serde(default = "default_value_hidden")]
    pub hidden: usize,
}

/// How long the game will last: a 1x1 convolution, a hidden layer, one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovesLeftHead {
    /// Channels of the 1x1 convolution.
    pub channels: usize,
    /// Units of the hidden layer.
    pub hidden: usize,
}

/// The output of the value head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    /// Three logits: win, draw, loss.
    #[default]
    Wdl,
    /// tanh of one number: the expected result from -1 to 1.
    Scalar,
}

impl ValueKind {
    /// Number of outputs.
    pub fn outputs(self) -> usize {
        match self {
            Self::Wdl => 3,
            Self::Scalar => 1,
        }
    }
}

impl Default for ValueHead {
    fn default() -> Self {
        Self { kind: ValueKind::Wdl, channels: default_value_channels(), hidden: default_value_hidden() }
    }
}

fn default_value_channels() -> usize {
    16
}

fn default_value_hidden() -> usize {
    128
}
