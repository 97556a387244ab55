//! A residual tower in plain layers with normalisation folded into the weights: the form that lc0's files contain and
//! that the kernels compile.

use chess::encoding::{InputEncoding, MoveEncoding};
use kernels::{Plan, Program};

use crate::spec::ValueKind;

/// A network as plain layers.
#[derive(Clone)]
pub struct PlainTower {
    /// Name of the network, for logs and errors.
    pub name: String,
    /// The encoding of positions as planes.
    pub input: &'static dyn InputEncoding,
    /// The encoding of moves as policy indices.
    pub moves: &'static dyn MoveEncoding,
    /// The layers with their weights.
    pub plan: Plan,
    /// For each policy index, `plane * 64 + square` in the policy's planes; `None` if the policy's output is already in
    /// the order of the indices.
    pub gather: Option<Vec<usize>>,
    /// Meaning of the value head's outputs.
    pub value: ValueKind,
}

impl PlainTower {
    /// For each policy index, the position of its logit in the program's output.
    pub(crate) fn slots(&self, program: &Program) -> Vec<u32> {
        let place = |index: usize| self.gather.as_ref().map_or(index, |gather| gather[index]);
        (0..self.moves.size()).map(|index| program.policy_slot(place(index)) as u32).collect()
    }
}

impl std::fmt::Debug for PlainTower {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PlainTower")
            .field("name", &self.name)
            .field("input", &self.input.name())
            .field("moves", &self.moves.name())
            .field("channels", &self.plan.stem.outputs)
            .field("blocks", &self.plan.blocks.len())
            .finish_non_exhaustive()
    }
}
