//! Names of the files and results that runs leave behind. A result states its kind with its [`ResultKind`], a folder with its
//! [`FolderKind`].
//!
//! One command writes a file, and other commands, the page and the reports look for it; none of these knows the others.
//! Names used by only one crate are defined in that crate.
//!
//! # Examples
//! ```
//! use files::run::{self, ResultKind};
//!
//! assert_eq!(run::RESULT, "result.json");
//! assert_eq!(ResultKind::of("tabiya-match-1"), Some(ResultKind::Match));
//! ```

mod folder_kind;
mod names;
mod result_kind;

pub use self::{
    folder_kind::FolderKind,
    names::{
        CHECKPOINTS, CURVES, EXPERIMENT, GAMES_JOURNAL, GAMES_PGN, LEARNERS, LOG, MANIFEST, NETWORK, PROBES,
        RECIPE, REPLAY, REPLAY_GAMES, REPLAY_RUN, REPORT, RESULT, STRENGTH_ENDING, SUMMARY, in_folder,
    },
    result_kind::ResultKind,
};
