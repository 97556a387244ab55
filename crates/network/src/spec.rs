//! The specification of a network, as written in a recipe and stored in every weights file.

mod heads;
mod planes;
mod sparse;
mod written;

use chess::{
    Heads,
    encoding::{InputEncoding, MoveEncoding},
};
use serde::{Deserialize, Serialize};

use crate::{NetworkError, error::invalid};

pub use crate::layers::Activation;
pub use heads::{HeadBody, MovesLeftHead, PolicyHead, ValueHead, ValueKind};
pub use planes::{Body, PlaneSpec, SqueezeExcite, Stem, Tower};
pub use sparse::{Clipping, PolicyTable, SparseSpec};

/// The specification of a network that evaluates positions.
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
/// assert_eq!(spec.map(|spec| spec.shape_name()).ok(), Some("4x48".into()));
/// let spec = network::Spec::from_toml(
///     r#"
///     kind = "sparse"
///     features = "threats-kings"
///     width = 512
///     policy_features = "threats"
///     policy_width = 512
///     "#,
/// );
/// assert_eq!(spec.map(|spec| spec.shape_name()).ok(), Some("sparse-threats-kings-512+threats-512".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "written::Written", into = "written::Written")]
pub enum Spec {
    /// Layers over the planes of a position: the default of the key `kind`.
    Planes(PlaneSpec),
    /// Tables with a row for each feature; the rows of a position's features are added: `kind = "sparse"`.
    Sparse(SparseSpec),
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
    /// [`NetworkError::Syntax`] if it cannot be written; no specification is known for which that happens.
    pub fn to_toml(&self) -> Result<String, NetworkError> {
        toml::to_string(self).map_err(|error| NetworkError::Syntax {
            place: "specification".into(),
            reason: error.to_string(),
        })
    }

    /// The network of planes, for code that accepts no other kind.
    ///
    /// # Errors
    /// [`NetworkError::Kind`] for a sparse network.
    pub fn planes(&self) -> Result<&PlaneSpec, NetworkError> {
        match self {
            Self::Planes(spec) => Ok(spec),
            Self::Sparse(_) => {
                Err(NetworkError::Kind { found: self.in_words(), expected: "a network that reads planes" })
            }
        }
    }

    /// The sparse network, for code that accepts no other kind.
    ///
    /// # Errors
    /// [`NetworkError::Kind`] for a network of planes.
    pub fn sparse(&self) -> Result<&SparseSpec, NetworkError> {
        match self {
            Self::Sparse(spec) => Ok(spec),
            Self::Planes(_) => {
                Err(NetworkError::Kind { found: self.in_words(), expected: "a sparse network" })
            }
        }
    }

    /// The input encoding of a network of planes.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`], and those of [`Spec::planes`].
    pub fn input_encoding(&self) -> Result<&'static dyn InputEncoding, NetworkError> {
        self.planes()?.input_encoding()
    }

    /// The move encoding of a network of planes.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`], and those of [`Spec::planes`].
    pub fn move_encoding(&self) -> Result<&'static dyn MoveEncoding, NetworkError> {
        self.planes()?.move_encoding()
    }

    /// Number of last positions of a game that the network reads.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub fn history(&self) -> Result<usize, NetworkError> {
        match self {
            Self::Planes(spec) => Ok(spec.input_encoding()?.history()),
            Self::Sparse(_) => Ok(1),
        }
    }

    /// Meaning of the value's outputs.
    pub fn value_kind(&self) -> ValueKind {
        match self {
            Self::Planes(spec) => spec.value.kind,
            Self::Sparse(_) => ValueKind::Wdl,
        }
    }

    /// The heads of the network.
    pub fn heads(&self) -> Heads {
        Heads { policy: self.has_policy(), value: self.value_kind() != ValueKind::None }
    }

    /// True if the network scores moves.
    pub fn has_policy(&self) -> bool {
        match self {
            Self::Planes(spec) => spec.policy != PolicyHead::None {},
            Self::Sparse(_) => true,
        }
    }

    /// The kind of network, for errors.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::Planes(spec) => format!("a network that reads the planes `{}`", spec.input),
            Self::Sparse(spec) => format!("a sparse network of the features `{}`", spec.features),
        }
    }

    /// A short name of the shape, as used in tables: `4x48-se8`, the number of layers in a list, or features and widths.
    pub fn shape_name(&self) -> String {
        match self {
            Self::Planes(spec) => spec.shape_name(),
            Self::Sparse(spec) => spec.shape_name(),
        }
    }
}

/// Refuses the first number that is out of range. Each entry is key, number, minimum and maximum.
fn check_ranges(place: &str, ranges: &[(&str, usize, usize, usize)]) -> Result<(), NetworkError> {
    match ranges.iter().find(|(_, found, least, most)| found < least || found > most) {
        Some((field, found, least, most)) => Err(invalid(place, field, found, format!("{least} to {most}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
