//! Training runs and results on disk, read and never written.

mod curves;
mod folder;
mod path;
mod results;
mod selfplay;
mod watchers;

pub(crate) use curves::Curves;
pub(crate) use folder::{RunDetail, RunStatus, RunSummary, find, list};
pub(crate) use results::{ResultSummary, pgn, results, stamps};
pub(crate) use watchers::Watchers;
