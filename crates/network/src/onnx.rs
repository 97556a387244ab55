//! ONNX files: networks of other programs as evaluators ([`OnnxNetwork`]), and networks of planes for other programs ([`to_bytes`]).
//!
//! A file is recognised by what it takes and gives, against a list of contracts ([`CONTRACTS`]). The graph itself may be anything that the
//! runtime, rten, computes; a file that fits no contract is refused with its inputs, its outputs and the list.

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
