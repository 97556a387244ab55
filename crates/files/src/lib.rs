//! Crash-safe files and folders.
//!
//! [`OutputFile`] and [`write()`] leave either the old file or the new one, whenever the process ends; a [`FileKind`] keeps them from
//! replacing a file of another kind. [`FolderLock`] keeps a second process away from a folder, whatever name it uses for the folder.
//! [`WorkFolder`] keeps the finished work of a long command, and the settings and [`Inputs`] with which it may resume; [`Journal`] has a
//! line for each part of that work. [`json_to_depth`] writes JSON that people compare line by line. [`recipe`] reads recipes with those
//! that they extend, [`run`] names the files of runs, and [`system`] hides the differences between Linux, macOS and Windows.
//!
//! The limits of these guarantees are in `docs/reliability.md`.
//!
//! # Examples
//! ```
//! use files::{OutputFile, read_text};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("result.json");
//! // A file that cannot be written is an error before the work, not after it.
//! let file = OutputFile::open(&path)?;
//! assert!(!path.exists(), "nothing is there before all of it is");
//! file.finish("{}")?;
//! assert_eq!(read_text(&path)?, "{}");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod error;
mod file;
mod file_kind;
mod folder;
mod hash;
mod inputs;
mod journal;
mod json;
mod lock;
mod path;
mod read;
pub mod recipe;
pub mod run;
pub mod system;
mod work_folder;

pub use self::{
    error::OutputError,
    file::{OutputFile, aside, copy, is_partial, move_new, remove_partial, write, write_new, write_private},
    file_kind::FileKind,
    folder::{entries, if_there, remove_folder},
    hash::{KnownContent, bytes_hash, content_hash, hash_text, is_stream, reader_hash},
    inputs::{Facts, Inputs},
    journal::{Journal, cut, has_own_hash},
    json::json_to_depth,
    lock::FolderLock,
    path::{is_name, path_text, utf8},
    read::{LARGEST_FILE, read_at_most, read_text},
    work_folder::{Begin, WorkFolder, claim, expect_kind, kind_of},
};
