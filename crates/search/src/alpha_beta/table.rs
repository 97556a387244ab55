//! The transposition table of [`super::AlphaBeta`].

use chess::Move;

use super::MATE_RANGE;
use crate::bound::Bound;

/// A position searched before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) best: Option<Move>,
    depth: u32,
    /// Mates counted from this position, not from the root.
    value: i32,
    bound: Bound,
}

impl Entry {
    pub(super) fn new(best: Option<Move>, depth: u32, (value, bound): (i32, Bound), ply: i32) -> Self {
        let value = match value {
            _ if value > MATE_RANGE => value + ply,
            _ if value < -MATE_RANGE => value - ply,
            _ => value,
        };
        Self { best, depth, value, bound }
    }

    /// The value, where the entry is deep enough and decides the window.
    pub(super) fn cutoff(&self, depth: u32, ply: i32, window: (i32, i32)) -> Option<i32> {
        let value = match self.value {
            value if value > MATE_RANGE => value - ply,
            value if value < -MATE_RANGE => value + ply,
            value => value,
        };
        (self.depth == depth && self.bound.decides(value, window)).then_some(value)
    }
}

/// Entries by key, the last one stored in a place wins.
pub(super) struct Table {
    places: Vec<Option<(u64, Entry)>>,
    capacity: usize,
}

impl Table {
    /// An empty table that grows to at most `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        let places = (bytes / size_of::<Option<(u64, Entry)>>()).max(2);
        let capacity = if places.is_power_of_two() { places } else { places.next_power_of_two() / 2 };
        Self { places: Vec::new(), capacity }
    }

    pub(super) fn clear(&mut self) {
        self.places.clear();
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let place = key as usize & (self.capacity - 1);
        self.places.get(place).copied().flatten().filter(|(stored, _)| *stored == key).map(|(_, entry)| entry)
    }

    pub(super) fn put(&mut self, key: u64, entry: Entry) {
        if self.places.is_empty() {
            self.places.resize(self.capacity, None);
        }
        let place = key as usize & (self.capacity - 1);
        self.places[place] = Some((key, entry));
    }
}
