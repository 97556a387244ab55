//! ONNX files: networks of other programs as evaluators ([`OnnxNetwork`]), and networks of planes for other programs ([`to_bytes`]).
//!
//! A file is recognised by its inputs and outputs, which must fit one of the contracts in [`CONTRACTS`]. The
//! graph between them may use every operator of the runtime, rten. A file that fits no contract is refused;
//! the error names its inputs, its outputs and the contracts.

mod contract;
mod evaluator;
mod graph;
mod maia3;
mod of_planes;

pub use crate::planes::onnx::to_bytes;
pub use contract::CONTRACTS;
pub use evaluator::OnnxNetwork;

#[cfg(test)]
mod tests;
