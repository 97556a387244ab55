//! The error of this crate.

use std::{io, path::PathBuf};

use kernels::KernelError;

/// An error of a network's file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum NnueError {
    #[error("cannot read {path}: {source}")]
    File { path: PathBuf, source: io::Error },
    /// The file is not a network of the supported shape.
    #[error("{place}: byte {offset}: {part}: found {found}, expected {expected}")]
    Format {
        /// The file, or what stands for it.
        place: String,
        /// Bytes before the wrong part.
        offset: usize,
        part: String,
        found: String,
        expected: String,
    },
    /// The instruction set that the environment asks for is not available.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}
