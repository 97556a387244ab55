//! Errors of networks, their files and their configuration.

use std::path::Path;

use files::OutputError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what most fields are")]
pub enum NetworkError {
    /// A specification or recipe is inconsistent or names something unknown.
    #[error("{place}: {field} = {found}: expected {expected}")]
    Invalid {
        /// The file, or `specification` or `bytes` if there is no file.
        place: String,
        /// The key with its table, as in `network.numbers`.
        field: String,
        found: String,
        expected: String,
    },
    /// A recipe or specification is not valid TOML of its kind (for example unknown keys or wrong types).
    #[error("{place}: {reason}")]
    Syntax {
        place: String,
        /// The parser's message, with line and known keys.
        reason: String,
    },
    /// An encoding that is in no list.
    #[error(transparent)]
    UnknownEncoding(#[from] chess::encoding::UnknownEncoding),
    /// A network of a kind that a part of the program does not accept.
    #[error("found {found}, expected {expected}")]
    Kind { found: String, expected: &'static str },
    /// A number format that the network does not support.
    #[error("precision {precision}: {reason}")]
    Precision {
        /// The format's name: there are more for play than for training.
        precision: &'static str,
        /// The network, the formats that it has, and the remedy.
        reason: String,
    },
    /// A file that could not be read or written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file is not a weights file or checkpoint of this program.
    #[error("{place}: {what}: found {found}, expected {expected}")]
    Format { place: String, what: String, found: String, expected: String },
    /// An lc0 network that is damaged or of a kind that this program does not run.
    #[error(transparent)]
    Lc0(#[from] crate::planes::lc0::Lc0Error),
    /// A network that is not a tower, given to code that accepts only towers.
    #[error(transparent)]
    Layer(#[from] crate::layers::Refusal),
    /// The processor cannot compute the network as requested.
    #[error(transparent)]
    Kernel(#[from] kernels::KernelError),
    /// Samples that do not fit the network.
    #[error("data: {0}")]
    Data(String),
    /// A pass for training could not be computed.
    #[error("training: {0}")]
    Pass(String),
}

impl NetworkError {
    /// Converts an I/O error into the error of an action on a file; `action` follows "cannot".
    pub fn file(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let refused = OutputError::io(action, path);
        move |source| Self::Output(refused(source))
    }
}

/// The error for the content of a file that is not the expected one; `place` names the file.
pub(crate) fn mismatch(
    place: &str,
    what: impl Into<String>,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> NetworkError {
    let (what, found, expected) = (what.into(), found.into(), expected.into());
    NetworkError::Format { place: place.into(), what, found, expected }
}

/// The error for text that cannot be parsed or written; `place` names the file, its key, or both.
pub(crate) fn syntax(place: impl Into<String>, reason: impl std::fmt::Display) -> NetworkError {
    NetworkError::Syntax { place: place.into(), reason: reason.to_string() }
}

/// The error for a key whose value is not accepted; `place` names the file, or is `specification` if there is no file.
pub fn invalid(place: &str, field: &str, found: impl std::fmt::Display, expected: String) -> NetworkError {
    NetworkError::Invalid { place: place.into(), field: field.into(), found: found.to_string(), expected }
}
