//! ONNX files: networks of other programs as evaluators ([`OnnxNetwork`]), and networks of planes for other programs ([`to_bytes`]).
//!
//! A file is recognised by its inputs and outputs, which must fit one of the contracts in [`CONTRACTS`]. The
//! graph between them may use every operator of the runtime, rten. A file that fits no contract is refused;
//! the error names its inputs, its outputs and the contracts.

mod batches;
mod claims;
mod evaluator;
mod graph;
mod maia3;
mod of_planes;

use chess::{Evaluation, EvaluationRequest, Heads, Move};

use self::{
    graph::{Signature, Tensor},
    maia3::MAIA_3,
    of_planes::{LC0, NAMED, OWN, PlanesContract},
};
use crate::probabilities::softmax;

pub use crate::planes::onnx::to_bytes;
pub use evaluator::OnnxNetwork;

/// How positions become the inputs of a graph, and its outputs evaluations.
trait Contract: Send + Sync {
    /// The encodings, for people.
    fn describe(&self) -> String;

    /// The contract with its encodings, if these are this program's.
    fn of_planes(&self) -> Option<&PlanesContract>;

    /// True if its inputs tell the players' ratings.
    fn shows_ratings(&self) -> bool;

    fn heads(&self) -> Heads;

    /// As [`chess::Evaluator::history`].
    fn history(&self) -> usize;

    /// The inputs for a batch, by name.
    fn inputs(&self, batch: &[EvaluationRequest<'_>]) -> Vec<(&str, Tensor)>;

    /// The outputs that are read, each with its numbers for one position.
    fn outputs(&self) -> Vec<(&str, usize)>;

    /// The evaluation from a position's numbers of each output. Not yet checked: they may be NaN.
    fn evaluation(&self, request: &EvaluationRequest<'_>, outputs: &[&[f32]]) -> Evaluation;
}

/// The probabilities of the legal moves, from the logit of each.
fn priors(request: &EvaluationRequest<'_>, logit: impl Fn(Move) -> f32) -> Vec<f32> {
    let mut priors: Vec<f32> = request.legal_moves.iter().map(|&chess_move| logit(chess_move)).collect();
    softmax(&mut priors, 1.0);
    priors
}

/// A form of ONNX graph that the program knows how to feed and read.
pub struct ContractKind {
    /// Its name in `tabiya net info`.
    pub name: &'static str,
    /// The inputs, outputs and metadata that identify it.
    pub signs: &'static str,
    /// The contract of a graph that has the signs; an error if it breaks it.
    recognise: fn(&Signature) -> Option<Recognised>,
}

/// A contract, or why the graph breaks it.
type Recognised = Result<Box<dyn Contract>, String>;

impl std::fmt::Debug for ContractKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

// The first three are recognised by the names of their inputs. Any graph may carry the metadata of the last one, so a graph of
// lc0's converter with added metadata stays what its outputs say.
/// Every contract, in the order in which they are tried.
pub const CONTRACTS: &[&ContractKind] = &[&LC0, &MAIA_3, &OWN, &NAMED];

#[cfg(test)]
mod tests;
