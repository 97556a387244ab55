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
mod result_kind;

use std::path::{Path, PathBuf};

pub use self::{folder_kind::FolderKind, result_kind::ResultKind};

/// The manifest of a sample store; a folder with one is a store.
pub const MANIFEST: &str = "manifest.json";

/// The settings of a person's games; a folder with them holds such games.
pub const PERSONAL: &str = "personal.json";

/// The recipe of a run with all its defaults, written when the run starts; also the recipe of a folder.
pub const RECIPE: &str = "recipe.toml";

/// The experiment of a run, with all its sections and defaults, written when `tabiya run` starts.
pub const EXPERIMENT: &str = "experiment.toml";

/// The log of a training or self-play run: one JSON object per line.
pub const LOG: &str = "log.jsonl";

/// The log as a chart.
pub const CURVES: &str = "curves.svg";

/// The network's outputs in a few positions, one line for each validation of a training run.
pub const PROBES: &str = "probes.jsonl";

/// The folder of the states from which a training run resumes.
pub const CHECKPOINTS: &str = "checkpoints";

/// The network of a training run.
pub const NETWORK: &str = "network.tabiya";

/// The outcome of a training run, written when it ends.
pub const SUMMARY: &str = "summary.json";

/// The learners of a training run; their errors are its [`RESULT`].
pub const LEARNERS: &str = "learners.tabiya";

/// The replay store of a self-play run, unless the command names another place.
pub const REPLAY: &str = "replay";

/// The recipe and version with which a self-play run started, in its replay store.
pub const REPLAY_RUN: &str = "run.json";

/// The folder of games in a replay store.
pub const REPLAY_GAMES: &str = "games";

/// The result of a match, a ladder or a similar command, written when it ends.
pub const RESULT: &str = "result.json";

/// The finished games on which a result is based, one line each.
pub const GAMES_JOURNAL: &str = "games.jsonl";

/// The same games, for people and other programs.
pub const GAMES_PGN: &str = "games.pgn";

/// The results in the folder of a report.
pub const REPORT: &str = "report.json";

/// The ending of a strength table's name, which follows the name of the network next to it.
pub const STRENGTH_ENDING: &str = ".strength.json";

/// The file that a path refers to, if a folder stands for the file with this name in it: `recipes/first` for its
/// [`RECIPE`].
#[must_use]
pub fn in_folder(path: &Path, name: &str) -> PathBuf {
    if path.is_dir() { path.join(name) } else { path.into() }
}
