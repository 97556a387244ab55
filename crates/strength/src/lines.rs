//! Text files with one position per line: suites, puzzles, opening books, tables of moves.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use dataset::{
    DatasetError, Reservoir,
    source::{
        Columns, input,
        lines::{Line, Lines as TextLines, MAX_LINE_BYTES},
    },
};

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

/// The content of a file of positions. Unreadable lines are skipped and counted, as in `tabiya data build`.
#[derive(Debug)]
pub struct Positions<T> {
    /// The positions that could be read, at least one.
    pub found: Vec<T>,
    /// The lines that could not.
    pub skipped: Skipped,
}

/// Lines or games of a file that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Number of them.
    pub count: u64,
    /// The first, with its place and the reason.
    pub first: Option<String>,
}

impl Skipped {
    /// Counts one.
    pub(crate) fn add(&mut self, bad: impl fmt::Display) {
        self.count += 1;
        self.first.get_or_insert_with(|| bad.to_string());
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.first.as_deref().unwrap_or_default();
        write!(formatter, "skipped {} that could not be read, the first at {first}", self.count)
    }
}

/// The number of a line, and its text or the problem in place of it.
type NumberedLine = (usize, Result<String, String>);

/// The lines of a text file, plain or compressed (gzip, bzip2, zstd), with their numbers from 1. Empty lines, white space around
/// lines and a byte order mark are dropped.
pub(crate) struct Lines {
    path: PathBuf,
    beginning: String,
    text: TextLines,
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
        Ok(Self { path: path.into(), beginning: input.beginning().into(), text: TextLines::new(input) })
    }

    /// The first characters of the file.
    pub(crate) fn beginning(&self) -> &str {
        &self.beginning
    }

    /// Parses the lines, or `sample` of them, and skips those that cannot be read. Lines that begin with `#` are comments. With the
    /// columns of a table a line is a row of it, which may go over several.
    ///
    /// # Errors
    /// [`LineError`] of the file, or of its first line if no line can be read.
    pub(crate) fn read<T>(
        mut self,
        sample: Option<usize>,
        expected: &'static str,
        table: Option<&Columns>,
        parse: impl Fn(&str, usize) -> Result<T, String>,
    ) -> Result<Positions<T>, LineError> {
        let mut reservoir = Reservoir::new(sample);
        while let Some((number, text)) = self.next(table)? {
            if !text.as_ref().is_ok_and(|text| text.starts_with('#')) {
                reservoir.offer(|| (number, text));
            }
        }
        let (mut found, mut skipped, mut first) = (Vec::new(), Skipped::default(), None);
        for (line, text) in reservoir.into_sample() {
            match text.and_then(|text| parse(&text, line)) {
                Ok(position) => found.push(position),
                Err(reason) => {
                    let error = LineError::Line { path: self.path.clone(), line, reason };
                    skipped.add(&error);
                    first.get_or_insert(error);
                }
            }
        }
        match first {
            _ if !found.is_empty() => Ok(Positions { found, skipped }),
            Some(error) => Err(error),
            None => Err(LineError::Empty { path: self.path, expected }),
        }
    }

    /// Reads the heading of a table, which must have these columns.
    pub(crate) fn columns(&mut self, names: &[&str]) -> Result<Columns, LineError> {
        let (line, heading) = self.next(None)?.unwrap_or((1, Ok(String::new())));
        let columns = heading.and_then(|heading| columns_of(&heading, names));
        columns.map_err(|reason| LineError::Line { path: self.path.clone(), line, reason })
    }

    /// The next line with its number, or its problem; `None` at the end.
    fn next(&mut self, table: Option<&Columns>) -> Result<Option<NumberedLine>, LineError> {
        let next = self.text.next_row(|row| table.is_some_and(|columns| columns.is_open(row)));
        let Some(next) = next else { return Ok(None) };
        let (line, place) =
            next.map_err(|error| LineError::Read { path: self.path.clone(), reason: error.to_string() })?;
        let text = match line {
            Line::Text(text) => Ok(text.trim_matches([' ', '\r']).to_owned()),
            Line::TooLong => Err(format!("found more than {MAX_LINE_BYTES} bytes, expected a line of text")),
            Line::NotText => Err("found bytes that are not UTF-8, expected a line of text".into()),
        };
        Ok(Some((place.line as usize, text)))
    }
}

/// The columns of a heading, among which there must be these.
fn columns_of(heading: &str, names: &[&str]) -> Result<Columns, String> {
    let columns = Columns::new(heading).map_err(|problem| problem.detail)?;
    match names.iter().find(|name| !columns.contain(name)) {
        Some(name) => Err(format!("found the columns {heading}, expected {name} among them")),
        None => Ok(columns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(usize, String)>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let keep = |text: &str, line| Ok((line, text.to_owned()));
        let lines = Lines::open(file.path()).and_then(|lines| lines.read(None, "lines", None, keep));
        lines.map(|lines| lines.found).map_err(|error| error.to_string())
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
        assert!(read(b"\xff\xfe\n").unwrap_err().contains(":1: found bytes that are not UTF-8"));
        assert!(read(&b"x".repeat(5_000_000)).unwrap_err().contains(":1: found more than 4194304 bytes"));
        assert!(read(b"\x28\xb5\x2f\xfd nonsense").unwrap_err().contains("cannot read"));
    }

    #[test]
    fn lines_that_cannot_be_read_are_skipped_and_counted() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"1\nx\n2\n\xff\n").unwrap();
        let number = |text: &str, _| text.parse::<u8>().map_err(|error| error.to_string());
        let read = Lines::open(file.path()).unwrap().read(None, "numbers", None, number).unwrap();
        assert_eq!((read.found, read.skipped.count), (vec![1, 2], 2));
        assert!(read.skipped.first.unwrap().contains(":2: invalid digit"));
    }
}
