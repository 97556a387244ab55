//! What a network looks like: shape, heads and encodings, as written in a recipe and kept in every weights file.

mod heads;

use chess::encoding::{InputEncoding, MoveEncoding, input::input_encoding, moves::move_encoding};
use serde::{Deserialize, Serialize};

use crate::NetworkError;

pub use heads::{MovesLeftHead, PolicyHead, ValueHead, ValueKind};

/// A residual network over the board.
///
/// ```
/// let spec = network::Spec::from_toml(
///     r#"
///     input = "tabiya"
///     moves = "lc0-1858"
///     blocks = 4
///     channels = 48
///     "#,
/// );
/// assert_eq!(spec.map(|spec| spec.channels).ok(), Some(48));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Name of the input encoding.
    #[serde(default = "default_input")]
    pub input: String,
    /// Name of the move encoding.
    #[serde(default = "default_moves")]
    pub moves: String,
    /// How planes become channels.
    #[serde(default)]
    pub stem: Stem,
    /// Residual blocks of two 3x3 convolutions, 0 to 64.
    pub blocks: usize,
    /// Channels of the trunk, 1 to 1,024; multiples of 16 are fastest.
    pub channels: usize,
    /// Squeeze-and-excitation (arXiv 1709.01507, with a bias as in lc0).
    #[serde(default)]
    pub squeeze_excite: SqueezeExcite,
    /// The non-linearity after every normalisation.
    #[serde(default)]
    pub activation: Activation,
    /// How moves are scored.
    #[serde(default)]
    pub policy: PolicyHead,
    /// How the position is judged.
    #[serde(default)]
    pub value: ValueHead,
    /// A head that predicts the plies until the game ends. Networks of lc0 may have one; this program runs it and
    /// trains none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves_left: Option<MovesLeftHead>,
}

/// How planes become channels.
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
    /// The hidden layer has channels / ratio units; 0 switches the unit off everywhere.
    #[serde(default)]
    pub ratio: usize,
    /// Units of the hidden layer, instead of a ratio: for imported networks whose number no ratio gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<usize>,
    /// The blocks that have a unit, counted from 0; absent means all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<usize>>,
}

impl SqueezeExcite {
    /// Whether this block has a unit.
    pub fn applies_to(&self, block: usize) -> bool {
        (self.ratio > 0 || self.hidden.is_some())
            && self.blocks.as_ref().is_none_or(|blocks| blocks.contains(&block))
    }

    /// Units of the hidden layer, where there is one.
    pub fn units(&self, channels: usize) -> usize {
        self.hidden.unwrap_or_else(|| channels.checked_div(self.ratio).unwrap_or_default().max(1))
    }
}

/// The non-linearity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(0, x); by far the cheapest.
    #[default]
    Relu,
    /// x tanh(ln(1 + e^x)) (arXiv 1908.08681).
    Mish,
    /// x / (1 + e^-x).
    Swish,
}

impl Spec {
    /// Reads and checks a specification.
    ///
    /// # Errors
    /// [`NetworkError::Syntax`] for bad TOML and unknown keys, [`NetworkError::Invalid`] and
    /// [`NetworkError::UnknownEncoding`] for bad values.
    pub fn from_toml(text: &str) -> Result<Self, NetworkError> {
        let spec: Self = toml::from_str(text).map_err(|error| NetworkError::Syntax {
            place: "specification".into(),
            reason: error.to_string(),
        })?;
        spec.check("specification")?;
        Ok(spec)
    }

    /// The specification as TOML.
    ///
    /// # Errors
    /// [`NetworkError::Syntax`] when it cannot be written; no specification is known for which that happens.
    pub fn to_toml(&self) -> Result<String, NetworkError> {
        toml::to_string(self).map_err(|error| NetworkError::Syntax {
            place: "specification".into(),
            reason: error.to_string(),
        })
    }

    /// Checks ranges and encodings; `place` names the file in errors.
    ///
    /// # Errors
    /// [`NetworkError::Invalid`] or [`NetworkError::UnknownEncoding`].
    pub fn check(&self, place: &str) -> Result<(), NetworkError> {
        self.check_encodings(place)?;
        let policy_channels = match self.policy {
            PolicyHead::Dense { channels } | PolicyHead::Convolution { channels: Some(channels) } => channels,
            PolicyHead::Convolution { channels: None } | PolicyHead::Pointwise => 1,
        };
        let moves_left = self.moves_left.unwrap_or(MovesLeftHead { channels: 1, hidden: 1 });
        let ranges = [
            ("blocks", self.blocks, 0, 64),
            ("channels", self.channels, 1, 1024),
            ("squeeze_excite.ratio", self.squeeze_excite.ratio, 0, self.channels),
            ("value.channels", self.value.channels, 1, 1024),
            ("value.hidden", self.value.hidden, 1, 4096),
            ("squeeze_excite.hidden", self.squeeze_excite.hidden.unwrap_or(1), 1, 4096),
            ("policy.channels", policy_channels, 1, 1024),
            ("moves_left.channels", moves_left.channels, 1, 1024),
            ("moves_left.hidden", moves_left.hidden, 1, 4096),
        ];
        for (field, found, least, most) in ranges {
            if found < least || found > most {
                return Err(invalid(place, field, found, format!("{least} to {most}")));
            }
        }
        if let (1.., Some(hidden)) = (self.squeeze_excite.ratio, self.squeeze_excite.hidden) {
            let expected = "either this or squeeze_excite.ratio".into();
            return Err(invalid(place, "squeeze_excite.hidden", hidden, expected));
        }
        let bad_block = self.squeeze_excite.blocks.iter().flatten().find(|block| **block >= self.blocks);
        if let Some(block) = bad_block {
            let expected = format!("blocks below {}, counted from 0", self.blocks);
            return Err(invalid(place, "squeeze_excite.blocks", *block, expected));
        }
        Ok(())
    }

    /// That the network can take what the encodings give.
    fn check_encodings(&self, place: &str) -> Result<(), NetworkError> {
        let (input, moves) = (self.input_encoding()?, self.move_encoding()?);
        if input.channels() != input.planes() {
            let expected = "an encoding whose planes each have one value".into();
            return Err(invalid(place, "input", format!("{:?}", input.name()), expected));
        }
        if !moves.breaks().is_empty() && !matches!(self.policy, PolicyHead::Dense { .. }) {
            let expected = "dense with an encoding that is not in the mover's view".into();
            return Err(invalid(place, "policy.kind", "a head of move-shape planes", expected));
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

    /// A short name of the shape, as used in tables: `4x48-se8`.
    pub fn shape_name(&self) -> String {
        let name = format!("{}x{}", self.blocks, self.channels);
        match (self.squeeze_excite.ratio, self.squeeze_excite.hidden) {
            (0, None) => name,
            (0, Some(hidden)) => format!("{name}-se-hidden{hidden}"),
            (ratio, _) => format!("{name}-se{ratio}"),
        }
    }
}

pub(crate) fn invalid(
    place: &str,
    field: &str,
    found: impl std::fmt::Display,
    expected: String,
) -> NetworkError {
    NetworkError::Invalid { place: place.into(), field: field.into(), found: found.to_string(), expected }
}

fn default_input() -> String {
    "tabiya".into()
}

fn default_moves() -> String {
    "lc0-1858".into()
}

#[cfg(test)]
mod tests;
