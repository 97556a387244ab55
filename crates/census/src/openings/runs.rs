//! External sorting: rows that do not fit into memory lie on disk in sorted runs until these are merged.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    fs::File,
    io::{self, BufReader, BufWriter, Read, Seek as _, Write},
    marker::PhantomData,
    path::{Path, PathBuf},
};

/// Runs that are merged at a time.
const MOST_RUNS: usize = 64;

/// Bytes of a run that are read at a time.
const RUN_BUFFER: usize = 64 * 1024;

/// A row of a run.
pub(crate) trait Row: Copy {
    /// Rows are in the order of their keys.
    type Key: Copy + Ord;

    fn key(&self) -> Self::Key;

    fn write(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Reads a row as written; [`io::ErrorKind::UnexpectedEof`] where there is none.
    fn read(input: &mut dyn Read) -> io::Result<Self>;

    /// Adds a row of the same key to this one; false if both remain.
    fn absorb(&mut self, other: &Self) -> bool;
}

/// Sorted runs on disk.
pub(crate) struct Runs<R> {
    /// Folder of the files without a name; they vanish with the process.
    folder: PathBuf,
    /// Runs by the number of merges that they went through.
    levels: Vec<Vec<File>>,
    rows: PhantomData<R>,
}

impl<R: Row> Runs<R> {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.into(), levels: Vec::new(), rows: PhantomData }
    }

    /// Writes sorted rows to disk.
    //
    // `MOST_RUNS` runs of one level become one of the next, so every row is copied once a level. Three levels take 137 billion rows of
    // runs of half a million, with less than 200 open files and 13 MB of buffers.
    pub(crate) fn add(&mut self, rows: &[R]) -> io::Result<()> {
        let mut run = self.run(|out| rows.iter().try_for_each(|row| row.write(out)))?;
        for level in 0.. {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(run);
            if self.levels[level].len() < MOST_RUNS {
                break;
            }
            let files = std::mem::take(&mut self.levels[level]);
            run = self.run(|out| merge(files, |row: R| row.write(out)))?;
        }
        Ok(())
    }

    /// Passes on all rows, in order; `last` are the sorted ones that are still in memory, and stay there if nothing was written.
    pub(crate) fn finish(mut self, last: &[R], mut pass: impl FnMut(R) -> io::Result<()>) -> io::Result<()> {
        if self.levels.is_empty() {
            return last.iter().try_for_each(|&row| pass(row));
        }
        self.add(last)?;
        merge(self.levels.into_iter().flatten().collect(), pass)
    }

    fn run(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<File> {
        let mut out = BufWriter::new(tempfile::tempfile_in(&self.folder)?);
        write(&mut out)?;
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}

/// Passes on the rows of several files, in order, those of one key after they have absorbed each other.
fn merge<R: Row>(files: Vec<File>, mut pass: impl FnMut(R) -> io::Result<()>) -> io::Result<()> {
    let mut readers: Vec<_> =
        files.into_iter().map(|file| BufReader::with_capacity(RUN_BUFFER, file)).collect();
    // The heap holds the key of the next row of each file and the file's index; rows lie beside it, so that it moves small elements.
    let mut heads = BinaryHeap::with_capacity(readers.len());
    let mut rows: Vec<Option<R>> = Vec::with_capacity(readers.len());
    for (index, reader) in readers.iter_mut().enumerate() {
        let row = next::<R>(reader)?;
        if let Some(row) = row {
            heads.push(Reverse((row.key(), index)));
        }
        rows.push(row);
    }
    // Rows of one key come out one after another, and what became of them is passed on when the next key begins.
    let mut last: Option<R> = None;
    while let Some(Reverse((key, index))) = heads.pop() {
        let Some(row) = rows[index].take() else { continue };
        let is_absorbed = last.as_mut().is_some_and(|last| last.key() == key && last.absorb(&row));
        if !is_absorbed && let Some(whole) = last.replace(row) {
            pass(whole)?;
        }
        if let Some(row) = next::<R>(&mut readers[index])? {
            heads.push(Reverse((row.key(), index)));
            rows[index] = Some(row);
        }
    }
    last.map_or(Ok(()), pass)
}

/// The next row of a file; `None` at its end. Files are complete, because no other process can access them.
fn next<R: Row>(reader: &mut BufReader<File>) -> io::Result<Option<R>> {
    match R::read(reader) {
        Ok(row) => Ok(Some(row)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}
