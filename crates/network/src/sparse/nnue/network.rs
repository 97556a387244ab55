//! Networks read from files.

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use kernels::{Isa, KernelError, sparse::NnueNetwork};

use super::file;

/// A network, compiled for this machine.
#[derive(Debug)]
pub struct Nnue {
    pub(crate) network: NnueNetwork,
}

/// Larger files are not networks of the supported shape, which take 47 million bytes.
const LARGEST_FILE: u64 = 64 << 20;

/// True if a file starts like one of Stockfish's networks. The first 4 bytes are enough: no file of lc0's starts with them, and
/// as the length of a safetensors header they would mean 2 GB. [`Nnue::read`] reports the error in a file that is damaged
/// further on.
pub fn is_network(path: &Path) -> bool {
    let mut beginning = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut beginning));
    read.is_ok() && u32::from_le_bytes(beginning) == file::VERSION
}

impl Nnue {
    /// Reads a file.
    ///
    /// # Errors
    /// [`NnueError::File`], and those of [`Nnue::from_bytes`].
    pub fn read(path: &Path) -> Result<Self, NnueError> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(LARGEST_FILE).read_to_end(&mut bytes))
            .map_err(|source| NnueError::File { path: path.into(), source })?;
        Self::from_bytes(&bytes, &path.display().to_string())
    }

    /// Reads the bytes of a file; `place` names them in errors.
    ///
    /// # Errors
    /// [`NnueError::Format`] for anything other than a network of the supported shape; [`NnueError::Kernel`].
    pub fn from_bytes(bytes: &[u8], place: &str) -> Result<Self, NnueError> {
        let plan = file::parse(bytes, place)?;
        Ok(Self { network: NnueNetwork::compile(&plan, Isa::chosen()?)? })
    }

    /// The kernels in use: `avx512 vnni`, `avx2` or `portable`.
    pub fn kernels(&self) -> &'static str {
        self.network.kernels()
    }
}

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
