//! Errors of writing files and folders, with their paths.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::WorkFolder;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum OutputError {
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The action that failed: `write`, `read`, `lock` and so on.
        action: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        source: io::Error,
    },
    /// A file was to be written, but the path is a folder.
    #[error("cannot write {}: it is a folder", path.display())]
    IsFolder { path: PathBuf },
    /// A path such as `/` names no file or folder.
    #[error("found the path {}, expected one that ends with a name", path.display())]
    Nameless { path: PathBuf },
    /// A path that must be written to a text file is not valid UTF-8.
    #[error("{}: found a name that is not UTF-8, which cannot be written into {}; rename it", path.display(), place)]
    NotUtf8 {
        /// The path, with U+FFFD for bytes that are not UTF-8.
        path: PathBuf,
        /// The destination to which the path was to be written.
        place: &'static str,
    },
    /// Another process writes to the folder.
    #[error("{} is being written by another process ({holder}); wait for it to end, or name another folder", folder.display())]
    Locked {
        folder: PathBuf,
        /// The other process, as far as it is known.
        holder: String,
    },
    /// Something other than a lock file has its name.
    #[error("{}: found {found}, expected a lock file; remove it, or name another folder", path.display())]
    ForeignLock {
        /// The path of the lock file.
        path: PathBuf,
        found: &'static str,
    },
    /// The output of a resumable command already exists.
    #[error(
        "{} exists already{}; remove it or choose another name",
        output.display(),
        left.as_ref().map_or_else(String::new, |left| format!(", and {} is no longer needed", left.display()))
    )]
    Exists {
        output: PathBuf,
        /// The work folder left behind if the process was killed after the last step.
        left: Option<PathBuf>,
    },
    /// The folder contains work of an earlier command, and `--resume` was not given.
    #[error(
        "{} holds work of an earlier command; add --resume to continue it, remove the folder, or name another", folder.display()
    )]
    Begun { folder: PathBuf },
    /// The folder contains results, but not the settings under which they were produced.
    #[error(
        "{} holds {file} but no {}, which records its settings and inputs; put it back, finish it with the older version that began \
         it, remove the folder, or name another",
        folder.display(), WorkFolder::SETUP
    )]
    NoSetup { folder: PathBuf, file: String },
    /// The file with the settings does not contain valid settings.
    #[error("{}: found {found}, expected a JSON object of settings", path.display())]
    BadSetup { path: PathBuf, found: String },
    /// The work was started with other settings.
    #[error("cannot continue: {} was started with {setting} = {before}, not {now}", folder.display())]
    OtherSetup {
        folder: PathBuf,
        /// The first setting that differs.
        setting: String,
        /// Its value in the folder.
        before: String,
        now: String,
    },
    /// Something that the work reads was replaced since it was begun.
    #[error(
        "cannot continue {}: {input} is not the one with which it was begun: its {fact} was {before}, now {now}; put the former \
         one back, or begin again in another place",
        place.display()
    )]
    OtherInput {
        /// The folder or file of the work.
        place: PathBuf,
        /// The input, with what it is used as.
        input: Box<str>,
        /// The first fact that differs.
        fact: Box<str>,
        before: Box<str>,
        now: Box<str>,
    },
    /// An input can be read only once, so that nothing says whether it is still the same.
    #[error(
        "cannot continue {}: {input} is a stream, and what it holds now may differ from what it held; begin again in another place, \
         with a file if the work is to be continued",
        place.display()
    )]
    StreamInput {
        /// The folder or file of the work.
        place: PathBuf,
        /// The input, with what it is used as.
        input: Box<str>,
    },
    /// Work of a version that knew its inputs by their names alone.
    #[error(
        "cannot continue {}: it was begun by an older version, which did not record the content of its inputs; finish it with \
         that version, or begin again in another place",
        place.display()
    )]
    NoInputs { place: PathBuf },
    #[error("{} is one of the inputs; choose another file for the output", path.display())]
    IsInput { path: PathBuf },
    #[error("{}: found the ending {found:?}, expected {expected}", path.display())]
    Ending { path: PathBuf, found: String, expected: String },
    #[error("{}: exists already{other}; {way_out}", path.display())]
    OtherFile {
        path: PathBuf,
        /// The kind that it is not.
        other: String,
        way_out: &'static str,
    },
    /// The folder belongs to another kind of command.
    #[error("{}: found {found}, expected {expected} or a folder without any; name another folder", folder.display())]
    OtherKind { folder: PathBuf, found: String, expected: &'static str },
}

impl OutputError {
    /// Converts an I/O error into the error of an action on a file or folder; `action` follows "cannot".
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.into(), source }
    }

    /// The underlying I/O error, for callers that name the path themselves.
    pub(crate) fn into_io(self) -> io::Error {
        match self {
            Self::Io { source, .. } => source,
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        }
    }
}
