//! Training runs and results on disk; only notes about a run are written.

mod curves;
mod folder;
mod latest_game;
mod log_end;
mod notes;
mod path;
mod probes;
mod problems;
mod results;
mod selfplay;
mod watchers;

pub(crate) use curves::Curves;
pub(crate) use folder::{RunDetail, RunStatus, RunSummary, find, list};
pub(crate) use latest_game::{LatestGame, latest_game};
pub(crate) use notes::write_notes;
pub(crate) use probes::{ProbeMoment, probes};
pub(crate) use results::{ResultSummary, pgn, results, stamps};
pub(crate) use watchers::Watchers;
