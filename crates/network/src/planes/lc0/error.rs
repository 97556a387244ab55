//! Errors of lc0 networks.

use std::io;

/// An lc0 weights file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("lc0 network {file}: {problem}")]
pub struct Lc0Error {
    /// The file, or another name for the source of the bytes.
    pub file: String,
    /// The reason why it cannot be used.
    #[source]
    pub problem: Lc0Problem,
}

impl Lc0Problem {
    pub(super) fn missing(layer: impl Into<String>) -> Self {
        Self::Missing { layer: layer.into() }
    }
}

/// A problem with an lc0 weights file.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum Lc0Problem {
    /// The file is larger, compressed or not, than any network this program accepts.
    #[error("larger than {limit} bytes, the most that is read")]
    TooLarge { limit: u64 },
    /// The file has more messages and texts than any network, which would take far more memory than the file.
    #[error("more than {limit} messages and texts, the most that are read")]
    TooManyParts { limit: usize },
    /// The gzip stream is truncated or damaged.
    #[error("damaged gzip stream after {offset} uncompressed bytes: {reason}")]
    Gzip {
        /// Number of uncompressed bytes before the damage.
        offset: usize,
        reason: io::Error,
    },
    /// A weights file in one of the text formats that lc0 itself dropped in 2018.
    #[error("a text weights file of version {version}; expected the protobuf format (.pb or .pb.gz)")]
    TextFormat { version: char },
    #[error("not a valid weights message: {0}")]
    Protobuf(#[from] prost::DecodeError),
    #[error("magic number {found:#x}; expected 0x1c0")]
    Magic { found: u32 },
    #[error("{what} {found} is not supported; supported: {supported}")]
    Unsupported {
        what: &'static str,
        /// Its value, under lc0's name.
        found: String,
        supported: String,
    },
    #[error("layer {layer} is missing")]
    Missing {
        /// The layer, under lc0's name.
        layer: String,
    },
    #[error("layer {layer} has {found} numbers; expected {expected}")]
    Size {
        /// The layer, under lc0's name.
        layer: String,
        found: usize,
        expected: String,
    },
    /// A layer contains a number with which no network can compute.
    #[error("layer {layer}: number {index} is {found}; expected {expected}")]
    Value {
        /// The layer, under lc0's name.
        layer: String,
        /// Position of the number in the layer.
        index: usize,
        found: f32,
        expected: &'static str,
    },
}
