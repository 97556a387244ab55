//! Entries by position key, the last one stored in a place wins: the transposition table of both alpha-beta searches.

/// Transposition table: results of a search by position.
pub(crate) struct PositionTable<E> {
    places: Vec<Option<(u64, E)>>,
    /// Number of entries once allocated; a power of two.
    capacity: usize,
}

impl<E: Copy> PositionTable<E> {
    /// An empty table, which takes up to `bytes` when something is stored in it.
    pub(crate) fn new(bytes: usize) -> Self {
        let places = (bytes / size_of::<Option<(u64, E)>>()).max(2);
        let capacity = if places.is_power_of_two() { places } else { places.next_power_of_two() / 2 };
        Self { places: Vec::new(), capacity }
    }

    pub(crate) fn clear(&mut self) {
        self.places.clear();
    }

    pub(crate) fn get(&self, key: u64) -> Option<&E> {
        let (stored, entry) = self.places.get(self.place(key))?.as_ref()?;
        (*stored == key).then_some(entry)
    }

    pub(crate) fn put(&mut self, key: u64, entry: E) {
        if self.places.is_empty() {
            self.places.resize(self.capacity, None);
        }
        let place = self.place(key);
        self.places[place] = Some((key, entry));
    }

    fn place(&self, key: u64) -> usize {
        key as usize & (self.capacity - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_finds_its_entry_until_another_takes_its_place() {
        let mut table = PositionTable::<u32>::new(100);
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
