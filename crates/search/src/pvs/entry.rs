//! Entries of the transposition table.

use chess::{Chess, Move, Position as _};

use crate::{
    bound::Bound,
    mates::{from_position, from_root},
    packed::PackedMove,
};

/// Result of searching a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Code 0, from a1 to a1, where there is none.
    best: PackedMove,
    /// Mates counted from this position, not from the root.
    value: i16,
    /// Static value, without meaning in check.
    fixed: i16,
    depth: i8,
    pub(super) bound: Bound,
}

impl Entry {
    pub(super) fn new(
        best: Option<Move>,
        depth: i32,
        (value, bound): (i32, Bound),
        fixed: i32,
        ply: usize,
    ) -> Self {
        Self {
            best: best.map_or(PackedMove::from_bits(0), PackedMove::pack),
            value: from_position(value, ply as i32) as i16,
            fixed: fixed as i16,
            depth: depth.clamp(0, 120) as i8,
            bound,
        }
    }

    pub(super) fn depth(self) -> i32 {
        i32::from(self.depth)
    }

    pub(super) fn fixed(self) -> i32 {
        i32::from(self.fixed)
    }

    /// The value as seen from the root.
    pub(super) fn value(self, ply: usize) -> i32 {
        from_root(i32::from(self.value), ply as i32)
    }

    /// The best move, where it is legal in the position.
    pub(super) fn best_move(self, position: &Chess) -> Option<Move> {
        self.best.unpack(position).filter(|&chess_move| position.is_legal(chess_move))
    }
}
