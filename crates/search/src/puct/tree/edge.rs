//! An edge in one word.

use std::sync::atomic::{AtomicU64, Ordering};

use super::NodeId;
use crate::packed::{PackedMove, PackedPrior};

/// A legal move of an evaluated node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) chess_move: PackedMove,
    pub(crate) prior: PackedPrior,
    /// The node it leads to, if it exists.
    pub(crate) child: Option<NodeId>,
}

impl Edge {
    pub(crate) fn new(chess_move: PackedMove, prior: PackedPrior) -> Self {
        Self { chess_move, prior, child: None }
    }

    /// Reads an edge; its child, if any, is seen as its creator left it.
    pub(crate) fn load(word: &AtomicU64) -> Self {
        Self::unpack(word.load(Ordering::Acquire))
    }

    /// From the highest bit: 32 bits for the child, 1 unused, 15 for the move, 16 for the prior.
    pub(super) fn unpack(word: u64) -> Self {
        let child = (word >> 32) as u32;
        Self {
            chess_move: PackedMove::from_bits((word >> 16) as u16 & 0x7fff),
            prior: PackedPrior::from_bits(word as u16),
            child: (child != 0).then_some(NodeId(child)),
        }
    }

    pub(super) fn pack(self) -> u64 {
        let child = u64::from(self.child.map_or(0, |child| child.0)) << 32;
        child | u64::from(self.chess_move.bits()) << 16 | u64::from(self.prior.bits())
    }
}
