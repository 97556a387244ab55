//! Files and folders that survive kills.
//!
//! [`OutputFile`] and [`write()`] leave the old file or the new one, whenever the process ends. [`FolderLock`] keeps a second process
//! away from a folder, under whatever name it comes. [`WorkFolder`] keeps what a long command has done, and the settings under which
//! it may resume; [`Journal`] has a line for each part of that. [`path_text`] is how a path gets into a message or a JSON file,
//! [`read_text`] and [`read_at_most`] are how files of any length are read, [`entries()`] how a folder is listed, [`if_there()`] what
//! need not exist, [`remove_folder()`] how a folder goes.
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
mod if_there;
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
    if_there::if_there,
    journal::Journal,
    lock::FolderLock,
    path::{path_text, utf8},
    read::{read_at_most, read_text},
    remove_folder::remove_folder,
    work_folder::{Begin, WorkFolder, expect_setup, write_setup},
};
