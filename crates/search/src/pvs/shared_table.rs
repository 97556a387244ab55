//! The transposition table that the threads of a search share.
//!
//! # Threads
//!
//! A place is two words, each written and read whole, all relaxed, without a lock:
//!
//! ```text
//! key word     key ^ entry
//! entry word   | search 6 | bound 2 | depth 8 | move 16 | static value 16 | value 16 |
//! ```
//!
//! A reader may find the words of two writers, or one of them before and one after a write. Then `key word ^ entry word` is not
//! its key and the entry counts as missing, except by a coincidence of 64 bits. Even that coincidence is harmless for memory:
//! every pattern of bits decodes to an entry or to none, and a move is played only if it is legal in the position
//! ([`Entry::best_move`]). What it could do is return a wrong value once. So no ordering is needed; on x86-64 and Arm, relaxed
//! accesses are plain loads and stores.
//!
//! `stored` is a hint for when to grow: two threads that count at once lose a count. `used` changes by compare-and-swap, and a
//! probe reads it once, so a key's two places always belong together.
//!
//! # Two places for a key
//!
//! The deepest entry of this search and the latest one, side by side in a cache line. Always replacing lost the long lines of the
//! principal variation; against that version the pair scored +24 Elo (-12 to +62) at 10,000 nodes
//! (`docs/experiments/principal-variation-search.md`, "Table").

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use super::{entry::Entry, numbers::FIRST_PLACES};

/// Parts of the table, each but the first as large as all before it: more than any memory holds.
const PARTS: usize = 32;

/// A key combined with its entry, and the entry: an entry written by two threads at once matches no key any more (R.
/// Hyatt and T. Mann, "A lock-less transposition-table implementation for parallel search", ICGA Journal 25, 2002).
#[derive(Default)]
struct Place {
    key: AtomicU64,
    entry: AtomicU64,
}

impl Place {
    /// True if the place is this key's, given the entry read from it.
    fn is_of(&self, key: u64, entry: u64) -> bool {
        self.key.load(Ordering::Relaxed) ^ entry == key
    }
}

/// Results of the search by position. A key has two places: one for the deepest entry of this search, one for the latest. The table
/// takes memory as it fills, so that a short search stays in the processor's caches.
pub(super) struct SharedTranspositionTable {
    parts: [OnceLock<Box<[Place]>>; PARTS],
    /// Places in use and most places; powers of two.
    used: AtomicUsize,
    most: usize,
    /// Positions stored since the search began or the table grew.
    stored: AtomicUsize,
    /// Number of the search, in the bits that entries leave unused.
    search: u64,
}

/// Place of the bits of an entry that say which search stored it, and of its depth.
const SEARCH_SHIFT: u32 = 58;
const DEPTH_SHIFT: u32 = 48;

impl SharedTranspositionTable {
    /// An empty table, which takes up to `bytes` as it fills.
    pub(super) fn new(bytes: usize) -> Self {
        let most = 1_usize << (bytes / size_of::<Place>()).clamp(2, FIRST_PLACES << (PARTS - 1)).ilog2();
        Self {
            parts: [const { OnceLock::new() }; PARTS],
            used: AtomicUsize::new(most.min(FIRST_PLACES)),
            most,
            stored: AtomicUsize::new(0),
            search: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.most * size_of::<Place>());
    }

    /// Begins another search: what earlier ones stored makes room, first for deeper entries, then before the table grows again.
    pub(super) fn begin(&mut self) {
        self.stored.store(0, Ordering::Relaxed);
        self.search = self.search.wrapping_add(1) & (u64::MAX >> SEARCH_SHIFT);
    }

    /// Share of the most places that have an entry, in thousandths, judged by the first thousand places.
    pub(super) fn fullness(&self) -> u32 {
        let used = self.used.load(Ordering::Relaxed);
        let sample = used.min(1_000);
        let mut taken = 0;
        for number in 0..sample {
            taken += usize::from(self.place(number).entry.load(Ordering::Relaxed) != 0);
        }
        (taken * 1_000 / sample * used / self.most) as u32
    }

    /// Places in use.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        self.places(key).into_iter().find_map(|place| {
            let entry = place.entry.load(Ordering::Relaxed);
            if place.is_of(key, entry) { Entry::from_bits(entry) } else { None }
        })
    }

    pub(super) fn put(&self, key: u64, entry: Entry) {
        // The number of the search ages entries: those of earlier searches count as less deep than any. 64 searches later a
        // number returns, which only delays a replacement.
        let bits = entry.to_bits() | (self.search << SEARCH_SHIFT);
        let [deepest, last] = self.places(key);
        let in_deepest = deepest.entry.load(Ordering::Relaxed);
        let in_last = last.entry.load(Ordering::Relaxed);
        let place = if deepest.is_of(key, in_deepest) {
            deepest
        } else if last.is_of(key, in_last) {
            last
        } else {
            let stored = 1 + self.stored.load(Ordering::Relaxed);
            self.stored.store(stored, Ordering::Relaxed);
            if stored > self.used.load(Ordering::Relaxed) / 2 {
                self.grow();
            }
            let is_old = in_deepest >> SEARCH_SHIFT != self.search;
            let is_shallower = i32::from((in_deepest >> DEPTH_SHIFT) as u8) <= entry.depth();
            // Both places are filled before anything is replaced.
            let takes_deepest = in_deepest == 0 || (in_last != 0 && (is_old || is_shallower));
            if takes_deepest { deepest } else { last }
        };
        place.key.store(key ^ bits, Ordering::Relaxed);
        place.entry.store(bits, Ordering::Relaxed);
    }

    /// Doubles the places in use. Half of the entries are not found at their new place.
    fn grow(&self) {
        let used = self.used.load(Ordering::Relaxed);
        if used < self.most {
            // If another thread was faster, the table has grown.
            let _ = self.used.compare_exchange(used, 2 * used, Ordering::Relaxed, Ordering::Relaxed);
            self.stored.store(0, Ordering::Relaxed);
        }
    }

    /// The places of a key, side by side in memory.
    fn places(&self, key: u64) -> [&Place; 2] {
        let number = key as usize & (self.used.load(Ordering::Relaxed) - 2);
        [self.place(number), self.place(number + 1)]
    }

    fn place(&self, number: usize) -> &Place {
        // Part 0 has FIRST_PLACES places, part p > 0 the FIRST_PLACES << (p - 1) that the p-th doubling added. Existing parts never
        // move, so other threads may keep reading them while the table grows.
        let part = (number / FIRST_PLACES).checked_ilog2().map_or(0, |power| power as usize + 1);
        let (begin, places) = match part {
            0 => (0, FIRST_PLACES.min(self.most)),
            _ => (FIRST_PLACES << (part - 1), FIRST_PLACES << (part - 1)),
        };
        let part = self.parts[part].get_or_init(|| (0..places).map(|_| Place::default()).collect());
        &part[number - begin]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{alpha_beta::Bound, pvs::entry::SearchedValue};

    fn entry(value: i32) -> Entry {
        let searched = SearchedValue { value, bound: Bound::Exact, depth: 3, ply: 0 };
        Entry::new(None, searched, -value)
    }

    fn of_depth(depth: i32) -> Entry {
        let searched = SearchedValue { value: 10 * depth, bound: Bound::Exact, depth, ply: 0 };
        Entry::new(None, searched, 0)
    }

    fn value(table: &SharedTranspositionTable, key: u64) -> Option<i32> {
        table.get(key).map(|entry| entry.value(0))
    }

    #[test]
    fn the_deepest_entry_of_a_search_and_the_last_one_are_kept() {
        let mut table = SharedTranspositionTable::new(100);
        assert_eq!(table.len(), 4, "six places of sixteen bytes, rounded down to a power of two");
        assert_eq!(value(&table, 0), None, "an empty place is not that of key 0");
        // Keys of one pair of places.
        table.put(4, of_depth(5));
        table.put(8, of_depth(3));
        assert_eq!([4, 8].map(|key| value(&table, key)), [Some(50), Some(30)]);
        table.put(12, of_depth(2));
        assert_eq!([4, 8, 12].map(|key| value(&table, key)), [Some(50), None, Some(20)]);
        table.put(16, of_depth(5));
        assert_eq!([4, 12, 16].map(|key| value(&table, key)), [None, Some(20), Some(50)]);
        table.put(16, of_depth(1));
        assert_eq!(value(&table, 16), Some(10), "of a key the last one");
        table.put(16, of_depth(9));
        table.begin();
        table.put(20, of_depth(0));
        assert_eq!(
            [16, 20].map(|key| value(&table, key)),
            [None, Some(0)],
            "what another search stored makes room"
        );
        assert_eq!(value(&table, 2), None);
        table.clear();
        assert_eq!(value(&table, 20), None);
    }

    #[test]
    fn it_grows_with_what_is_stored_up_to_its_limit() {
        let table = SharedTranspositionTable::new(4 * FIRST_PLACES * size_of::<Place>());
        assert_eq!((table.len(), table.fullness()), (FIRST_PLACES, 0));
        for key in 0..16 * FIRST_PLACES as u64 {
            table.put(key, entry((key % 1_000) as i32));
            let found = table.get(key).map(|entry| entry.value(0));
            assert!(found.is_none_or(|value| value == (key % 1_000) as i32), "{key}");
        }
        assert_eq!((table.len(), table.fullness()), (4 * FIRST_PLACES, 1_000));
        let last = 16 * FIRST_PLACES as u64 - 1;
        assert_eq!(table.get(last).map(|entry| entry.value(0)), Some((last % 1_000) as i32));
    }

    /// Whatever threads write at once, an entry that is found is one that was stored under its key.
    #[test]
    fn threads_never_find_the_entry_of_another_key() {
        let table = SharedTranspositionTable::new(64);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let table = &table;
                scope.spawn(move || {
                    for step in 0..200_000_u64 {
                        let key = (step * 7 + thread) % 64;
                        if let Some(found) = table.get(key) {
                            assert_eq!(found.value(0), key as i32);
                        }
                        table.put(key, entry(key as i32));
                    }
                });
            }
        });
    }
}
