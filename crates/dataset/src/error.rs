//! Errors between a file of games and a batch, always with the place and the finding.

use std::path::{Path, PathBuf};

use files::OutputError;

use crate::storage::StorageError;

/// An error of this crate. Broken games are not errors: see [`crate::source::BadRecord`].
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum DatasetError {
    /// A source file is not in the expected format: empty, binary, an unknown archive.
    #[error("{} at byte {offset}: found {found}, expected {expected}", path.display())]
    BadSource {
        /// The source file, or the archive and the file in it.
        path: PathBuf,
        /// Offset in the decompressed text.
        offset: u64,
        found: String,
        expected: String,
    },
    #[error(
        "{} is damaged or truncated: its {format} stream broke after {compressed} compressed bytes ({text} bytes of text, line {line}): {reason}",
        path.display()
    )]
    BrokenStream {
        path: PathBuf,
        format: &'static str,
        /// Bytes of the file read so far.
        compressed: u64,
        /// Bytes of text decompressed so far.
        text: u64,
        line: u64,
        reason: String,
    },
    #[error(
        "no sample to store: {games} games read, {rejected} broken, {duplicates} repeated, {filtered} filtered out{}{left_out}",
        if left_out.is_empty() { "" } else { ": " }
    )]
    NoSamples {
        /// Records that were read, broken ones included.
        games: u64,
        rejected: u64,
        duplicates: u64,
        filtered: u64,
        /// The reasons with what to do about each.
        left_out: String,
    },
    #[error("{} exists already; remove it or choose another name", path.display())]
    Exists { path: PathBuf },
    #[error("stopped; nothing was written to {}", path.display())]
    Stopped { path: PathBuf },
    /// The directory is not a sample store, or one that this version cannot read.
    #[error("{}: not a readable sample store: found {found}, expected {expected}", path.display())]
    BadStore { path: PathBuf, found: String, expected: String },
    #[error("{}: row group {row_group}, row {row}: {reason}", path.display())]
    BadRow { path: PathBuf, row_group: usize, row: usize, reason: String },
    /// The Parquet library refused a file.
    #[error("cannot {action} {}: {source}", path.display())]
    Parquet { action: &'static str, path: PathBuf, source: parquet::errors::ParquetError },
    #[error(
        "{}: found {stored} position(s) of history a sample, but input encoding {encoding} needs {needed} (build the store again with --history {needed})",
        path.display()
    )]
    HistoryTooShort {
        path: PathBuf,
        /// Positions it keeps, the current one included.
        stored: usize,
        encoding: &'static str,
        needed: usize,
    },
    /// Settings that contradict each other or the store.
    #[error("{setting}: found {found}, expected {expected}")]
    Setting {
        /// Name of the setting as in a recipe or on the command line.
        setting: &'static str,
        found: String,
        expected: String,
    },
    /// A file or folder cannot be read, written or locked.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A bucket cannot be used, read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error("a loader thread stopped unexpectedly")]
    LoaderThread,
}

impl DatasetError {
    pub(crate) fn setting(
        setting: &'static str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self::Setting { setting, found: found.into(), expected: expected.into() }
    }

    /// A source file that is refused as a whole, before any of its text is read.
    pub(crate) fn bad_source(path: &Path, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::BadSource { path: path.into(), offset: 0, found: found.into(), expected: expected.into() }
    }

    pub(crate) fn bad_store(path: &Path, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::BadStore { path: path.into(), found: found.into(), expected: expected.into() }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let refused = OutputError::io(action, path);
        move |source| Self::Output(refused(source))
    }

    pub(crate) fn parquet(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(parquet::errors::ParquetError) -> Self {
        move |source| Self::Parquet { action, path: path.into(), source }
    }
}
