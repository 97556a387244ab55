//! Training runs and results on disk, read and never written.

mod curves;
mod folder;
mod results;
mod watchers;

pub(crate) use curves::Curves;
pub(crate) use folder::{RunDetail, RunSummary, find, list};
pub(crate) use results::{ResultSummary, results};
pub(crate) use watchers::Watchers;
