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
mod policy_planes;
pub mod report;

use std::{fs, path::Path};

use chess::encoding::{
    input::{HistoryFill, Lc0Planes112},
    moves::Lc0Moves1858,
};

use crate::reference::ReferenceNetwork;

pub use error::{Lc0Error, Lc0Problem};

/// An lc0 network, read and ready to run.
#[derive(Clone, Debug)]
pub struct Lc0Network {
    /// What the file says about itself.
    pub description: Description,
    /// The network.
    pub network: ReferenceNetwork,
}

/// What a weights file says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Description {
    /// Licence of the weights.
    pub license: Option<String>,
    /// The oldest lc0 that reads the file: major, minor, patch.
    pub minimum_version: Option<(u32, u32, u32)>,
    /// Steps it was trained for.
    pub training_steps: Option<u32>,
}

/// Reads a weights file.
///
/// # Errors
/// [`Lc0Error`] with the file and what is wrong with it.
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
/// [`Lc0Error`] with what is wrong.
pub fn parse(bytes: &[u8], file: &str) -> Result<Lc0Network, Lc0Error> {
    parse_content(bytes, file).map_err(|problem| Lc0Error { file: file.into(), problem })
}

fn parse_content(bytes: &[u8], file: &str) -> Result<Lc0Network, Lc0Problem> {
    let net = container::decode(bytes)?;
    let architecture = format::architecture(&net)?;
    let weights = net.weights.as_deref().ok_or_else(|| Lc0Problem::Missing { layer: "weights".into() })?;
    let layers = layers::layers(weights, architecture)?;
    let input = &Lc0Planes112 { fill: HistoryFill::FenOnly };
    let network = ReferenceNetwork::new(file, input, &Lc0Moves1858, layers).map_err(|error| {
        Lc0Problem::Size { layer: error.part, found: error.found, expected: error.expected }
    })?;
    let version = net
        .min_version
        .map(|version| [version.major, version.minor, version.patch].map(Option::unwrap_or_default).into());
    Ok(Lc0Network {
        description: Description {
            license: net.license,
            minimum_version: version,
            training_steps: net.training_params.and_then(|parameters| parameters.training_steps),
        },
        network,
    })
}

#[cfg(test)]
mod tests;
