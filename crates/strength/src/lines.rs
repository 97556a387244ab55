//! Text files with one position per line: suites, puzzles, opening books, tables of moves.

use std::{
    io::{BufRead as _, BufReader, Read},
    path::{Path, PathBuf},
};

use dataset::{
    DatasetError, Reservoir,
    source::{
        Columns,
        input::{self, InputMonitor},
    },
};

/// Maximum length of a line in bytes. Longer ones belong to files of another kind.
const LONGEST: u64 = 64 * 1024;

/// Errors of reading a file of positions.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum LineError {
    #[error("cannot read {}: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        reason: String,
    },
    #[error("{} holds no position; expected {expected}", path.display())]
    Empty { path: PathBuf, expected: &'static str },
}

/// The lines of a text file, plain or compressed (gzip, bzip2, zstd), with their numbers from 1. Empty lines, white space around
/// lines and a byte order mark are dropped.
pub(crate) struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    monitor: InputMonitor,
    number: usize,
}

impl Lines {
    pub(crate) fn open(path: &Path) -> Result<Self, LineError> {
        let input = input::open(path).map_err(|error| match error {
            DatasetError::BadSource { found, .. } => {
                let reason = format!("found {found}, expected lines of text, plain, .gz, .bz2 or .zst");
                LineError::Read { path: path.into(), reason }
            }
            error => LineError::Read { path: path.into(), reason: error.to_string() },
        })?;
        let (text, monitor) = input.into_text();
        Ok(Self { path: path.into(), reader: BufReader::new(text), monitor, number: 0 })
    }

    /// Parses the lines, or `sample` of them. Lines that begin with `#` are comments.
    pub(crate) fn read<T>(
        mut self,
        sample: Option<usize>,
        expected: &'static str,
        parse: impl Fn(&str, usize) -> Result<T, String>,
    ) -> Result<Vec<T>, LineError> {
        let mut reservoir = Reservoir::new(sample);
        while let Some(line) = self.next() {
            let (number, text) = line?;
            if !text.starts_with('#') {
                reservoir.offer(|| (number, text));
            }
        }
        let parse = |(line, text): (usize, String)| {
            parse(&text, line).map_err(|reason| LineError::Line { path: self.path.clone(), line, reason })
        };
        let found = reservoir.into_sample().into_iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        if found.is_empty() { Err(LineError::Empty { path: self.path, expected }) } else { Ok(found) }
    }

    /// Reads the heading of a table, which must have these columns.
    pub(crate) fn columns(&mut self, names: &[&str]) -> Result<Columns, LineError> {
        let (line, heading) = self.next().transpose()?.unwrap_or((1, String::new()));
        let refused = |reason| LineError::Line { path: self.path.clone(), line, reason };
        let columns = Columns::new(&heading).map_err(|(_, reason)| refused(reason))?;
        match names.iter().find(|name| !columns.contain(name)) {
            Some(name) => Err(refused(format!("found the columns {heading}, expected {name} among them"))),
            None => Ok(columns),
        }
    }

    fn next(&mut self) -> Option<Result<(usize, String), LineError>> {
        loop {
            let mut bytes = Vec::new();
            let read = self.reader.by_ref().take(LONGEST + 1).read_until(b'\n', &mut bytes);
            self.number += 1;
            let failed = |reason: String| LineError::Read { path: self.path.clone(), reason };
            match (self.monitor.take_failure(), read) {
                (Some(failure), _) => return Some(Err(failed(failure.to_string()))),
                (None, Err(error)) => return Some(Err(failed(error.to_string()))),
                (None, Ok(0)) => return None,
                (None, Ok(_)) => {}
            }
            let text = match String::from_utf8(bytes) {
                Ok(text) if text.len() as u64 <= LONGEST => text,
                other => {
                    let found = if other.is_ok() { "more than 64 KiB" } else { "bytes that are not UTF-8" };
                    let reason = format!("found {found}, expected a line of text");
                    return Some(Err(LineError::Line { path: self.path.clone(), line: self.number, reason }));
                }
            };
            let text = text.trim_start_matches('\u{feff}').trim();
            if !text.is_empty() {
                return Some(Ok((self.number, text.into())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(usize, String)>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let keep = |text: &str, line| Ok((line, text.to_owned()));
        let lines = Lines::open(file.path()).and_then(|lines| lines.read(None, "lines", keep));
        lines.map_err(|error| error.to_string())
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = "\u{feff}one\r\n\n# comment\n two \nthree";
        let expected = [(1, "one"), (4, "two"), (5, "three")].map(|(line, text)| (line, text.to_owned()));
        assert_eq!(read(text.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn files_of_another_kind_are_named() {
        assert!(read(b"").unwrap_err().contains("found an empty file, expected lines of text"));
        assert!(read(b"# nothing\n").unwrap_err().contains("holds no position; expected lines"));
        assert!(read(b"one\n\xff\xfe\n").unwrap_err().contains(":2: found bytes that are not UTF-8"));
        assert!(read(&b"x".repeat(70_000)).unwrap_err().contains(":1: found more than 64 KiB"));
        assert!(read(b"\x28\xb5\x2f\xfd nonsense").unwrap_err().contains("cannot read"));
    }
}
