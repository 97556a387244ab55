//! Sparse networks: tables with a row for each feature, and small layers after the sums.
//!
//! `spec` says what a recipe may ask for, `layout` which parameters that makes, `evaluator` plays, `trainable` trains with the passes of
//! `passes` and an optimiser that leaves unread rows alone, and [`nnue`] reads Stockfish's networks.

mod evaluator;
pub(crate) mod layout;
pub mod nnue;
mod optimiser;
pub(crate) mod passes;
mod quiet;
pub(crate) mod spec;
mod trainable;

pub use crate::architecture::{Pair, SparseArchitecture};
pub use evaluator::SparseEvaluator;
pub(crate) use trainable::SparseTrainable;

#[cfg(test)]
pub(crate) mod tests;
