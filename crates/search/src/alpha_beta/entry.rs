//! Entries of the alpha-beta search's transposition table.

use chess::{Move, Window};

use crate::{
    bound::Bound,
    mates::{from_position, from_root},
};

/// Result of searching a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) best: Option<Move>,
    depth: u32,
    /// Mates counted from this position, not from the root.
    value: i32,
    bound: Bound,
}

impl Entry {
    pub(super) fn new(best: Option<Move>, depth: u32, value: i32, bound: Bound, ply: i32) -> Self {
        Self { best, depth, value: from_position(value, ply), bound }
    }

    /// The value, if the entry is deep enough and decides the window.
    pub(super) fn cutoff(&self, depth: u32, ply: i32, window: Window) -> Option<i32> {
        let value = from_root(self.value, ply);
        (self.depth == depth && self.bound.decides(value, window)).then_some(value)
    }
}
