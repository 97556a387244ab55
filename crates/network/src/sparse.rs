//! Sparse networks: their parameters, their evaluator, and training.

mod evaluator;
mod optimiser;
mod quiet;
mod trainable;

pub use crate::architecture::{Pair, SparseArchitecture};
pub use evaluator::SparseEvaluator;
pub(crate) use trainable::SparseTrainable;

#[cfg(test)]
pub(crate) mod tests;
