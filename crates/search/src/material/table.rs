//! What the material search remembers of positions.

use super::MATE_RANGE;
use crate::{bound::Bound, packed::PackedMove};

/// Positions remembered; 1 MiB, which stays in the processor's second cache.
const PLACES: usize = 1 << 16;

/// A position searched before, in 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    key: u64,
    pub(super) best_move: Option<PackedMove>,
    value: i16,
    depth: u8,
    bound: Bound,
}

impl Entry {
    /// Values and depths of this search are small.
    pub(super) fn new(
        key: u64,
        best_move: Option<PackedMove>,
        (value, bound): (i32, Bound),
        depth: i32,
    ) -> Self {
        Self { key, best_move, value: value as i16, depth: depth as u8, bound }
    }

    /// The value, where the entry is deep enough and decides the window. Not of mates, which are counted from the root and
    /// would be wrong elsewhere.
    pub(super) fn cutoff(&self, depth: i32, window: (i32, i32)) -> Option<i32> {
        let value = i32::from(self.value);
        let decides = self.bound.decides(value, window);
        (i32::from(self.depth) >= depth && decides && value.abs() < MATE_RANGE).then_some(value)
    }

    /// What the side to move has at least, where that is known.
    pub(super) fn lower(&self) -> Option<i32> {
        (self.bound != Bound::Upper).then_some(i32::from(self.value))
    }
}

/// Entries by key; the last one stored in a place wins.
#[derive(Default)]
pub(super) struct Table(Vec<Option<Entry>>);

impl Table {
    pub(super) fn get(&self, key: u64) -> Option<&Entry> {
        self.0.get(place(key))?.as_ref().filter(|entry| entry.key == key)
    }

    pub(super) fn put(&mut self, entry: Entry) {
        if self.0.is_empty() {
            self.0.resize(PLACES, None);
        }
        self.0[place(entry.key)] = Some(entry);
    }
}

fn place(key: u64) -> usize {
    key as usize & (PLACES - 1)
}
