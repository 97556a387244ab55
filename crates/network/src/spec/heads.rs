//! The heads of a network.

use serde::{Deserialize, Serialize};

use crate::planes::layers::Entry;

/// Default channels and units of [`HeadBody::Pooled`]. Chosen, not tuned.
const CHANNELS: usize = 16;
const HIDDEN: usize = 128;

/// A policy head: the layers that score moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum PolicyHead {
    /// A 3x3 convolution, then a 3x3 convolution to 80 move-shape planes (lc0's convolutional head).
    Convolution {
        /// Number of channels between the two; by default that of the trunk.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channels: Option<usize>,
    },
    /// As [`PolicyHead::Convolution`], but with two 1x1 convolutions: a ninth of the cost.
    Pointwise {},
    /// A 1x1 convolution to this many channels, then a fully connected layer to every move.
    Dense {
        /// Number of channels before the fully connected layer; 32 in AlphaGo Zero's successors.
        channels: usize,
    },
    /// Any layers, followed by an implicit fully connected layer to every move.
    Layers {
        /// The layers before the fully connected one.
        layers: Vec<Entry>,
    },
    /// Any layers, then a score for each pair of squares (lc0's attention policy): the product of a query of the square where a move starts
    /// and a key of the one where it ends.
    Attention {
        /// Channels of queries and keys, 1 to 4,096.
        depth: usize,
        /// The layers before them. Default: none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        layers: Vec<Entry>,
    },
    /// No policy: all legal moves are equally likely.
    None {},
}

impl Default for PolicyHead {
    fn default() -> Self {
        Self::Pointwise {}
    }
}

/// A value head: the layers that evaluate the position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenValue", into = "WrittenValue")]
pub struct ValueHead {
    /// Meaning of the outputs.
    pub kind: ValueKind,
    /// The layers before the last one.
    pub body: HeadBody,
}

/// The layers of a value head before its last layer, which is fully connected.
#[derive(Clone, Debug, PartialEq)]
pub enum HeadBody {
    /// A 1x1 convolution, then a hidden layer: the keys `channels` and `hidden`.
    Pooled {
        /// Number of channels of the 1x1 convolution.
        channels: usize,
        /// Number of units in the hidden layer.
        hidden: usize,
    },
    /// Any layers: the key `layers`.
    Layers(Vec<Entry>),
}

/// A head that predicts the remaining length of the game: a 1x1 convolution, a hidden layer and one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovesLeftHead {
    /// Number of channels of the 1x1 convolution.
    pub channels: usize,
    /// Number of units in the hidden layer.
    pub hidden: usize,
}

/// The output of the value head.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ValueKind {
    /// Three logits: win, draw, loss.
    #[default]
    Wdl,
    /// tanh of one number: the expected result from -1 to 1.
    Scalar,
    /// One number: the evaluation in pawns for the side to move.
    Pawns {
        /// The largest evaluation; labels beyond it are clipped.
        limit: f32,
        /// True if the output is `limit * tanh(x)`; otherwise it is x itself.
        squash: bool,
    },
    /// No value: every position counts as a draw.
    None,
}

impl ValueKind {
    /// Number of outputs of the head for a position.
    pub fn outputs(self) -> usize {
        match self {
            Self::Wdl => 3,
            Self::Scalar | Self::Pawns { .. } => 1,
            Self::None => 0,
        }
    }
}

impl Default for ValueHead {
    fn default() -> Self {
        Self { kind: ValueKind::Wdl, body: HeadBody::Pooled { channels: CHANNELS, hidden: HIDDEN } }
    }
}

/// The keys of `[network.value]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenValue {
    #[serde(default)]
    kind: Name,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    squash: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    channels: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hidden: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    layers: Option<Vec<Entry>>,
}

#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Name {
    #[default]
    Wdl,
    Scalar,
    Pawns,
    None,
}

impl TryFrom<WrittenValue> for ValueHead {
    type Error = String;

    fn try_from(written: WrittenValue) -> Result<Self, String> {
        let WrittenValue { kind, limit, squash, channels, hidden, layers } = written;
        let sized = channels.is_some() || hidden.is_some();
        if kind != Name::Pawns && (limit.is_some() || squash.is_some()) {
            return Err("value.limit or value.squash has no meaning unless value.kind is \"pawns\"".into());
        }
        if layers.is_some() && sized {
            return Err("value.channels or value.hidden has no meaning where value.layers is given".into());
        }
        if kind == Name::None && (sized || layers.is_some()) {
            let keys = "value.channels, value.hidden or value.layers";
            return Err(format!("{keys} has no meaning where value.kind is \"none\""));
        }
        let kind = match kind {
            Name::Wdl => ValueKind::Wdl,
            Name::Scalar => ValueKind::Scalar,
            Name::Pawns => ValueKind::Pawns {
                limit: limit.ok_or("missing field `limit`: the largest evaluation in pawns")?,
                squash: squash.unwrap_or(false),
            },
            Name::None => ValueKind::None,
        };
        let body = layers.map_or_else(
            || HeadBody::Pooled { channels: channels.unwrap_or(CHANNELS), hidden: hidden.unwrap_or(HIDDEN) },
            HeadBody::Layers,
        );
        Ok(Self { kind, body })
    }
}

impl From<ValueHead> for WrittenValue {
    fn from(head: ValueHead) -> Self {
        let (kind, limit, squash) = match head.kind {
            ValueKind::Wdl => (Name::Wdl, None, None),
            ValueKind::Scalar => (Name::Scalar, None, None),
            ValueKind::Pawns { limit, squash } => (Name::Pawns, Some(limit), Some(squash)),
            ValueKind::None => (Name::None, None, None),
        };
        let (channels, hidden, layers) = match head.body {
            _ if kind == Name::None => (None, None, None),
            HeadBody::Pooled { channels, hidden } => (Some(channels), Some(hidden), None),
            HeadBody::Layers(layers) => (None, None, Some(layers)),
        };
        Self { kind, limit, squash, channels, hidden, layers }
    }
}
