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
mod network;
pub mod synthetic;

pub use judge::{Judge, Judgement, UNITS_PER_PAWN};
pub use network::{Nnue, NnueError, is_network};

#[cfg(test)]
mod tests;
