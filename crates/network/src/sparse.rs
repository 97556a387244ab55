//! Sparse networks: tables with a row for each feature, and small layers after the sums.
//!
//! `spec` holds the keys of a recipe, `layout` derives the parameters from them, `evaluator` plays,
//! `trainable` trains with `passes` and an optimiser that updates only rows in use, and [`nnue`] reads
//! Stockfish's networks.

mod evaluator;
pub(crate) mod layout;
pub mod nnue;
mod optimiser;
pub(crate) mod passes;
pub(crate) mod spec;
mod trainable;

pub use crate::architecture::{Pair, SparseArchitecture};
pub use evaluator::SparseEvaluator;
pub(crate) use trainable::SparseTrainable;

#[cfg(test)]
pub(crate) mod tests;
