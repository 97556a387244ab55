//! Judgements of positions and moves by Stockfish's networks (NNUE), evaluated bit for bit as Stockfish 15.1 does. The networks
//! are the files that `stockfish` writes on `export_net`. A quiescence search with them labels positions and moves, a hundred
//! times as fast as the engine through a pipe for all moves.
//!
//! The supported networks have the shape of Stockfish 15.1: king and pieces of each side (HalfKAv2_hm, 22,528 features),
//! 1,024 sums per side, and eight stacks of layers with 16, 32 and 1 outputs. Others are refused with the place where they
//! differ.
//!
//! # Examples
//! ```
//! use std::sync::Arc;
//!
//! use chess::{Chess, Position as _};
//! use network::nnue::{Judge, Nnue, synthetic};
//!
//! // Made-up numbers in place of a file of Stockfish's.
//! let network = Nnue::from_bytes(&synthetic::file(1), "synthetic")?;
//! let (position, mut judge) = (Chess::default(), Judge::new(Arc::new(network)));
//! let moves = position.legal_moves();
//! let judgement = judge.judge(&position, &moves);
//! assert_eq!(judgement.shares.len(), moves.len());
//! # Ok::<_, network::nnue::NnueError>(())
//! ```

mod features;
mod file;
mod judge;
pub mod synthetic;

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use kernels::{Isa, KernelError, sparse::NnueNetwork};

pub use judge::{Judge, Judgement, UNITS_PER_PAWN};

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

#[cfg(test)]
mod tests;
