//! A network of a weights file.

use super::{
    container,
    error::{Lc0Error, Lc0Problem},
    format,
    heads::Heads,
    message::Net,
    reader::Reader,
};
use crate::{container::Matrix, spec::PlaneSpec};

/// An lc0 network.
#[derive(Clone, Debug)]
pub struct Lc0Network {
    /// Metadata from the header.
    pub description: Description,
    /// Encodings, body and heads.
    pub spec: PlaneSpec,
    /// The matrices that the specification has, in any order, with batch normalisation folded into the weights.
    pub(crate) matrices: Vec<Matrix>,
}

impl Lc0Network {
    /// Reads a weights file's content, compressed or not; `file` names it in errors.
    ///
    /// # Errors
    /// [`Lc0Error`] with the file and the problem.
    pub fn from_bytes(bytes: &[u8], file: &str, heads: Heads) -> Result<Self, Lc0Error> {
        Self::parse(bytes, heads).map_err(|problem| Lc0Error { file: file.into(), problem })
    }

    fn parse(bytes: &[u8], heads: Heads) -> Result<Self, Lc0Problem> {
        let net = container::decode(bytes)?;
        let format = format::format(&net)?;
        let weights =
            net.weights.as_deref().ok_or_else(|| Lc0Problem::Missing { layer: "weights".into() })?;
        let (spec, matrices) = Reader::read(format, heads, weights)?;
        Ok(Self { description: Description::of(net), spec, matrices })
    }
}

/// Metadata of an lc0 weights file; `None` for missing fields.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Description {
    pub license: Option<String>,
    /// The oldest lc0 version that reads the file: major, minor, patch.
    pub minimum_version: Option<(u32, u32, u32)>,
    pub training_steps: Option<u32>,
    /// Learning rate at the end of training.
    pub learning_rate: Option<f32>,
    /// Mean squared error of the value at the end of training.
    pub value_loss: Option<f32>,
    /// Cross-entropy of the policy at the end of training.
    pub policy_loss: Option<f32>,
    /// Percentage of moves predicted correctly at the end of training.
    pub policy_accuracy: Option<f32>,
    /// Parameters of lc0 in the games on which it was trained.
    pub lc0_parameters: Option<String>,
}

impl Description {
    /// The metadata of a decoded file.
    pub(crate) fn of(net: Net) -> Self {
        let version = net.min_version.map(|version| {
            [version.major, version.minor, version.patch].map(Option::unwrap_or_default).into()
        });
        let training = net.training_params.unwrap_or_default();
        Self {
            license: net.license,
            minimum_version: version,
            training_steps: training.training_steps,
            learning_rate: training.learning_rate,
            value_loss: training.mse_loss,
            policy_loss: training.policy_loss,
            policy_accuracy: training.accuracy,
            lc0_parameters: training.lc0_params,
        }
    }
}
