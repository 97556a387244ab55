//! Progress of a run of `tabiya selfplay` before its log has a line: the games of the generation in progress.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use output::{OutputError, entries};
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
pub(super) fn of_run(folder: &Path) -> Result<Option<SelfPlayView>, OutputError> {
    let Some(newest) = newest_generation(folder)? else { return Ok(None) };
    let names = entries(&newest)?;
    Ok(of_generation(&newest, &names))
}

/// The self-play of a generation with these games; `None` if its folder has the name of none.
fn of_generation(newest: &Path, names: &[PathBuf]) -> Option<SelfPlayView> {
    let generation = newest.file_name()?.to_str()?.parse().ok()?;
    // A folder changes when a file comes into it, so that one look tells when the last one came.
    let news = fs::metadata(newest).and_then(|folder| folder.modified()).ok()?;
    let first = names.first().and_then(|first| fs::metadata(first).ok()?.modified().ok());
    let took = first.and_then(|first| news.duration_since(first).ok()).filter(|took| *took > Duration::ZERO);
    let rate = took.map(|took| 3600.0 * (names.len() as f64 - 1.0) / took.as_secs_f64());
    let games_an_hour = rate.filter(|_| names.len() > 1);
    Some(SelfPlayView { generation, games: names.len() as u64, games_an_hour, news })
}

/// The folder of the games of the newest generation.
pub(super) fn newest_generation(folder: &Path) -> Result<Option<PathBuf>, OutputError> {
    Ok(entries(&folder.join(REPLAY).join("games"))?.pop())
}

/// The recipe that a replay store begins with, TOML.
pub(super) fn recipe(folder: &Path) -> Option<String> {
    let run: Value = serde_json::from_slice(&fs::read(folder.join(REPLAY).join("run.json")).ok()?).ok()?;
    Some(run["recipe"].as_str()?.to_owned())
}
