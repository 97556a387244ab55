//! Decoding of a weights file to its message, and the network in it.

use std::{io::Read as _, path::Path};

use flate2::read::MultiGzDecoder;
use prost::Message as _;

use super::{
    error::{Lc0Error, Lc0Problem},
    format,
    heads::Heads,
    message::{self, Net},
    reader::Reader,
};
use crate::{container::Matrix, planes::wire::MOST_PARTS, spec::PlaneSpec};

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
        let net = decode(bytes)?;
        let format = format::format(&net)?;
        let weights = net.weights.as_deref().ok_or_else(|| Lc0Problem::missing("weights"))?;
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

/// The first two bytes of a gzip stream (RFC 1952, section 2.3.1).
pub(super) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The first field of every weights file (`kWeightMagic` in lc0's `loader.cc`).
const WEIGHTS_MAGIC: u32 = 0x1c0;

/// The magic number as the first field of an uncompressed message.
const MAGIC_FIELD: [u8; 5] = [0x0d, 0xc0, 0x01, 0x00, 0x00];

/// Limit on the number of uncompressed bytes that are read. The largest convolutional network lc0 ever trained (T60, 30
/// blocks x 384) takes 160 MB.
const LIMIT: u64 = 512 << 20;

/// True if a file appears to be an lc0 network: gzip, lc0's magic number, or a name with the ending of such files.
pub fn is_network(bytes: &[u8], file: &str) -> bool {
    // A safetensors file may start with the same five bytes; its ninth byte opens a JSON object.
    let message = bytes.starts_with(&MAGIC_FIELD) && bytes.get(8) != Some(&b'{');
    let extension = Path::new(file.trim_end_matches(".gz")).extension();
    message || bytes.starts_with(&GZIP_MAGIC) || extension.is_some_and(|name| name == "pb")
}

/// Decodes the content of a `.pb` or `.pb.gz` file. The format is recognised from the first bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<Net, Lc0Problem> {
    if bytes.starts_with(&GZIP_MAGIC) {
        return decode_message(&decompress(bytes)?);
    }
    decode_message(bytes)
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>, Lc0Problem> {
    let mut content = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(LIMIT + 1).read_to_end(&mut content);
    read.map_err(|reason| Lc0Problem::Gzip { offset: content.len(), reason })?;
    Ok(content)
}

fn decode_message(content: &[u8]) -> Result<Net, Lc0Problem> {
    if content.len() as u64 > LIMIT {
        return Err(Lc0Problem::TooLarge { limit: LIMIT });
    }
    if let [version @ (b'1' | b'2'), b'\n', ..] = content {
        return Err(Lc0Problem::TextFormat { version: char::from(*version) });
    }
    if message::NET.has_too_many_parts(content) {
        return Err(Lc0Problem::TooManyParts { limit: MOST_PARTS });
    }
    let net = Net::decode(content)?;
    match net.magic.unwrap_or_default() {
        WEIGHTS_MAGIC => Ok(net),
        found => Err(Lc0Problem::Magic { found }),
    }
}
