//! A network that reads planes: body, heads and encodings.

use std::sync::Arc;

use chess::{
    Evaluator,
    encoding::{InputEncoding, MoveEncoding, input::input_encoding, moves::move_encoding},
};
use serde::{Deserialize, Serialize};

use crate::{
    CpuOptions, NetworkError, Weights,
    architecture::{PlaneArchitecture, lay_out},
    container::WeightQuantisation,
    error::invalid,
    evaluator,
    kind::{Inputs, Layout, NetworkKind},
    planes::layers::Entry,
    spec::{Activation, HeadBody, MovesLeftHead, PolicyHead, Spec, ValueHead, ValueKind, check_range, keys},
};

/// A network that reads the position as planes over the board.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneSpec {
    /// Name of the input encoding.
    pub input: String,
    /// Name of the move encoding.
    pub moves: String,
    /// Number of the encoding's last channels that bypass the board and go, as single numbers, to a layer of kind `numbers`.
    pub numbers: usize,
    /// The layers between the planes and the heads.
    pub body: Body,
    /// The activation after every normalisation of a tower, in heads, and in every layer that does not name one.
    pub activation: Activation,
    /// The head that scores moves.
    pub policy: PolicyHead,
    /// The head that evaluates the position.
    pub value: ValueHead,
    /// A head that predicts the plies until the game ends. Networks of lc0 may have one; this program runs such heads
    /// but does not train them.
    pub moves_left: Option<MovesLeftHead>,
}

/// The layers between the planes and the heads.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A residual tower: the keys `blocks`, `channels`, `stem` and `squeeze_excite`.
    Tower(Tower),
    /// Any layers: the key `body`.
    Layers(Vec<Entry>),
}

/// A residual tower over the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tower {
    /// The first layer, from planes to channels.
    pub stem: Stem,
    /// Number of residual blocks of two 3x3 convolutions, 0 to 64.
    pub blocks: usize,
    /// Number of channels, 1 to 1,024; multiples of 16 are fastest.
    pub channels: usize,
    /// Squeeze-and-excitation (arXiv 1709.01507, with a bias as in lc0).
    pub squeeze_excite: SqueezeExcite,
}

/// The first layer of a tower, from planes to channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stem {
    /// A 3x3 convolution, as in AlphaZero and lc0.
    #[default]
    Convolution,
    /// A 1x1 convolution: nine times cheaper, for inputs with many planes.
    Pointwise,
}

/// Squeeze-and-excitation: its ratio and the blocks that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqueezeExcite {
    /// The hidden layer has channels / ratio units; 0 disables the unit everywhere.
    #[serde(default)]
    pub ratio: usize,
    /// Number of units in the hidden layer, instead of a ratio: for imported networks whose number is not a
    /// whole fraction of the channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<usize>,
    /// The blocks that have a unit, counted from 0; absent means all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<usize>>,
}

impl SqueezeExcite {
    /// True if this block has a unit.
    pub fn applies_to(&self, block: usize) -> bool {
        (self.ratio > 0 || self.hidden.is_some())
            && self.blocks.as_ref().is_none_or(|blocks| blocks.contains(&block))
    }

    /// Number of units in the hidden layer, if there is one.
    pub fn units(&self, channels: usize) -> usize {
        self.hidden.unwrap_or_else(|| channels.checked_div(self.ratio).unwrap_or_default().max(1))
    }
}

impl PlaneSpec {
    /// Checks ranges and encodings, but not whether the layers fit together.
    pub(crate) fn check(&self, place: &str) -> Result<(), NetworkError> {
        self.check_encodings(place)?;
        if let Body::Tower(tower) = &self.body {
            tower.check(place)?;
        }
        if let HeadBody::Pooled { channels, hidden } = self.value.body {
            check_range(place, "value.channels", channels, 1..=1024)?;
            check_range(place, "value.hidden", hidden, 1..=4096)?;
        }
        match self.policy {
            PolicyHead::Dense { channels } | PolicyHead::Convolution { channels: Some(channels) } => {
                check_range(place, "policy.channels", channels, 1..=1024)?;
            }
            PolicyHead::Attention { depth, .. } => check_range(place, "policy.depth", depth, 1..=4096)?,
            _ => {}
        }
        if let Some(MovesLeftHead { channels, hidden }) = self.moves_left {
            check_range(place, "moves_left.channels", channels, 1..=1024)?;
            check_range(place, "moves_left.hidden", hidden, 1..=4096)?;
        }
        if let ValueKind::Pawns { limit, .. } = self.value.kind
            && !(limit > 0.0 && limit <= 100.0)
        {
            return Err(invalid(place, "value.limit", limit, "above 0 to 100".into()));
        }
        if self.value.kind == ValueKind::None && self.policy == (PolicyHead::None {}) {
            let expected = "a value head where policy.kind is none".into();
            return Err(invalid(place, "value.kind", "none", expected));
        }
        Ok(())
    }

    /// Checks that the network can take the inputs and moves of the encodings.
    fn check_encodings(&self, place: &str) -> Result<(), NetworkError> {
        let (input, moves) = (self.input_encoding()?, self.move_encoding()?);
        if self.numbers > input.scalars() {
            let expected = format!("at most the {} numbers of input {}", input.scalars(), self.input);
            return Err(invalid(place, "numbers", self.numbers, expected));
        }
        if !moves.breaks().is_empty()
            && matches!(
                self.policy,
                PolicyHead::Convolution { .. } | PolicyHead::Pointwise {} | PolicyHead::Attention { .. }
            )
        {
            let expected = "dense with an encoding that is not in the mover's view".into();
            return Err(invalid(place, "policy.kind", "a head of squares from which moves start", expected));
        }
        Ok(())
    }

    /// The input encoding.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub fn input_encoding(&self) -> Result<&'static dyn InputEncoding, NetworkError> {
        Ok(input_encoding(&self.input)?)
    }

    /// The move encoding.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub fn move_encoding(&self) -> Result<&'static dyn MoveEncoding, NetworkError> {
        Ok(move_encoding(&self.moves)?)
    }
}

impl Tower {
    fn check(&self, place: &str) -> Result<(), NetworkError> {
        let SqueezeExcite { ratio, hidden, blocks } = &self.squeeze_excite;
        check_range(place, "blocks", self.blocks, 0..=64)?;
        check_range(place, "channels", self.channels, 1..=1024)?;
        check_range(place, "squeeze_excite.ratio", *ratio, 0..=self.channels)?;
        check_range(place, "squeeze_excite.hidden", hidden.unwrap_or(1), 1..=4096)?;
        if let (1.., Some(hidden)) = (ratio, hidden) {
            let expected = "either this or squeeze_excite.ratio".into();
            return Err(invalid(place, "squeeze_excite.hidden", hidden, expected));
        }
        if let Some(block) = blocks.iter().flatten().find(|block| **block >= self.blocks) {
            let expected = format!("blocks below {}, counted from 0", self.blocks);
            return Err(invalid(place, "squeeze_excite.blocks", *block, expected));
        }
        Ok(())
    }

    fn shape_name(&self) -> String {
        let name = format!("{}x{}", self.blocks, self.channels);
        match (self.squeeze_excite.ratio, self.squeeze_excite.hidden) {
            (0, None) => name,
            (0, Some(hidden)) => format!("{name}-se-hidden{hidden}"),
            (ratio, _) => format!("{name}-se{ratio}"),
        }
    }
}

impl NetworkKind for PlaneSpec {
    fn check(&self, place: &str) -> Result<(), NetworkError> {
        lay_out(self, place).map(|_| ())
    }

    fn shape_name(&self) -> String {
        match &self.body {
            Body::Tower(tower) => tower.shape_name(),
            Body::Layers(entries) => format!("{}-layers", entries.len()),
        }
    }

    fn in_words(&self) -> String {
        format!("a network that reads the planes `{}`", self.input)
    }

    fn inputs(&self) -> Result<Inputs, NetworkError> {
        Ok(Inputs::Planes(self.input_encoding()?, self.move_encoding()?))
    }

    fn value_kind(&self) -> ValueKind {
        self.value.kind
    }

    fn has_policy(&self) -> bool {
        self.policy != PolicyHead::None {}
    }

    fn lay_out(&self) -> Result<Arc<dyn Layout>, NetworkError> {
        Ok(Arc::new(PlaneArchitecture::new(self)?))
    }

    fn evaluator(&self, weights: &Weights, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
        evaluator::of_planes(self, weights, options)
    }

    fn quantisation(&self, matrix: &str, is_small: bool) -> Option<WeightQuantisation> {
        (is_small && matrix.ends_with(".weight")).then_some(WeightQuantisation::Rows)
    }

    fn grown(&self, weights: &Weights, wanted: &Spec) -> Result<Option<Weights>, NetworkError> {
        weights.grown_tower(self, wanted)
    }
}

keys! {
    /// The keys of a network of planes.
    PlaneKeys {
        input: String,
        moves: String,
        numbers: usize,
        stem: Stem,
        blocks: usize,
        channels: usize,
        squeeze_excite: SqueezeExcite,
        activation: Activation,
        policy: PolicyHead,
        value: ValueHead,
        moves_left: MovesLeftHead,
        body: Vec<Entry>,
    }
}

impl TryFrom<PlaneKeys> for PlaneSpec {
    type Error = String;

    fn try_from(keys: PlaneKeys) -> Result<Self, String> {
        let body = if let Some(entries) = keys.body {
            let of_towers = [
                ("stem", keys.stem.is_some()),
                ("blocks", keys.blocks.is_some()),
                ("channels", keys.channels.is_some()),
                ("squeeze_excite", keys.squeeze_excite.is_some()),
            ];
            if let Some((key, _)) = of_towers.iter().find(|(_, given)| *given) {
                return Err(format!("`{key}` belongs to a residual tower: expected either it or `body`"));
            }
            Body::Layers(entries)
        } else {
            Body::Tower(Tower {
                stem: keys.stem.unwrap_or_default(),
                blocks: keys.blocks.ok_or("missing field `blocks`, or `body`, a list of layers")?,
                channels: keys.channels.ok_or("missing field `channels`, or `body`, a list of layers")?,
                squeeze_excite: keys.squeeze_excite.unwrap_or_default(),
            })
        };
        Ok(Self {
            input: keys.input.unwrap_or_else(|| "tabiya".into()),
            moves: keys.moves.unwrap_or_else(|| "lc0-1858".into()),
            numbers: keys.numbers.unwrap_or_default(),
            body,
            activation: keys.activation.unwrap_or(Activation::Relu),
            policy: keys.policy.unwrap_or_default(),
            value: keys.value.unwrap_or_default(),
            moves_left: keys.moves_left,
        })
    }
}

impl From<PlaneSpec> for PlaneKeys {
    fn from(spec: PlaneSpec) -> Self {
        let (tower, body) = match spec.body {
            Body::Tower(tower) => (Some(tower), None),
            Body::Layers(entries) => (None, Some(entries)),
        };
        Self {
            input: Some(spec.input),
            moves: Some(spec.moves),
            numbers: (spec.numbers > 0).then_some(spec.numbers),
            stem: tower.as_ref().map(|tower| tower.stem),
            blocks: tower.as_ref().map(|tower| tower.blocks),
            channels: tower.as_ref().map(|tower| tower.channels),
            squeeze_excite: tower.map(|tower| tower.squeeze_excite),
            activation: Some(spec.activation),
            policy: Some(spec.policy),
            value: Some(spec.value),
            moves_left: spec.moves_left,
            body,
            ..Self::default()
        }
    }
}
