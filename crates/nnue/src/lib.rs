//! Stockfish's networks (NNUE) as teachers: the files that `stockfish` writes on `export_net`, evaluated as Stockfish 15.1 does,
//! to the last bit, and a judgement of positions and moves by a search of captures over them, a hundred times as fast as asking
//! the engine through a pipe for all moves.
//!
//! Supported are networks of the shape of Stockfish 15.1: king and pieces of each side (HalfKAv2_hm, 22,528 features), 1,024
//! sums a side, eight stacks of layers of 16, 32 and 1 outputs. Others are refused with the place where they differ.
//!
//! # Examples
//! ```
//! use std::sync::Arc;
//!
//! use chess::{Chess, Position as _};
//! use nnue::{Judge, Nnue, synthetic};
//!
//! // Made-up numbers in place of a file of Stockfish's.
//! let network = Nnue::from_bytes(&synthetic::file(1), "synthetic")?;
//! let (position, mut judge) = (Chess::default(), Judge::new(Arc::new(network)));
//! let moves = position.legal_moves();
//! let judgement = judge.judge(&position, &moves);
//! assert_eq!(judgement.shares.len(), moves.len());
//! # Ok::<_, nnue::NnueError>(())
//! ```

mod error;
mod evaluate;
mod features;
mod file;
mod judge;
pub mod synthetic;

use std::{io::Read as _, path::Path};

use kernels::{Isa, sparse::NnueNetwork};

pub use error::NnueError;
pub use evaluate::UNITS_PER_PAWN;
pub use judge::{Judge, Judgement};

/// A network, compiled for this machine.
#[derive(Debug)]
pub struct Nnue {
    network: NnueNetwork,
}

/// Larger files are not networks of the supported shape, which take 47 million bytes.
const LARGEST_FILE: u64 = 64 << 20;

/// True if a file begins like a network of Stockfish's.
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
    /// [`NnueError::Format`] for anything but a network of the supported shape; [`NnueError::Kernel`].
    pub fn from_bytes(bytes: &[u8], place: &str) -> Result<Self, NnueError> {
        let plan = file::parse(bytes, place)?;
        Ok(Self { network: NnueNetwork::compile(&plan, Isa::chosen()?)? })
    }

    /// The kernels in use: `avx512 vnni`, `avx2` or `portable`.
    pub fn kernels(&self) -> &'static str {
        self.network.kernels()
    }
}

#[cfg(test)]
mod tests;
