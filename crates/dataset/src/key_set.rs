//! A set of hashes in bounded memory: keys beyond the bound are in sorted temporary files.
//!
//! Keys are gathered in memory. When there are `MEMORY_KEYS` of them they become a run, a sorted file; a run is merged
//! with the one before it as long as that is not much larger, so there are few (P. O'Neil et al., The
//! log-structured merge-tree, 1996). A look-up reads one block of each run, found by the first keys of the blocks.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufReader, BufWriter, ErrorKind, Read, Seek as _, SeekFrom, Write},
    path::{Path, PathBuf},
};

use crate::DatasetError;

/// Keys that are kept in memory: 38 MB with the table's empty slots.
const MEMORY_KEYS: usize = 3_600_000;

/// Keys of a block, whose first key is kept in memory: 2 MB for each 100 million keys.
const BLOCK_KEYS: usize = 512;

const KEY_BYTES: usize = size_of::<u64>();

/// A set of 64-bit hashes, in memory and temporary files.
pub struct KeySet {
    folder: PathBuf,
    most_in_memory: usize,
    recent: HashSet<u64>,
    /// Sorted files, the largest first.
    runs: Vec<Run>,
    length: u64,
}

/// A sorted file of keys.
struct Run {
    file: File,
    keys: u64,
    /// The first key of each block.
    fences: Vec<u64>,
    block: Vec<u8>,
}

impl KeySet {
    /// An empty set whose files, which have no names, lie on the file system of this folder.
    pub fn new(folder: &Path) -> Self {
        Self::with_memory(folder, MEMORY_KEYS)
    }

    fn with_memory(folder: &Path, most_in_memory: usize) -> Self {
        let folder = folder.into();
        Self { folder, most_in_memory, recent: HashSet::new(), runs: Vec::new(), length: 0 }
    }

    /// Number of different keys.
    pub fn count(&self) -> u64 {
        self.length
    }

    /// Adds a key; `false` if it was there.
    ///
    /// # Errors
    /// [`DatasetError::Output`] when a temporary file cannot be written or read.
    pub fn insert(&mut self, key: u64) -> Result<bool, DatasetError> {
        if self.contains(key)? {
            return Ok(false);
        }
        self.recent.insert(key);
        self.length += 1;
        if self.recent.len() >= self.most_in_memory {
            self.spill().map_err(DatasetError::io("write a temporary file in", &self.folder))?;
        }
        Ok(true)
    }

    /// True if the set has this key.
    ///
    /// # Errors
    /// [`DatasetError::Output`] when a temporary file cannot be read.
    pub fn contains(&mut self, key: u64) -> Result<bool, DatasetError> {
        if self.recent.contains(&key) {
            return Ok(true);
        }
        for run in &mut self.runs {
            if run.contains(key).map_err(DatasetError::io("read a temporary file in", &self.folder))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn spill(&mut self) -> io::Result<()> {
        let mut keys: Vec<u64> = self.recent.drain().collect();
        keys.sort_unstable();
        let mut last = RunWriter::new(&self.folder)?;
        keys.into_iter().try_for_each(|key| last.push(key))?;
        let mut last = last.finish()?;
        // Each run ends up more than twice as long as the next, so n keys are in at most log2(n / MEMORY_KEYS) + 1 runs, and each key is
        // copied about as often. With one run for every spill, a look-up would read from ever more files; with a single run, every spill
        // would rewrite all keys.
        while let Some(before) = self.runs.pop_if(|before| before.keys <= 2 * last.keys) {
            last = merge(before, last, &self.folder)?;
        }
        self.runs.push(last);
        Ok(())
    }
}

impl Run {
    fn contains(&mut self, key: u64) -> io::Result<bool> {
        // The block that may hold the key begins with the last first key that is not greater; before the first one there is nothing.
        let Some(block) = self.fences.partition_point(|&first| first <= key).checked_sub(1) else {
            return Ok(false);
        };
        let first = block as u64 * BLOCK_KEYS as u64;
        let keys = (self.keys - first).min(BLOCK_KEYS as u64) as usize;
        self.block.resize(keys * KEY_BYTES, 0);
        self.file.seek(SeekFrom::Start(first * KEY_BYTES as u64))?;
        self.file.read_exact(&mut self.block)?;
        let (keys, _) = self.block.as_chunks();
        Ok(keys.binary_search_by_key(&key, |bytes| u64::from_le_bytes(*bytes)).is_ok())
    }

    fn into_keys(mut self) -> io::Result<Keys> {
        self.file.rewind()?;
        Ok(Keys(BufReader::with_capacity(1 << 18, self.file)))
    }
}

/// The keys of two runs in one. No key is in both.
fn merge(one: Run, other: Run, folder: &Path) -> io::Result<Run> {
    let mut merged = RunWriter::new(folder)?;
    let (mut one, mut other) = (one.into_keys()?, other.into_keys()?);
    let (mut first, mut second) = (one.next()?, other.next()?);
    loop {
        match (first, second) {
            (None, None) => return merged.finish(),
            (Some(key), other_key) if other_key.is_none_or(|other_key| key < other_key) => {
                merged.push(key)?;
                first = one.next()?;
            }
            (_, Some(key)) => {
                merged.push(key)?;
                second = other.next()?;
            }
            (Some(_), None) => {}
        }
    }
}

/// The keys of a run in order.
struct Keys(BufReader<File>);

impl Keys {
    fn next(&mut self) -> io::Result<Option<u64>> {
        let mut bytes = [0; KEY_BYTES];
        match self.0.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(u64::from_le_bytes(bytes))),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

struct RunWriter {
    file: BufWriter<File>,
    keys: u64,
    fences: Vec<u64>,
}

impl RunWriter {
    fn new(folder: &Path) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(folder)?);
        Ok(Self { file, keys: 0, fences: Vec::new() })
    }

    fn push(&mut self, key: u64) -> io::Result<()> {
        if self.keys.is_multiple_of(BLOCK_KEYS as u64) {
            self.fences.push(key);
        }
        self.keys += 1;
        self.file.write_all(&key.to_le_bytes())
    }

    fn finish(self) -> io::Result<Run> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Run { file, keys: self.keys, fences: self.fences, block: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn it_is_a_set_whatever_fits_into_memory(
            keys in proptest::collection::vec(0..400u64, 0..600),
            most_in_memory in 5..50usize,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut found = KeySet::with_memory(folder.path(), most_in_memory);
            let mut expected = HashSet::new();
            for key in keys {
                prop_assert_eq!(found.contains(key).unwrap(), expected.contains(&key));
                prop_assert_eq!(found.insert(key).unwrap(), expected.insert(key));
            }
            prop_assert_eq!(found.count(), expected.len() as u64);
        }
    }

    #[test]
    fn runs_of_many_blocks_stay_few_and_keep_every_key() {
        let folder = tempfile::tempdir().unwrap();
        let mut set = KeySet::with_memory(folder.path(), 1000);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let keys: Vec<u64> = (0..40_000).map(|_| random.next_u64()).collect();
        for &key in &keys {
            assert!(set.insert(key).unwrap());
        }
        assert!(set.runs.len() <= 6 && set.runs[0].fences.len() > 20, "{} runs", set.runs.len());
        assert!(set.runs.is_sorted_by(|larger, smaller| larger.keys > smaller.keys));
        for _ in 0..2000 {
            let known = keys[random.random_range(0..keys.len())];
            assert!(set.contains(known).unwrap() && !set.insert(known).unwrap());
            assert!(!set.contains(random.next_u64()).unwrap());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the files have no names");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut set = KeySet::with_memory(&folder.path().join("none"), 2);
        set.insert(1).unwrap();
        let error = set.insert(2).unwrap_err().to_string();
        assert!(error.contains("temporary file") && error.contains("none"), "{error}");
    }
}
