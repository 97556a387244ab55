//! Text files with one record per line.

use std::{
    io::{BufRead, BufReader, Read},
    sync::Arc,
};

use super::input::{Input, InputMonitor};
use crate::{DatasetError, record::Place};

/// The longest line that is read; longer ones are broken records.
pub(super) const MAX_LINE_BYTES: usize = 1 << 22;

/// The lines of a file, in memory bounded by the longest of them.
pub(super) struct Lines {
    text: BufReader<Box<dyn Read + Send>>,
    monitor: InputMonitor,
    line: Vec<u8>,
    number: u64,
    finished: bool,
}

/// A line of a text file.
pub(super) enum Line<'a> {
    /// Its text without the end of the line.
    Text(&'a str),
    /// A line longer than [`MAX_LINE_BYTES`].
    TooLong,
    /// A line that is not UTF-8.
    NotText,
}

impl Lines {
    pub(super) fn new(input: Input) -> Self {
        let (text, monitor) = input.into_text();
        let text = BufReader::with_capacity(1 << 16, text);
        Self { text, monitor, line: Vec::new(), number: 0, finished: false }
    }

    pub(super) fn monitor(&self) -> &InputMonitor {
        &self.monitor
    }

    /// The next line that is not blank, with its place.
    pub(super) fn next(&mut self) -> Option<Result<(Line<'_>, Place), DatasetError>> {
        loop {
            if self.finished {
                return None;
            }
            match self.read_line() {
                Err(error) => {
                    self.finished = true;
                    return Some(Err(error));
                }
                Ok(false) => self.finished = true,
                Ok(true) => {}
            }
            if self.line.iter().any(|byte| !byte.is_ascii_whitespace()) {
                break;
            }
        }
        let place = Place { file: Arc::clone(self.monitor.path()), line: self.number };
        if self.line.len() > MAX_LINE_BYTES {
            return Some(Ok((Line::TooLong, place)));
        }
        let text = std::str::from_utf8(&self.line).map(str::trim_end);
        Some(Ok((text.map_or(Line::NotText, Line::Text), place)))
    }

    /// Reads a line into `line`, or no more of it than shows that it is too long; `false` at the end of the file.
    fn read_line(&mut self) -> Result<bool, DatasetError> {
        self.line.clear();
        self.number += 1;
        loop {
            let available = match self.text.fill_buf() {
                Ok(available) => available,
                Err(error) => return Err(self.failure(error)),
            };
            if available.is_empty() {
                return Ok(false);
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
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
