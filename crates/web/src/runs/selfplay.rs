//! Progress of a run of `tabiya selfplay` before its log has a line: the games of the generation in progress.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use files::{OutputError, entries, if_there};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::read_file;
use crate::error::ApiError;

/// Games of a self-play run so far.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct SelfPlayView {
    /// The generation whose games are played or learned from.
    pub(crate) generation: u64,
    /// Games of this generation.
    pub(crate) games: u64,
    /// Games of this generation an hour; `null` until there are two.
    pub(crate) games_an_hour: Option<f64>,
    /// Time at which the last game was stored.
    #[serde(skip)]
    pub(super) news: SystemTime,
}

/// The self-play of a run; `None` if its folder has no replay store.
pub(super) fn of_run(folder: &Path) -> Result<Option<SelfPlayView>, OutputError> {
    let Some(newest) = newest_generation(folder)? else { return Ok(None) };
    let names = entries(&newest)?;
    let Some(generation) = newest.file_name().and_then(|name| name.to_str()?.parse().ok()) else {
        return Ok(None);
    };
    of_generation(generation, &newest, &names)
}

/// The self-play of a generation with these games in its folder; `None` if the folder was deleted.
fn of_generation(
    generation: u64,
    newest: &Path,
    names: &[PathBuf],
) -> Result<Option<SelfPlayView>, OutputError> {
    // The modification time of a folder is that of the last file added.
    let Some(news) = modified(newest)? else { return Ok(None) };
    // The rate is that of the games between the first and the last: the first one took as long as a game takes, not the interval.
    let first = names.first().map(|first| modified(first)).transpose()?.flatten();
    let took = first.and_then(|first| news.duration_since(first).ok()).filter(|took| *took > Duration::ZERO);
    let rate = took.map(|took| 3600.0 * (names.len() as f64 - 1.0) / took.as_secs_f64());
    let games_an_hour = rate.filter(|_| names.len() > 1);
    Ok(Some(SelfPlayView { generation, games: names.len() as u64, games_an_hour, news }))
}

/// Modification time of a file or folder of the replay store. `None` if it was deleted: a run may rename its
/// temporary files after they were listed.
pub(super) fn modified(path: &Path) -> Result<Option<SystemTime>, OutputError> {
    if_there(fs::metadata(path).and_then(|data| data.modified())).map_err(OutputError::io("read", path))
}

pub(super) fn newest_generation(folder: &Path) -> Result<Option<PathBuf>, OutputError> {
    Ok(entries(&folder.join(files::run::REPLAY).join(files::run::REPLAY_GAMES))?.pop())
}

/// The recipe that a replay store begins with, TOML; `None` if there is no store.
pub(super) fn recipe(folder: &Path) -> Result<Option<String>, ApiError> {
    let Some(text) = read_file(&folder.join(files::run::REPLAY), files::run::REPLAY_RUN)? else {
        return Ok(None);
    };
    let run: Value = serde_json::from_str(&text).map_err(|error| {
        ApiError::failed(format!(
            "{} is broken: {error}",
            folder.join(files::run::REPLAY).join(files::run::REPLAY_RUN).display()
        ))
    })?;
    Ok(run["recipe"].as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_is_renamed_after_it_was_listed_is_no_error() {
        let place = tempfile::tempdir().unwrap();
        let (game, written) = (place.path().join("game.json.zst"), place.path().join("written"));
        fs::write(&game, "").unwrap();
        assert!(modified(&game).unwrap().is_some());
        assert_eq!(modified(&written).unwrap(), None);
        let view = of_generation(3, place.path(), &[written, game]).unwrap().unwrap();
        assert_eq!((view.generation, view.games, view.games_an_hour), (3, 2, None));
        assert_eq!(of_generation(3, &place.path().join("gone"), &[]).unwrap(), None);
    }
}
