//! A network of a weights file.

use chess::encoding::{
    input::{HistoryFill, Lc0Planes112},
    moves::Lc0Moves1858,
};
use kernels::Plan;

use crate::planes::lc0::{
    container,
    description::Description,
    error::{Lc0Error, Lc0Problem},
    format::{self, ValueFormat},
    layers,
    message::Net,
};

/// The input encoding of every supported tower.
pub const INPUT: Lc0Planes112 = Lc0Planes112 { fill: HistoryFill::FenOnly };

/// The move encoding of every supported tower.
pub const MOVES: Lc0Moves1858 = Lc0Moves1858;

/// An lc0 network; [`INPUT`] and [`MOVES`] are its encodings.
#[derive(Clone, Debug)]
pub struct Lc0Network {
    /// Metadata from the header.
    pub description: Description,
    /// The layers, with normalisation folded into the weights.
    pub plan: Plan,
    /// For each policy index, `plane * 64 + square` in the policy's planes; `None` if the policy's output is already in
    /// the order of the indices.
    pub gather: Option<Vec<usize>>,
    /// Meaning of the value head's outputs.
    pub value: ValueFormat,
}

impl Lc0Network {
    /// Reads a weights file's content, compressed or not; `file` names it in errors.
    ///
    /// # Errors
    /// [`Lc0Error`] with the file and the problem.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self, Lc0Error> {
        Self::parse(bytes).map_err(|problem| Lc0Error { file: file.into(), problem })
    }

    fn parse(bytes: &[u8]) -> Result<Self, Lc0Problem> {
        Self::of_net(container::decode(bytes)?)
    }

    pub(super) fn of_net(net: Net) -> Result<Self, Lc0Problem> {
        let architecture = format::architecture(&net)?;
        let weights =
            net.weights.as_deref().ok_or_else(|| Lc0Problem::Missing { layer: "weights".into() })?;
        let (plan, gather) = layers::layers(weights, architecture)?;
        Ok(Self { description: Description::of(net), plan, gather, value: architecture.value })
    }
}
