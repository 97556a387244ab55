//! Counts moves in bounded memory: in a table while they fit, and sorted on disk when they do not.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    fs::File,
    io::{self, BufReader, BufWriter, Read, Seek as _, Write},
    path::{Path, PathBuf},
};

use crate::openings::tally::{ENTRY_BYTES, Entry, MoveKey, MoveTally};

/// Maximum entries (a move in a position) counted in memory. Each takes 48 bytes in a hash table of 2^20
/// places and 48 more during sorting: about 100 MB in total, for any number of games.
pub const MOST_COUNTED: usize = (1 << 20) / 8 * 7;

/// Runs that are merged at a time, so that neither open files nor buffers grow with the number of games.
const MOST_RUNS: usize = 64;

/// Bytes of a run that are read at a time.
const RUN_BUFFER: usize = 64 * 1024;

/// Sums of tallies by move.
pub(crate) struct Sorter {
    /// Folder of the files without a name; they vanish with the process.
    folder: PathBuf,
    most: usize,
    counted: HashMap<MoveKey, MoveTally>,
    runs: Vec<File>,
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
        Self { folder: folder.into(), most, counted: HashMap::with_capacity(most), runs: Vec::new() }
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
        if self.runs.is_empty() {
            for entry in self.drain() {
                writer.write(entry)?;
            }
        } else {
            self.spill()?;
            merge(self.runs, |entry| writer.write(entry))?;
        }
        Ok(writer.written)
    }

    /// The moves counted, in order.
    fn drain(&mut self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.counted.drain().map(|(key, tally)| Entry { key, tally }).collect();
        entries.sort_unstable_by_key(|entry| entry.key);
        entries
    }

    /// Writes the moves counted to disk as a run.
    //
    // External sorting: the hash table collapses the openings, which most games share, and what does not fit is sorted and summed again
    // when the runs are merged. Whenever there are `MOST_RUNS` of them they become one, so that neither open files nor buffers grow; every
    // such merge copies all entries again, which is rare with runs of almost a million.
    fn spill(&mut self) -> io::Result<()> {
        let entries = self.drain();
        let run = self.run(|out| entries.iter().try_for_each(|entry| out.write_all(&entry.to_bytes())))?;
        self.runs.push(run);
        if self.runs.len() == MOST_RUNS {
            let runs = std::mem::take(&mut self.runs);
            let merged = self.run(|out| merge(runs, |entry| out.write_all(&entry.to_bytes())))?;
            self.runs.push(merged);
        }
        Ok(())
    }

    fn run(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<File> {
        let mut out = BufWriter::new(tempfile::tempfile_in(&self.folder)?);
        write(&mut out)?;
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
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

/// Passes on the sums of several runs, in order.
fn merge(runs: Vec<File>, mut pass: impl FnMut(Entry) -> io::Result<()>) -> io::Result<()> {
    let mut readers: Vec<_> = runs.into_iter().map(|run| BufReader::with_capacity(RUN_BUFFER, run)).collect();
    let mut heads = BinaryHeap::with_capacity(readers.len());
    let mut tallies = vec![MoveTally::default(); readers.len()];
    for (index, reader) in readers.iter_mut().enumerate() {
        if let Some(entry) = next(reader)? {
            tallies[index] = entry.tally;
            heads.push(Reverse((entry.key, index)));
        }
    }
    // The heap holds the next entry of each run by key and index; tallies lie beside it, so that it moves small elements. Entries of one key
    // come out one after another, and a sum is passed on when the next key begins.
    let mut sum: Option<Entry> = None;
    while let Some(Reverse((key, index))) = heads.pop() {
        match &mut sum {
            Some(entry) if entry.key == key => entry.tally.add(&tallies[index]),
            _ => {
                if let Some(whole) = sum.replace(Entry { key, tally: tallies[index] }) {
                    pass(whole)?;
                }
            }
        }
        if let Some(entry) = next(&mut readers[index])? {
            tallies[index] = entry.tally;
            heads.push(Reverse((entry.key, index)));
        }
    }
    sum.map_or(Ok(()), pass)
}

/// The next entry of a run; `None` at its end. Runs are complete, because no other process can access them.
fn next(reader: &mut impl Read) -> io::Result<Option<Entry>> {
    let mut bytes = [0; ENTRY_BYTES];
    match reader.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(Entry::from_bytes(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
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
