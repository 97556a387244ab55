//! What the files and results that runs leave are called; a result says what it is by its [`ResultKind`].
//!
//! One command writes a file and others look for it, as do the page and the reports, and none of these sees the others. A name that
//! only one crate knows stands there.
//!
//! # Examples
//! ```
//! use run_files::ResultKind;
//!
//! assert_eq!(run_files::RESULT, "result.json");
//! assert_eq!(ResultKind::of("tabiya-match-1"), Some(ResultKind::Match));
//! ```

mod names;
mod result_kind;

pub use self::{
    names::{
        CHECKPOINTS, CURVES, GAMES_JOURNAL, GAMES_PGN, LEARNERS, LOG, MANIFEST, NETWORK, PROBES, RECIPE,
        REPLAY, REPLAY_GAMES, REPLAY_RUN, REPORT, RESULT, STRENGTH_ENDING, SUMMARY, in_folder,
    },
    result_kind::ResultKind,
};
