//! Progress of a run of `tabiya selfplay` before its log has a line: the games of the generation in progress.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The replay store of a run, where the command names no other place (`crates/selfplay/src/replay.rs` has its layout).
const REPLAY: &str = "replay";

/// Games of a self-play run so far.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct SelfPlayView {
    /// The generation whose games are played or learned from.
    pub(crate) generation: u64,
    /// Games of this generation.
    pub(crate) games: u64,
    /// Games of this generation an hour; `None` until there are two.
    pub(crate) games_an_hour: Option<f64>,
    /// Time at which the last game was stored.
    #[serde(skip)]
    pub(super) news: SystemTime,
}

/// The self-play of a run; `None` if its folder has no replay store.
pub(super) fn of_run(folder: &Path) -> Option<SelfPlayView> {
    let newest = newest_generation(folder)?;
    let generation = newest.file_name()?.to_str()?.parse().ok()?;
    let names: Vec<_> = fs::read_dir(&newest).ok()?.flatten().map(|entry| entry.path()).collect();
    // A folder changes when a file comes into it, so that one look tells when the last one came.
    let news = fs::metadata(&newest).and_then(|folder| folder.modified()).ok()?;
    let first = names.iter().min().and_then(|first| fs::metadata(first).ok()?.modified().ok());
    let took = first.and_then(|first| news.duration_since(first).ok()).filter(|took| *took > Duration::ZERO);
    let rate = took.map(|took| 3600.0 * (names.len() as f64 - 1.0) / took.as_secs_f64());
    let games_an_hour = rate.filter(|_| names.len() > 1);
    Some(SelfPlayView { generation, games: names.len() as u64, games_an_hour, news })
}

/// The folder of the games of the newest generation.
pub(super) fn newest_generation(folder: &Path) -> Option<PathBuf> {
    let games = folder.join(REPLAY).join("games");
    fs::read_dir(&games).ok()?.flatten().map(|entry| entry.path()).max()
}

/// The recipe that a replay store begins with, TOML.
pub(super) fn recipe(folder: &Path) -> Option<String> {
    let run: Value = serde_json::from_slice(&fs::read(folder.join(REPLAY).join("run.json")).ok()?).ok()?;
    Some(run["recipe"].as_str()?.to_owned())
}
