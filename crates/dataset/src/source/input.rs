//! Text from files, archives, buckets and stdin, plain or compressed, with the byte and line reached.

mod location;
mod object;
mod text;
mod zip;

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use xxhash_rust::xxh3::Xxh3;

use self::text::UnixText;
use crate::DatasetError;

pub use location::Location;
pub(super) use location::begins_with;

/// Part of a file that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputProgress {
    /// Bytes of the file as it lies on disk.
    pub file_bytes: u64,
    /// Bytes of the decompressed text.
    pub text_bytes: u64,
}

/// State shared by the two ends of a reading chain.
//
//     disk -> FileEnd -> decompression -> UnixText -> filter -> TextEnd -> parser
//
// A parser owns the reading end. Bytes on disk and their hash are known only before decompression, lines only after the filter, so each
// end writes down what passes it, and a monitor reads both. Parsers turn an error of a broken archive into one of their own or into the
// end of the text: `failure` keeps the original, so that a source reports it instead of a game that seems to be cut off.
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
    compression: Compression,
    state: Arc<Mutex<State>>,
}

/// Length of the beginning of a text that decides which source reads it.
const BEGINNING_BYTES: usize = 4096;

/// A text that was opened.
pub struct Input {
    text: Box<dyn Read + Send>,
    monitor: InputMonitor,
    beginning: String,
}

/// Opens a text file, plain or compressed.
///
/// # Errors
/// [`DatasetError`] when the file cannot be opened, is empty, or does not start like text.
pub fn open(path: &Path) -> Result<Input, DatasetError> {
    Input::open(&Location::File(path.into()))
}

impl Input {
    /// Opens a text at a location, undoing compression, a byte order mark, and the line ends of Windows and of old Macs.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(location: &Location) -> Result<Self, DatasetError> {
        let path = location.path();
        let bytes: Box<dyn Read + Send> = match location {
            Location::Stdin => Box::new(io::stdin()),
            Location::File(path) => Box::new(File::open(path).map_err(DatasetError::io("open", path))?),
            Location::Member(member) => Box::new(member.open()?),
            Location::Object(object) => Box::new(object.open()),
        };
        let state = Arc::new(Mutex::new(State::default()));
        let mut raw = BufReader::with_capacity(1 << 17, FileEnd { bytes, state: state.clone() });
        let start = raw.fill_buf().map_err(DatasetError::io("read", &path))?;
        if start.is_empty() {
            return Err(not_text(&path, 0, "an empty file"));
        }
        if let Some(foreign) = foreign(start) {
            return Err(not_text(&path, 0, foreign));
        }
        let compression = Compression::of(start);
        let mut decoded = compression.decode(raw).map_err(DatasetError::io("decompress", &path))?;
        let monitor = InputMonitor { path: Arc::new(path.clone()), compression, state };
        let mut beginning = Vec::with_capacity(BEGINNING_BYTES);
        // A stream of several members gives no more than one of them at a time.
        if let Err(error) = decoded.by_ref().take(BEGINNING_BYTES as u64).read_to_end(&mut beginning) {
            return Err(monitor.broken_stream(&error));
        }
        if beginning.is_empty() {
            return Err(not_text(&path, 0, "no text after decompression"));
        }
        if let Some(offset) = beginning.iter().position(|&byte| byte == 0) {
            return Err(not_text(&path, offset as u64, "a zero byte, so the file is binary (or UTF-16)"));
        }
        // The beginning was read to recognise the format. Neither pipes nor decompressors go back, so it is put in front of the rest.
        let text = BufReader::with_capacity(1 << 16, io::Cursor::new(beginning.clone()).chain(decoded));
        let beginning =
            String::from_utf8_lossy(&beginning).trim_start_matches('\u{feff}').replace('\r', "\n");
        Ok(Self { text: Box::new(UnixText::new(text)), monitor, beginning })
    }

    /// The first characters of the text.
    pub fn beginning(&self) -> &str {
        &self.beginning
    }

    /// The file the text is from.
    pub fn path(&self) -> &Path {
        &self.monitor.path
    }

    /// The text from its start, and a monitor of the file while it is read.
    pub fn into_text(self) -> (Box<dyn Read + Send>, InputMonitor) {
        self.through(|text| text)
    }

    /// Reads through a filter; bytes and lines are counted after it.
    pub fn through<F: Read + Send + 'static>(
        self,
        filter: impl FnOnce(Box<dyn Read + Send>) -> F,
    ) -> (Box<dyn Read + Send>, InputMonitor) {
        let state = self.monitor.state.clone();
        (Box::new(TextEnd { text: filter(self.text), state }), self.monitor)
    }
}

impl InputMonitor {
    /// Path of the file.
    pub fn path(&self) -> &Arc<PathBuf> {
        &self.path
    }

    /// Bytes read so far, of the file and of its text.
    pub fn progress(&self) -> InputProgress {
        let state = lock(&self.state);
        InputProgress { file_bytes: state.file_bytes, text_bytes: state.text_bytes }
    }

    /// Line feeds handed out so far.
    pub fn lines(&self) -> u64 {
        lock(&self.state).lines
    }

    /// XXH3 of the bytes read from disk so far, in hexadecimal.
    pub fn digest(&self) -> String {
        files::hash_text(lock(&self.state).digest.digest128())
    }

    /// The error that ended the reading, if one did.
    pub fn take_failure(&self) -> Option<DatasetError> {
        let failure = lock(&self.state).failure.take()?;
        Some(self.broken_stream(&failure))
    }

    fn broken_stream(&self, error: &io::Error) -> DatasetError {
        let state = lock(&self.state);
        let path = self.path.as_ref().clone();
        match self.compression.name() {
            None => DatasetError::io("read", &path)(io::Error::new(error.kind(), error.to_string())),
            Some(format) => DatasetError::BrokenStream {
                path,
                format,
                compressed: state.file_bytes,
                text: state.text_bytes,
                line: state.lines + 1,
                reason: error.to_string(),
            },
        }
    }
}

/// Plain counters stay meaningful even when another thread panicked while holding them.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Counts and hashes the bytes from disk.
struct FileEnd {
    bytes: Box<dyn Read + Send>,
    state: Arc<Mutex<State>>,
}

impl Read for FileEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        let mut state = lock(&self.state);
        state.file_bytes += count as u64;
        state.digest.update(&buffer[..count]);
        Ok(count)
    }
}

/// Counts bytes and lines handed to the parser and keeps the error that ended the reading.
struct TextEnd<R> {
    text: R,
    state: Arc<Mutex<State>>,
}

impl<R: Read> Read for TextEnd<R> {
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

/// Compression of a file, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compression {
    None,
    Bzip2,
    Gzip,
    Zstandard,
}

/// First bytes of foreign formats, which are recognised for a better error message (xz and 7z file formats, PKWARE
/// APPNOTE 4.3.7, Parquet).
const FOREIGN: &[(&[u8], &str)] = &[
    (b"\xfd7zXZ\0", "an xz file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"PK\x03\x04", "a zip archive inside another file, in a bucket or on stdin"),
    (b"PAR1", "a Parquet file inside another file, in a bucket or on stdin"),
];

fn not_text(path: &Path, offset: u64, found: &str) -> DatasetError {
    let expected = "text, plain, .gz, .bz2, .zst or .zip".into();
    DatasetError::BadSource { path: path.into(), offset, found: found.into(), expected }
}

/// Names a foreign file format from its magic bytes, for the error message; `None` for other content.
fn foreign(start: &[u8]) -> Option<&'static str> {
    FOREIGN.iter().find(|(magic, _)| start.starts_with(magic)).map(|&(_, name)| name)
}

impl Compression {
    /// The compression of a file with these first bytes.
    fn of(start: &[u8]) -> Self {
        if start.starts_with(&[0x1f, 0x8b]) {
            Self::Gzip
        } else if start.starts_with(b"BZh") {
            Self::Bzip2
        } else if is_zstandard(start) {
            Self::Zstandard
        } else {
            Self::None
        }
    }

    /// Name of the compression; `None` for a file without one.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Bzip2 => Some("bzip2"),
            Self::Gzip => Some("gzip"),
            Self::Zstandard => Some("zstd"),
        }
    }

    fn decode(self, raw: impl BufRead + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::None => Box::new(raw),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(raw)),
            Self::Gzip => Box::new(MultiGzDecoder::new(raw)),
            Self::Zstandard => {
                let mut decoder = zstd::Decoder::with_buffer(raw)?;
                // Files packed with `zstd --long=31` need the largest window; others allocate only what they state.
                decoder.window_log_max(31)?;
                Box::new(decoder)
            }
        })
    }
}

/// The magic number of a frame or of a skippable frame (RFC 8878, 3.1.1 and 3.1.2).
fn is_zstandard(start: &[u8]) -> bool {
    start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
        || (start.len() >= 4 && start[0] & 0xf0 == 0x50 && start[1..4] == [0x2a, 0x4d, 0x18])
}
