//! The trait of every source, and the common part of sources with one row per line.

use std::collections::VecDeque;

use super::{
    BadReason, BadRecord, InputProgress, Problem,
    input::Input,
    lines::{Line, Lines, MAX_LINE_BYTES},
};
use crate::{
    DatasetError,
    record::{Place, Record},
};

/// Reads the rows of a format.
pub(super) trait RowReader {
    /// Appends the records of a row at a place: mostly one, none for a heading or a comment. Records that were complete
    /// before a problem are appended as well.
    fn read(&mut self, row: &str, place: &Place, records: &mut VecDeque<Record>) -> Result<(), Problem>;

    /// True if the next line belongs to this row as well.
    fn goes_on(&self, _row: &str) -> bool {
        false
    }

    /// Appends the record that the last row left incomplete.
    fn finish(&mut self, _records: &mut VecDeque<Record>) {}
}

/// A source with one row per line.
pub(super) struct Rows<R> {
    lines: Lines,
    reader: R,
    ready: VecDeque<Record>,
    /// A broken record that follows those in `ready`.
    broken: Option<BadRecord>,
    /// True if the stream ended with an error: the record that the last row left incomplete then lacks rows.
    is_cut_off: bool,
}

impl<R: RowReader> Rows<R> {
    pub(super) fn new(input: Input, reader: R) -> Self {
        Self { lines: Lines::new(input), reader, ready: VecDeque::new(), broken: None, is_cut_off: false }
    }
}

impl<R: RowReader> Iterator for Rows<R> {
    type Item = Result<Result<Record, BadRecord>, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.ready.pop_front() {
                return Some(Ok(Ok(record)));
            }
            if let Some(bad) = self.broken.take() {
                return Some(Ok(Err(bad)));
            }
            let (line, place) = match self.lines.next_row(|row| self.reader.goes_on(row)) {
                Some(Ok(row)) => row,
                Some(Err(error)) => {
                    self.is_cut_off = true;
                    return Some(Err(error));
                }
                None if self.is_cut_off => return None,
                None => {
                    self.reader.finish(&mut self.ready);
                    return self.ready.pop_front().map(|record| Ok(Ok(record)));
                }
            };
            let read = match line {
                Line::Text(row) => self.reader.read(row, &place, &mut self.ready),
                Line::TooLong => Err(Problem::new(
                    BadReason::TooLong,
                    format!("a line of more than {MAX_LINE_BYTES} bytes"),
                )),
                Line::NotText => Err(Problem::new(BadReason::BadSyntax, "text that is not UTF-8")),
            };
            self.broken = read.err().map(|problem| problem.at(place));
        }
    }
}

impl<R: RowReader> Source for Rows<R> {
    fn progress(&self) -> InputProgress {
        self.lines.monitor().progress()
    }

    fn digest(&self) -> String {
        self.lines.monitor().digest()
    }
}

/// A stream of records.
///
/// # Laws
/// 1. A broken record is `Ok(Err(_))`, and the iteration continues with the next one.
/// 2. `Err(_)` is the last item: the rest of the source cannot be read.
/// 3. Memory does not grow with the length of the source.
pub trait Source: Iterator<Item = Result<Result<Record, BadRecord>, DatasetError>> {
    /// Part of the source that was read.
    fn progress(&self) -> InputProgress;

    /// XXH3 of the bytes of the file read so far; of the whole file when the iteration is over.
    fn digest(&self) -> String;
}
