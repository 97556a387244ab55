//! An edge in one word.

use std::sync::atomic::{AtomicU64, Ordering};

use super::NodeId;
use crate::packed::{PackedBonus, PackedMove, PackedPrior};

/// A legal move of an evaluated node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) chess_move: PackedMove,
    pub(crate) prior: PackedPrior,
    /// What hints add to the prior while the move is unvisited.
    pub(crate) bonus: PackedBonus,
    /// The node it leads to, where it exists.
    pub(crate) child: Option<NodeId>,
}

impl Edge {
    /// An edge without visits.
    pub(crate) fn new(chess_move: PackedMove, prior: PackedPrior) -> Self {
        Self { chess_move, prior, bonus: PackedBonus::default(), child: None }
    }

    /// Reads an edge; its child, if any, is seen as its creator left it.
    pub(crate) fn load(word: &AtomicU64) -> Self {
        Self::unpack(word.load(Ordering::Acquire))
    }

    /// The prior after so many visits of the move, finished and pending, half of the bonus having faded after `fade`: a
    /// progressive bias (Chaslot et al., "Progressive strategies for Monte-Carlo tree search", 2008).
    pub(crate) fn prior_after(&self, visits: u32, fade: f32) -> f32 {
        match self.bonus.get() {
            0.0 => self.prior.get(),
            bonus => self.prior.get() + bonus * fade / (fade + visits as f32),
        }
    }

    /// Whether its prior fades.
    pub(crate) fn has_bonus(&self) -> bool {
        self.bonus != PackedBonus::default()
    }

    /// The prior while the move is unvisited.
    pub(crate) fn first_prior(&self) -> f32 {
        self.prior.get() + self.bonus.get()
    }

    /// From the highest bit: 28 bits for the child, 5 for the bonus, 15 for the move, 16 for the prior. The largest `Hash`
    /// holds fewer than 2^28 nodes.
    pub(super) fn unpack(word: u64) -> Self {
        let child = (word >> 36) as u32;
        Self {
            chess_move: PackedMove::from_bits((word >> 16) as u16 & 0x7fff),
            prior: PackedPrior::from_bits(word as u16),
            bonus: PackedBonus::from_bits((word >> 31) as u8),
            child: (child != 0).then_some(NodeId(child)),
        }
    }

    pub(super) fn pack(self) -> u64 {
        let child = u64::from(self.child.map_or(0, |child| child.0)) << 36;
        let bonus = u64::from(self.bonus.bits()) << 31;
        child | bonus | u64::from(self.chess_move.bits()) << 16 | u64::from(self.prior.bits())
    }
}
