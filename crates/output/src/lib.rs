//! Files and folders that survive kills.
//!
//! [`OutputFile`] and [`write()`] leave either the old file or the new one, whenever the process ends; a [`FileKind`] keeps them from
//! replacing a file of another kind. [`FolderLock`] keeps a
//! second process away from a folder, whatever name it uses for the folder. [`WorkFolder`] keeps the finished work of a long
//! command, and the settings and [`Inputs`] with which it may resume; [`Journal`] has a line for each part of that work. [`path_text`]
//! converts a path for a message or a JSON file, [`read_text`] and [`read_at_most`] read files of any length, [`entries()`]
//! lists a folder, [`if_there()`] handles files that need not exist, and [`remove_folder()`] removes a folder.
//!
//! The limits of these guarantees are in `docs/reliability.md`.
//!
//! # Examples
//! ```
//! use output::{OutputFile, read_text};
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

mod entries;
mod error;
mod file;
mod file_kind;
mod if_there;
mod inputs;
mod journal;
mod lock;
mod path;
mod read;
mod remove_folder;
mod work_folder;

pub use self::{
    entries::entries,
    error::OutputError,
    file::{OutputFile, aside, copy, is_partial, remove_partial, write, write_new, write_private},
    file_kind::FileKind,
    if_there::if_there,
    inputs::{Facts, Inputs, KnownContent, content_hash},
    journal::Journal,
    lock::FolderLock,
    path::{path_text, utf8},
    read::{LARGEST_FILE, read_at_most, read_text},
    remove_folder::remove_folder,
    work_folder::{Begin, WorkFolder, claim},
};
