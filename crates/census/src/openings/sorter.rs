//! Counts moves in bounded memory: in a table while they fit, and sorted on disk when they do not.

use std::{
    collections::HashMap,
    io::{self, Read, Write},
    path::Path,
};

use crate::openings::{
    runs::{Row, Runs},
    tally::{ENTRY_BYTES, Entry, MoveKey, MoveTally},
};

/// Maximum entries (a move in a position) counted in memory. Each takes 48 bytes in a hash table of 2^20
/// places and 48 more during sorting: about 100 MB in total, for any number of games.
pub const MOST_COUNTED: usize = (1 << 20) / 8 * 7;

/// Sums of tallies by move.
//
// External sorting: the hash table collapses the openings, which most games share, and what does not fit is sorted and summed again when
// the runs are merged.
pub(crate) struct Sorter {
    most: usize,
    counted: HashMap<MoveKey, MoveTally>,
    runs: Runs<Entry>,
}

/// Counts of the entries written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) positions: u64,
    pub(crate) moves: u64,
}

impl Sorter {
    /// A sorter that holds `most` moves in memory and the others in files of `folder`.
    pub(crate) fn new(folder: &Path, most: usize) -> Self {
        Self { most, counted: HashMap::with_capacity(most), runs: Runs::new(folder) }
    }

    pub(crate) fn add(&mut self, key: MoveKey, tally: &MoveTally) -> io::Result<()> {
        if self.counted.len() == self.most && !self.counted.contains_key(&key) {
            self.spill()?;
        }
        self.counted.entry(key).or_default().add(tally);
        Ok(())
    }

    /// Writes all moves with at least `min_games` games, in the order of their keys.
    pub(crate) fn finish(mut self, min_games: u64, out: &mut dyn Write) -> io::Result<Written> {
        let mut writer = EntryWriter { out, min_games, written: Written::default(), last_position: None };
        let last = self.drain();
        self.runs.finish(&last, |entry| writer.write(entry))?;
        Ok(writer.written)
    }

    /// The moves counted, in order.
    fn drain(&mut self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.counted.drain().map(|(key, tally)| Entry { key, tally }).collect();
        entries.sort_unstable_by_key(|entry| entry.key);
        entries
    }

    /// Writes the moves counted to disk as a run.
    fn spill(&mut self) -> io::Result<()> {
        let entries = self.drain();
        self.runs.add(&entries)
    }
}

impl Row for Entry {
    type Key = MoveKey;

    fn key(&self) -> MoveKey {
        self.key
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.to_bytes())
    }

    fn read(input: &mut dyn Read) -> io::Result<Self> {
        let mut bytes = [0; ENTRY_BYTES];
        input.read_exact(&mut bytes)?;
        Ok(Self::from_bytes(&bytes))
    }

    fn absorb(&mut self, other: &Self) -> bool {
        self.tally.add(&other.tally);
        true
    }
}

/// Writes the entries of a table, which arrive in order and once each.
struct EntryWriter<'a> {
    out: &'a mut dyn Write,
    min_games: u64,
    written: Written,
    last_position: Option<u64>,
}

impl EntryWriter<'_> {
    fn write(&mut self, entry: Entry) -> io::Result<()> {
        if entry.tally.games() < self.min_games {
            return Ok(());
        }
        let position = entry.key.position;
        self.written.moves += 1;
        self.written.positions += u64::from(self.last_position.replace(position) != Some(position));
        self.out.write_all(&entry.to_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The reference is a map that holds everything. Two moves in memory make hundreds of runs, and merges of merges.
        #[test]
        fn sums_are_those_of_a_map_that_holds_everything(
            added in proptest::collection::vec(((0_u64..40, 0_u16..3), 1_u32..4, 0_u32..3), 0..600),
            most in 1_usize..40,
            min_games in 0_u64..6,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = Sorter::new(folder.path(), most);
            let mut whole: BTreeMap<MoveKey, MoveTally> = BTreeMap::new();
            for ((position, packed_move), white, draws) in added {
                let key = MoveKey { position, packed_move };
                let tally = MoveTally { white, draws, ..MoveTally::default() };
                sorter.add(key, &tally).unwrap();
                whole.entry(key).or_default().add(&tally);
            }
            whole.retain(|_, tally| tally.games() >= min_games);
            let mut bytes = Vec::new();
            let written = sorter.finish(min_games, &mut bytes).unwrap();
            let found: Vec<Entry> = bytes.as_chunks().0.iter().map(Entry::from_bytes).collect();
            let expected: Vec<Entry> = whole.iter().map(|(&key, &tally)| Entry { key, tally }).collect();
            prop_assert_eq!(found, expected);
            let mut keys: Vec<u64> = whole.keys().map(|key| key.position).collect();
            keys.dedup();
            prop_assert_eq!(written, Written { positions: keys.len() as u64, moves: whole.len() as u64 });
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no file is left");
        }
    }
}
