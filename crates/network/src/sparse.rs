//! Sparse networks: their parameters, the slow reference implementation, and their evaluator.

mod evaluator;
mod quiet;
mod reference;

pub use crate::architecture::{Pair, SparseArchitecture};
pub use evaluator::SparseEvaluator;
pub use reference::SparseReference;

#[cfg(test)]
mod tests;
