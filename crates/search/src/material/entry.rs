//! Entries of the material search's transposition table.

use chess::Window;

use crate::{bound::Bound, packed::PackedMove};

/// Values beyond this are mates, in pawns: this search counts no smaller unit.
pub(super) const MATE_RANGE_IN_PAWNS: i32 = 500;

/// A position searched before, in 8 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) best_move: Option<PackedMove>,
    value: i16,
    depth: u8,
    bound: Bound,
}

impl Entry {
    /// Values and depths of this search are small.
    pub(super) fn new(best_move: Option<PackedMove>, value: i32, bound: Bound, depth: i32) -> Self {
        Self { best_move, value: value as i16, depth: depth as u8, bound }
    }

    /// The value, if the entry is deep enough and decides the window. Mate values are excluded: they are counted from the
    /// root and would be wrong elsewhere.
    pub(super) fn cutoff(self, depth: i32, window: Window) -> Option<i32> {
        let value = i32::from(self.value);
        let decides = self.bound.decides(value, window);
        (i32::from(self.depth) >= depth && decides && value.abs() < MATE_RANGE_IN_PAWNS).then_some(value)
    }

    /// Lower bound of the balance for the side to move, if the entry has one.
    pub(super) fn lower(self) -> Option<i32> {
        (self.bound != Bound::Upper).then_some(i32::from(self.value))
    }
}
