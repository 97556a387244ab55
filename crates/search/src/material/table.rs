//! The material search's transposition table: the latest entry of each place by the position's key.

use chess::Window;

use super::numbers::{MATE_RANGE_IN_PAWNS, PLACES};
use crate::{alpha_beta::Bound, packed::PackedMove};

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

/// Results of the search by position, allocated by the first of them.
#[derive(Default)]
pub(super) struct Table(Vec<Option<(u64, Entry)>>);

impl Table {
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let (stored, entry) = (*self.0.get(place(key))?)?;
        (stored == key).then_some(entry)
    }

    pub(super) fn put(&mut self, key: u64, entry: Entry) {
        if self.0.is_empty() {
            self.0.resize(PLACES, None);
        }
        self.0[place(key)] = Some((key, entry));
    }
}

fn place(key: u64) -> usize {
    key as usize & (PLACES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_finds_its_entry_until_another_takes_its_place() {
        let mut table = Table::default();
        let found = |table: &Table, key: u64| table.get(key).and_then(Entry::lower);
        assert_eq!(found(&table, 1), None);
        for (key, value) in [(1, 10), (2, 20)] {
            table.put(key, Entry::new(None, value, Bound::Exact, 3));
        }
        let other = 1 + PLACES as u64;
        assert_eq!([1, 2, other].map(|key| found(&table, key)), [Some(10), Some(20), None]);
        table.put(other, Entry::new(None, 50, Bound::Exact, 3));
        assert_eq!([1, other].map(|key| found(&table, key)), [None, Some(50)]);
    }
}
