//! Sparse networks: their parameters and their evaluator.

mod evaluator;
mod quiet;

pub use crate::architecture::{Pair, SparseArchitecture};
pub use evaluator::SparseEvaluator;

#[cfg(test)]
pub(crate) mod tests;
