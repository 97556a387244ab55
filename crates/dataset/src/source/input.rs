//! Text files, plain or compressed, with the byte and line reached.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

use flate2::bufread::MultiGzDecoder;
use xxhash_rust::xxh3::Xxh3;

use crate::DatasetError;

/// How much of a file was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the file as it lies on disk.
    pub file_bytes: u64,
    /// Bytes of text.
    pub text_bytes: u64,
}

/// Compression of a file, told by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Plain,
    Gzip,
    Zstandard,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Zstandard => "zstd",
        }
    }
}

/// First bytes of archives that are recognised only to say so (PKWARE APPNOTE 4.3.7, bzip2, xz and 7z file formats).
const FOREIGN_ARCHIVES: &[(&[u8], &str)] = &[
    (b"PK\x03\x04", "a zip archive"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\0", "an xz file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"PAR1", "a Parquet file"),
];

/// What the two ends of a reading chain know.
#[derive(Default)]
struct State {
    file_bytes: u64,
    digest: Xxh3,
    text_bytes: u64,
    lines: u64,
    failure: Option<io::Error>,
}

/// A view of a file being read, kept while the reading end is lent to a parser.
#[derive(Clone)]
pub struct InputMonitor {
    path: Arc<PathBuf>,
    format: Format,
    state: Arc<Mutex<State>>,
}

/// How much of the beginning of a text decides who reads it.
const BEGINNING_BYTES: usize = 4096;

/// A text file that was opened.
pub struct Input {
    /// Its text from the start.
    pub text: Box<dyn Read + Send>,
    /// What is known of the file while it is read.
    pub monitor: InputMonitor,
    /// The first characters of the text.
    pub beginning: String,
}

/// Opens a text file, undoing gzip or zstd compression.
///
/// # Errors
/// [`DatasetError`] when the file cannot be opened, is empty, or does not start like text.
pub fn open(path: &Path) -> Result<Input, DatasetError> {
    let file = File::open(path).map_err(DatasetError::io("open", path))?;
    let state = Arc::new(Mutex::new(State::default()));
    let mut raw = BufReader::with_capacity(1 << 17, FileEnd { file, state: state.clone() });
    let start = raw.fill_buf().map_err(DatasetError::io("read", path))?;
    let expected = "text, plain, .gz or .zst";
    let bad = |found: String| DatasetError::BadSource { path: path.into(), offset: 0, found, expected };
    if start.is_empty() {
        return Err(bad("an empty file".into()));
    }
    if let Some((_, name)) = FOREIGN_ARCHIVES.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Err(bad((*name).into()));
    }
    let format = if start.starts_with(&[0x1f, 0x8b]) {
        Format::Gzip
    } else if is_zstandard(start) {
        Format::Zstandard
    } else {
        Format::Plain
    };
    let text: Box<dyn Read + Send> = match format {
        Format::Plain => Box::new(raw),
        Format::Gzip => Box::new(MultiGzDecoder::new(raw)),
        Format::Zstandard => {
            let mut decoder =
                zstd::Decoder::with_buffer(raw).map_err(DatasetError::io("decompress", path))?;
            // Files packed with `zstd --long=31` need the largest window; others allocate only what they state.
            decoder.window_log_max(31).map_err(DatasetError::io("decompress", path))?;
            Box::new(decoder)
        }
    };
    let monitor = InputMonitor { path: Arc::new(path.into()), format, state: state.clone() };
    let mut text = BufReader::with_capacity(1 << 16, text);
    let beginning = match text.fill_buf() {
        Ok(beginning) => beginning,
        Err(error) => return Err(monitor.broken_stream(&error)),
    };
    if beginning.is_empty() {
        return Err(bad("no text after decompression".into()));
    }
    if let Some(offset) = beginning.iter().position(|&byte| byte == 0) {
        return Err(DatasetError::BadSource {
            path: path.into(),
            offset: offset as u64,
            found: "a zero byte, so the file is binary (or UTF-16)".into(),
            expected,
        });
    }
    let beginning = &beginning[..beginning.len().min(BEGINNING_BYTES)];
    let beginning = String::from_utf8_lossy(beginning).into_owned();
    Ok(Input { text: Box::new(TextEnd { text, state }), monitor, beginning })
}

/// The magic number of a frame or of a skippable frame (RFC 8878, 3.1.1 and 3.1.2).
fn is_zstandard(start: &[u8]) -> bool {
    start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
        || (start.len() >= 4 && start[0] & 0xf0 == 0x50 && start[1..4] == [0x2a, 0x4d, 0x18])
}

impl InputMonitor {
    /// The file.
    pub fn path(&self) -> &Arc<PathBuf> {
        &self.path
    }

    /// How much was read.
    pub fn progress(&self) -> Progress {
        let state = self.lock();
        Progress { file_bytes: state.file_bytes, text_bytes: state.text_bytes }
    }

    /// Line feeds handed out so far.
    pub fn lines(&self) -> u64 {
        self.lock().lines
    }

    /// XXH3 of the bytes read from disk so far, in hexadecimal.
    pub fn digest(&self) -> String {
        format!("{:032x}", self.lock().digest.digest128())
    }

    /// The error that ended the reading, if one did.
    pub fn take_failure(&self) -> Option<DatasetError> {
        let failure = self.lock().failure.take()?;
        Some(self.broken_stream(&failure))
    }

    fn broken_stream(&self, error: &io::Error) -> DatasetError {
        let state = self.lock();
        if self.format == Format::Plain {
            return DatasetError::Io {
                action: "read",
                path: self.path.as_ref().clone(),
                source: io::Error::new(error.kind(), error.to_string()),
            };
        }
        DatasetError::BrokenStream {
            path: self.path.as_ref().clone(),
            format: self.format.name(),
            compressed: state.file_bytes,
            text: state.text_bytes,
            line: state.lines + 1,
            reason: error.to_string(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Plain counters stay meaningful even when another thread panicked while holding them.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Counts and hashes what comes from disk.
struct FileEnd {
    file: File,
    state: Arc<Mutex<State>>,
}

impl Read for FileEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let mut state = lock(&self.state);
        state.file_bytes += count as u64;
        state.digest.update(&buffer[..count]);
        Ok(count)
    }
}

/// Counts bytes and lines handed to the parser and remembers why reading failed.
struct TextEnd {
    text: BufReader<Box<dyn Read + Send>>,
    state: Arc<Mutex<State>>,
}

impl Read for TextEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.text.read(buffer) {
            Ok(count) => {
                let lines = count_lines(&buffer[..count]);
                let mut state = lock(&self.state);
                state.text_bytes += count as u64;
                state.lines += lines;
                Ok(count)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let copy = io::Error::new(error.kind(), error.to_string());
                lock(&self.state).failure = Some(copy);
                Err(error)
            }
        }
    }
}

/// Number of line feeds. Counted in byte-wide lanes, so that the compiler vectorises it.
pub(crate) fn count_lines(text: &[u8]) -> u64 {
    text.chunks(255)
        .map(|chunk| u64::from(chunk.iter().fold(0u8, |count, &byte| count + u8::from(byte == b'\n'))))
        .sum()
}
