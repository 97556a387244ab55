//! The transposition table of single-threaded searches: entries by position key, always replaced.

/// Transposition table: results of a search by position. Its memory grows as it fills, so that a short search
/// stays in the CPU's caches.
pub(crate) struct TranspositionTable<E> {
    places: Vec<Option<(u64, E)>>,
    /// Most entries; a power of two.
    capacity: usize,
    /// Positions stored since the table grew.
    stored: usize,
}

/// Entries allocated by the first store.
const FIRST: usize = 1 << 16;

impl<E: Copy> TranspositionTable<E> {
    /// An empty table of at most `bytes`, allocated by the first store.
    pub(crate) fn new(bytes: usize) -> Self {
        let capacity = 1_usize << (bytes / size_of::<Option<(u64, E)>>()).max(2).ilog2();
        Self { places: Vec::new(), capacity, stored: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.places = Vec::new();
        self.stored = 0;
    }

    pub(crate) fn get(&self, key: u64) -> Option<&E> {
        if self.places.is_empty() {
            return None;
        }
        let (stored, entry) = self.places[self.place(key)].as_ref()?;
        (*stored == key).then_some(entry)
    }

    pub(crate) fn put(&mut self, key: u64, entry: E) {
        if self.places.is_empty() {
            self.places.resize(self.capacity.min(FIRST), None);
        } else if self.stored > self.places.len() / 2 && self.places.len() < self.capacity {
            self.grow();
        }
        let place = self.place(key);
        self.stored += usize::from(self.places[place].is_none_or(|(stored, _)| stored != key));
        self.places[place] = Some((key, entry));
    }

    /// Doubles the number of places.
    fn grow(&mut self) {
        let before = std::mem::take(&mut self.places);
        self.places.resize(2 * before.len(), None);
        for (key, entry) in before.into_iter().flatten() {
            let place = self.place(key);
            self.places[place] = Some((key, entry));
        }
        self.stored = 0;
    }

    /// Index of a key in an allocated table.
    fn place(&self, key: u64) -> usize {
        key as usize & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_finds_its_entry_until_another_takes_its_place() {
        let mut table = TranspositionTable::<u32>::new(100);
        assert_eq!(table.capacity, 4, "six entries of sixteen bytes, rounded down to a power of two");
        table.put(1, 10);
        table.put(2, 20);
        assert_eq!((table.get(1), table.get(2), table.get(5)), (Some(&10), Some(&20), None));
        table.put(5, 50);
        assert_eq!((table.get(1), table.get(5)), (None, Some(&50)));
        table.clear();
        assert_eq!(table.get(2), None);
    }
}
