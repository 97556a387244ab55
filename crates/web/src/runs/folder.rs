//! The folder of runs: what `tabiya train` leaves there, and whether it is still at work.

use std::{
    fs, io,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use output::entries;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    curves, notes,
    path::run_folder,
    selfplay::{self, SelfPlayView},
};
use crate::error::ApiError;

/// The recipe with all its defaults, written when a run begins.
const RECIPE: &str = "recipe.toml";
/// Summary of the run, written when it ends.
const OUTCOME: &str = "summary.json";
/// A run without news for longer than this has stopped. Chosen: longer than the pauses between two
/// lines of a log, a validation among them.
const SILENCE: Duration = Duration::from_mins(3);

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunStatus {
    /// Its log grew in the last minutes.
    Running,
    /// It has written its summary.
    Done,
    /// It has not finished and its log has not grown for minutes.
    Silent,
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct RunSummary {
    /// Its folder's name.
    pub(crate) name: String,
    /// State of the run.
    pub(crate) status: RunStatus,
    /// Steps so far, from the log.
    pub(crate) step: u64,
    /// Steps of the whole run, from its recipe.
    pub(crate) steps: Option<u64>,
    /// Samples a step, from its recipe.
    pub(crate) batch: Option<u64>,
    /// Positions a second, from its log's last line.
    pub(crate) positions_per_second: Option<f64>,
    /// The command that started the run and resumes it: `train`, `selfplay` or `reinforce`.
    pub(crate) command: &'static str,
    /// Its games so far, where it plays against itself.
    pub(crate) self_play: Option<SelfPlayView>,
    /// Bytes of its log.
    pub(crate) log_bytes: u64,
    /// Seconds since its log grew or a game of it was kept.
    pub(crate) silent_seconds: u64,
    /// Time of the last entry in its log, seconds since 1970.
    pub(crate) modified: u64,
}

/// A run with everything but its curves.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct RunDetail {
    /// The entry of the run in the list.
    #[serde(flatten)]
    pub(crate) summary: RunSummary,
    /// The resolved recipe, TOML; empty if the run has none.
    pub(crate) recipe: String,
    /// Its outcome, once it has ended.
    #[schema(value_type = Option<std::collections::BTreeMap<String, Value>>)]
    pub(crate) outcome: Option<serde_json::Value>,
    /// The newest validation in its log: the result so far of a run that has not ended.
    #[schema(value_type = Option<std::collections::BTreeMap<String, Value>>)]
    pub(crate) validation: Option<serde_json::Value>,
    /// Notes that people wrote about the run.
    pub(crate) notes: String,
}

/// All runs, the latest first; empty if the folder does not exist.
pub(crate) fn list(runs: &Path) -> Result<Vec<RunSummary>, ApiError> {
    let summaries = entries(runs)?.into_iter().filter_map(|folder| summary(&folder).transpose());
    let mut found: Vec<RunSummary> = summaries.collect::<Result<_, _>>()?;
    found.sort_by(|first, second| second.modified.cmp(&first.modified).then(first.name.cmp(&second.name)));
    Ok(found)
}

pub(crate) fn find(runs: &Path, name: &str) -> Result<RunDetail, ApiError> {
    let folder = run_folder(runs, name)?;
    let summary = summary(&folder)?.ok_or_else(|| ApiError::missing("run", name))?;
    let recipe = match read_file(&folder, RECIPE)? {
        Some(recipe) => recipe,
        None => selfplay::recipe(&folder)?.unwrap_or_default(),
    };
    let outcome = read_file(&folder, OUTCOME)?.map(|text| {
        let broken = |error| ApiError::failed(format!("{OUTCOME} of the run {name} is broken: {error}"));
        serde_json::from_str(&text).map_err(broken)
    });
    let (outcome, notes) = (outcome.transpose()?, notes::read(&folder)?);
    Ok(RunDetail { summary, recipe, outcome, validation: curves::last_validation(&folder)?, notes })
}

/// A text file of a run; `None` if the run has not written it.
pub(super) fn read_file(folder: &Path, file: &str) -> Result<Option<String>, ApiError> {
    match fs::read_to_string(folder.join(file)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ApiError::failed(format!("cannot read {}: {error}", folder.join(file).display()))),
    }
}

/// The run of a folder; `None` if it has no log.
fn summary(folder: &Path) -> Result<Option<RunSummary>, ApiError> {
    let Ok(log) = fs::metadata(folder.join(curves::LOG)) else { return Ok(None) };
    let (Some(name), Ok(modified)) = (folder.file_name(), log.modified()) else { return Ok(None) };
    let self_play = selfplay::of_run(folder)?;
    let modified = modified.max(self_play.as_ref().map_or(UNIX_EPOCH, |play| play.news));
    let silent = SystemTime::now().duration_since(modified).unwrap_or_default();
    let recipe = read_file(folder, RECIPE)?.unwrap_or_default();
    let last = curves::last_step(folder)?;
    let status = match () {
        () if folder.join(OUTCOME).exists() => RunStatus::Done,
        () if silent <= SILENCE => RunStatus::Running,
        () => RunStatus::Silent,
    };
    Ok(Some(RunSummary {
        name: name.to_string_lossy().into_owned(),
        status,
        step: last.map_or(0, |(step, _)| step),
        steps: training_number(&recipe, "steps"),
        batch: training_number(&recipe, "batch"),
        command: match () {
            () if self_play.is_some() => "selfplay",
            () if recipe.lines().any(|line| line == "[reinforce]") => "reinforce",
            () => "train",
        },
        self_play,
        positions_per_second: last.and_then(|(_, speed)| speed),
        log_bytes: log.len(),
        silent_seconds: silent.as_secs(),
        modified: modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    }))
}

/// A number of the table `[training]`, found without a TOML parser: a resolved recipe has one key a line.
fn training_number(recipe: &str, key: &str) -> Option<u64> {
    let training = recipe.lines().skip_while(|line| line.trim() != "[training]").skip(1);
    let mut keys = training.take_while(|line| !line.starts_with('['));
    let value = keys.find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='));
    value?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_cannot_be_listed_are_errors_and_no_empty_ones() {
        let place = tempfile::tempdir().unwrap();
        let runs = place.path().join("runs");
        let message = |found: Result<Vec<RunSummary>, ApiError>| found.unwrap_err().refusal.message;
        assert_eq!(list(&runs).unwrap(), []);
        fs::write(&runs, "x").unwrap();
        assert!(message(list(&runs)).contains(&runs.display().to_string()));
        fs::remove_file(&runs).unwrap();
        let replay = runs.join("toy/replay");
        fs::create_dir_all(&replay).unwrap();
        fs::write(runs.join("toy/log.jsonl"), "").unwrap();
        assert_eq!(list(&runs).unwrap()[0].self_play, None);
        fs::write(replay.join("games"), "x").unwrap();
        assert!(message(list(&runs)).contains(&replay.join("games").display().to_string()));
        fs::remove_file(replay.join("games")).unwrap();
        fs::create_dir(replay.join("games")).unwrap();
        fs::write(replay.join("games/00001"), "x").unwrap();
        for message in [message(list(&runs)), find(&runs, "toy").unwrap_err().refusal.message] {
            assert!(message.contains("00001"), "{message}");
        }
    }

    #[test]
    fn files_that_cannot_be_read_are_errors_and_no_missing_ones() {
        let place = tempfile::tempdir().unwrap();
        let run = place.path().join("toy");
        fs::create_dir_all(run.join("replay")).unwrap();
        fs::write(run.join("log.jsonl"), "").unwrap();
        let message = || find(place.path(), "toy").unwrap_err().refusal.message;
        fs::write(run.join("replay/run.json"), "{").unwrap();
        assert!(message().contains("run.json is broken"), "{}", message());
        fs::write(run.join("replay/run.json"), r#"{"recipe":"seed = 1"}"#).unwrap();
        assert_eq!(find(place.path(), "toy").unwrap().recipe, "seed = 1");
        fs::create_dir(run.join(RECIPE)).unwrap();
        assert!(
            message().starts_with("cannot read ") && message().contains("recipe.toml: "),
            "{}",
            message()
        );
        assert!(list(place.path()).is_err());
    }

    #[test]
    fn numbers_are_read_from_their_table_only() {
        assert_eq!(
            training_number("steps = 3\n[training]\nbatch = 2\nsteps = 9000\n[network]\n", "steps"),
            Some(9000)
        );
        assert_eq!(training_number("[training]\nbatch_size = 2\n[network]\nsteps = 1\n", "steps"), None);
    }
}
