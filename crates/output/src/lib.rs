//! Files and folders that survive kills.
//!
//! [`OutputFile`] and [`write()`] leave the old file or the new one, whenever the process ends. [`FolderLock`] keeps a second process
//! away from a folder, under whatever name it comes. [`WorkFolder`] keeps what a long command has done, and the settings under which
//! it may resume; [`Journal`] has a line for each part of that. [`path_text`] is how a path gets into a message or a JSON file,
//! [`Percent`] and [`DurationText`] how a share and a time do; [`read_text`] and [`read_at_most`] are how files of any length are
//! read, [`entries()`] how a folder is listed, [`if_there()`] what need not exist, [`ResultKind`] what a result says it is.
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

mod duration_text;
mod entries;
mod error;
mod file;
mod if_there;
mod journal;
mod lock;
mod path;
mod percent;
mod read;
mod result_kind;
mod work_folder;

pub use self::{
    duration_text::DurationText,
    entries::entries,
    error::OutputError,
    file::{OutputFile, aside, copy, is_partial, remove_partial, write, write_new, write_private},
    if_there::if_there,
    journal::Journal,
    lock::FolderLock,
    path::{path_text, utf8},
    percent::Percent,
    read::{read_at_most, read_text},
    result_kind::ResultKind,
    work_folder::{Begin, WorkFolder, expect_setup, write_setup},
};
