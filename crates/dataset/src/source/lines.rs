//! Text files with one record per line, or per row of a table, whose quoted fields may go over several lines.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read},
    mem,
    sync::Arc,
};

use super::input::{Input, InputMonitor};
use crate::{DatasetError, record::Place};

/// The longest line that is read; longer ones are broken records.
pub const MAX_LINE_BYTES: usize = 1 << 22;

/// Maximum lines of a quoted row. A quote not closed within them is an error of its own line.
pub(super) const MAX_ROW_LINES: usize = 64;

/// The lines of a file, in memory bounded by the longest of them.
pub struct Lines {
    text: BufReader<Box<dyn Read + Send>>,
    monitor: InputMonitor,
    line: Vec<u8>,
    /// Number of `line`, from 1.
    number: u64,
    /// Lines read so far.
    read: u64,
    /// Lines that were read in vain for a row, with their numbers.
    ahead: VecDeque<(Vec<u8>, u64)>,
    finished: bool,
}

/// A line of a text file.
pub enum Line<'a> {
    /// Its text without the end of the line.
    Text(&'a str),
    /// A line longer than [`MAX_LINE_BYTES`].
    TooLong,
    /// A line that is not UTF-8.
    NotText,
}

impl Lines {
    /// The lines of an opened text.
    pub fn new(input: Input) -> Self {
        let (text, monitor) = input.into_text();
        let text = BufReader::with_capacity(1 << 16, text);
        Self { text, monitor, line: Vec::new(), number: 0, read: 0, ahead: VecDeque::new(), finished: false }
    }

    pub(super) fn monitor(&self) -> &InputMonitor {
        &self.monitor
    }

    /// The next row: a line that is not blank, and the lines after it while `goes_on` returns true. A row
    /// that is still open at the limit is its first line alone.
    ///
    /// # Errors
    /// [`DatasetError`] when the file cannot be read on; the lines are then over.
    pub fn next_row(
        &mut self,
        goes_on: impl Fn(&str) -> bool,
    ) -> Option<Result<(Line<'_>, Place), DatasetError>> {
        loop {
            match self.fill() {
                Err(error) => return Some(Err(error)),
                Ok(false) => return None,
                Ok(true) if self.line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(true) => break,
            }
        }
        let place = Place { file: Arc::clone(self.monitor.path()), line: self.number };
        if self.is_open(&goes_on)
            && let Err(error) = self.join(goes_on)
        {
            return Some(Err(error));
        }
        if self.line.len() > MAX_LINE_BYTES {
            return Some(Ok((Line::TooLong, place)));
        }
        // Tabs at the end separate empty fields.
        let text = std::str::from_utf8(&self.line).map(|text| text.trim_end_matches([' ', '\r', '\n']));
        Some(Ok((text.map_or(Line::NotText, Line::Text), place)))
    }

    fn is_open(&self, goes_on: impl Fn(&str) -> bool) -> bool {
        self.line.len() <= MAX_LINE_BYTES
            && std::str::from_utf8(&self.line).is_ok_and(|text| goes_on(text.trim_end()))
    }

    /// Joins the line with those behind it until the row is closed, or leaves all as they were.
    fn join(&mut self, goes_on: impl Fn(&str) -> bool) -> Result<(), DatasetError> {
        // A quote that never ends would take the rest of the file into one row. So a row has a limit, and if it is still open there, the
        // quote counts as an error of its first line alone: the lines read in vain are kept in `ahead` with their numbers and become rows
        // of their own.
        let (first, number) = (mem::take(&mut self.line), self.number);
        let mut joined = first.clone();
        let mut behind = Vec::new();
        while behind.len() < MAX_ROW_LINES && self.fill()? {
            joined.push(b'\n');
            joined.extend_from_slice(&self.line);
            behind.push((mem::replace(&mut self.line, mem::take(&mut joined)), self.number));
            if !self.is_open(&goes_on) {
                self.number = number;
                return Ok(());
            }
            joined = mem::take(&mut self.line);
        }
        for line in behind.into_iter().rev() {
            self.ahead.push_front(line);
        }
        (self.line, self.number) = (first, number);
        Ok(())
    }

    /// Reads the next line into `line`, or only its first bytes if it is too long; `false` at the end of the
    /// file.
    fn fill(&mut self) -> Result<bool, DatasetError> {
        if let Some((line, number)) = self.ahead.pop_front() {
            (self.line, self.number) = (line, number);
            return Ok(true);
        }
        self.line.clear();
        if self.finished {
            return Ok(false);
        }
        self.read += 1;
        self.number = self.read;
        loop {
            let available = match self.text.fill_buf() {
                Ok(available) => available,
                Err(error) => {
                    self.finished = true;
                    return Err(self.failure(error));
                }
            };
            if available.is_empty() {
                self.finished = true;
                return Ok(!self.line.is_empty());
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            // One byte more than the limit is kept, which marks the line as too long; the rest is read and dropped.
            let room = (MAX_LINE_BYTES + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&available[..end.unwrap_or(taken).min(room)]);
            self.text.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    fn failure(&self, error: std::io::Error) -> DatasetError {
        let path = self.monitor.path();
        self.monitor.take_failure().unwrap_or_else(|| DatasetError::io("read", path)(error))
    }
}
