//! The error of this crate.

use std::{io, path::PathBuf};

use kernels::KernelError;

/// An error when reading a network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum NnueError {
    #[error("cannot read {path}: {source}")]
    File { path: PathBuf, source: io::Error },
    /// The file is not a network of the supported shape.
    #[error("{place}: byte {offset}: {part}: found {found}, expected {expected}")]
    Format {
        /// The file, or another name for the source of the bytes.
        place: String,
        /// Number of bytes before the wrong part.
        offset: usize,
        part: String,
        found: String,
        expected: String,
    },
    /// The instruction set requested by the environment is not available.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}
