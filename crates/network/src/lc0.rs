//! Networks of Leela Chess Zero: `.pb` and `.pb.gz` weights files.
//!
//! Supported are the convolutional networks lc0 had until 2023, Maia's among them: the classical 112 input planes, a
//! residual tower with or without squeeze-excite, convolutional or dense policy, win/draw/loss or scalar value, with or
//! without moves left. Everything else (attention bodies, attention policies, other inputs, embedded ONNX models) is
//! refused under lc0's own name for it.

mod container;
mod convolution;
mod error;
mod format;
mod layer;
mod layers;
mod message;
pub mod outputs;
mod policy_planes;
pub mod report;

use std::{fs, path::Path};

use chess::encoding::{
    input::{HistoryFill, Lc0Planes112},
    moves::Lc0Moves1858,
};

use crate::{plain_tower::PlainTower, spec::ValueKind};

pub use error::{Lc0Error, Lc0Problem};

/// An lc0 network.
#[derive(Clone, Debug)]
pub struct Lc0Network {
    /// Metadata from the header.
    pub description: Description,
    /// The network.
    pub network: PlainTower,
}

/// Metadata of an lc0 weights file; `None` for missing fields.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Description {
    /// Licence of the weights.
    pub license: Option<String>,
    /// The oldest lc0 that reads the file: major, minor, patch.
    pub minimum_version: Option<(u32, u32, u32)>,
    /// Steps it was trained for.
    pub training_steps: Option<u32>,
    /// Learning rate at the end.
    pub learning_rate: Option<f32>,
    /// Mean squared error of the value at the end.
    pub value_loss: Option<f32>,
    /// Cross-entropy of the policy at the end.
    pub policy_loss: Option<f32>,
    /// Share of moves predicted at the end, in percent.
    pub policy_accuracy: Option<f32>,
    /// Parameters of lc0 in the games it was trained on.
    pub lc0_parameters: Option<String>,
}

/// Whether a file's content is meant as an lc0 network: gzip, lc0's magic number, or a name that ends like one.
pub fn is_network(bytes: &[u8], file: &str) -> bool {
    // A safetensors file may begin with the same five bytes; its ninth opens a JSON object.
    let message = bytes.starts_with(&MAGIC_FIELD) && bytes.get(8) != Some(&b'{');
    let extension = Path::new(file.trim_end_matches(".gz")).extension();
    message || bytes.starts_with(&container::GZIP_MAGIC) || extension.is_some_and(|name| name == "pb")
}

/// The magic number as the first field of an uncompressed message.
const MAGIC_FIELD: [u8; 5] = [0x0d, 0xc0, 0x01, 0x00, 0x00];

/// Reads a weights file.
///
/// # Errors
/// [`Lc0Error`] with the file and the problem.
pub fn read(path: &Path) -> Result<Lc0Network, Lc0Error> {
    let file = path.display().to_string();
    let named = |problem| Lc0Error { file: file.clone(), problem };
    let metadata = fs::metadata(path).map_err(|error| named(Lc0Problem::Read(error)))?;
    if metadata.len() > container::LIMIT {
        return Err(named(Lc0Problem::TooLarge { limit: container::LIMIT }));
    }
    let bytes = fs::read(path).map_err(|error| named(Lc0Problem::Read(error)))?;
    parse(&bytes, &file)
}

/// Reads a weights file's content, compressed or not; `file` names it in errors and logs.
///
/// # Errors
/// [`Lc0Error`] with the problem.
pub fn parse(bytes: &[u8], file: &str) -> Result<Lc0Network, Lc0Error> {
    parse_content(bytes, file).map_err(|problem| Lc0Error { file: file.into(), problem })
}

fn parse_content(bytes: &[u8], file: &str) -> Result<Lc0Network, Lc0Problem> {
    let net = container::decode(bytes)?;
    let architecture = format::architecture(&net)?;
    let weights = net.weights.as_deref().ok_or_else(|| Lc0Problem::Missing { layer: "weights".into() })?;
    let (plan, gather) = layers::layers(weights, architecture)?;
    let network = PlainTower {
        name: file.into(),
        input: &Lc0Planes112 { fill: HistoryFill::FenOnly },
        moves: &Lc0Moves1858,
        value: if plan.value.output.outputs == 1 { ValueKind::Scalar } else { ValueKind::Wdl },
        plan,
        gather,
    };
    Ok(Lc0Network { description: description(net), network })
}

fn description(net: message::Net) -> Description {
    let version = net
        .min_version
        .map(|version| [version.major, version.minor, version.patch].map(Option::unwrap_or_default).into());
    let training = net.training_params.unwrap_or_default();
    Description {
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

#[cfg(test)]
mod tests;
