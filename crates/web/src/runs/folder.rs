//! The folder of runs: the files that `tabiya train` leaves there, and whether a run is still at work.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use files::{FolderLock, OutputError, WorkFolder, entries, if_there, kind_of, run::FolderKind};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    Problems,
    log_end::{LogEnd, last_validation},
    read_file, read_notes, run_folder,
    selfplay::{self, SelfPlayView},
};
use crate::error::ApiError;

/// A log of another program without news for longer than this belongs to a run that has stopped. Chosen: longer than the pauses between
/// two lines of a log, including a validation.
const SILENCE: Duration = Duration::from_mins(3);

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunStatus {
    /// A process is training it, or another program's log grew in the last minutes.
    Running,
    /// It has written its summary.
    Done,
    /// It has not finished, and its process was stopped or killed, or another program's log has not grown for minutes.
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
    /// Its games so far, if it is self-play.
    pub(crate) self_play: Option<SelfPlayView>,
    /// Bytes of its log.
    pub(crate) log_bytes: u64,
    /// Seconds since its log grew or it saved a game.
    pub(crate) silent_seconds: u64,
    /// Time of the last entry in its log, seconds since 1970.
    pub(crate) modified: u64,
    /// Reason why some of its files are unreadable, if they are; their content is missing above.
    pub(crate) problem: Option<String>,
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
    pub(crate) outcome: Option<Value>,
    /// The newest validation in its log: the result so far of a run that has not ended.
    #[schema(value_type = Option<std::collections::BTreeMap<String, Value>>)]
    pub(crate) validation: Option<Value>,
    /// Notes that people wrote about the run.
    pub(crate) notes: String,
}

/// A run, as far as its files can be read.
struct ReadRun {
    /// Its problem is not filled in yet: it is in `problems`.
    summary: RunSummary,
    recipe: Option<String>,
    outcome: Option<Value>,
    problems: Problems,
}

/// All runs, the latest first; empty if the folder does not exist.
pub(crate) fn list(runs: &Path) -> Result<Vec<RunSummary>, ApiError> {
    let read = entries(runs)?.into_iter().filter_map(|folder| read(&folder));
    let mut found: Vec<RunSummary> =
        read.map(|run| RunSummary { problem: run.problems.text(), ..run.summary }).collect();
    found.sort_by(|first, second| second.modified.cmp(&first.modified).then(first.name.cmp(&second.name)));
    Ok(found)
}

pub(crate) fn find(runs: &Path, name: &str) -> Result<RunDetail, ApiError> {
    let folder = run_folder(runs, name)?;
    let ReadRun { summary, recipe, outcome, mut problems } =
        read(&folder).ok_or_else(|| ApiError::missing("run", name))?;
    let recipe = recipe.or_else(|| problems.note(selfplay::recipe(&folder)).flatten()).unwrap_or_default();
    let validation = problems.note(last_validation(&folder)).flatten();
    // Notes that cannot be read are an error: otherwise the page would offer to replace them with new ones.
    let notes = read_notes(&folder)?;
    let summary = RunSummary { problem: problems.text(), ..summary };
    Ok(RunDetail { summary, recipe, outcome, validation, notes })
}

/// The run of a folder; `None` if it has no log.
fn read(folder: &Path) -> Option<ReadRun> {
    // Each file is read on its own, and what is wrong with one is gathered: the list must show a run whose recipe is damaged, because
    // the person looks there to find out why it failed. A folder whose log cannot be examined is a run as well; only one without a
    // log is not.
    let mut problems = Problems::default();
    let path = folder.join(files::run::LOG);
    let log = if_there(fs::metadata(&path).and_then(|log| Ok((log.len(), log.modified()?))));
    if matches!(log, Ok(None)) || !folder.is_dir() {
        return None;
    }
    let log = problems.note(log.map_err(OutputError::io("read", &path))).flatten();
    let (log_bytes, modified) = log.unwrap_or((0, UNIX_EPOCH));
    let self_play = selfplay::of_run(folder);
    let plays_itself = !matches!(self_play, Ok(None));
    let self_play = problems.note(self_play).flatten();
    let modified = modified.max(self_play.as_ref().map_or(UNIX_EPOCH, |play| play.news));
    // After a clock that jumped back the last news is in the future, and as long ago as one can tell.
    let silent = SystemTime::now().duration_since(modified).unwrap_or_else(|ahead| ahead.duration());
    let recipe = problems.note(read_file(folder, files::run::RECIPE)).flatten();
    let end = problems.note(LogEnd::read(folder)).unwrap_or_default();
    problems.add(end.problem);
    let outcome = problems.note(outcome(folder)).flatten();
    let kind = problems.note(kind_of(folder)).flatten();
    let is_of = |known: &FolderKind| kind.as_deref() == Some(known.name);
    let text = recipe.as_deref().unwrap_or_default();
    let summary = RunSummary {
        name: folder.file_name()?.to_string_lossy().into_owned(),
        status: status(folder, silent),
        step: end.step.unwrap_or(0),
        steps: training_number(text, "steps"),
        batch: training_number(text, "batch"),
        // Self-play may have its games in another place, and a run of REINFORCE of this program has no recipe file.
        command: if plays_itself || is_of(&FolderKind::SELF_PLAY) {
            "selfplay"
        } else if is_of(&FolderKind::REINFORCE) || text.lines().any(|line| line == "[reinforce]") {
            "reinforce"
        } else {
            "train"
        },
        self_play,
        positions_per_second: end.positions_per_second,
        log_bytes,
        silent_seconds: silent.as_secs(),
        modified: modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
        problem: None,
    };
    Some(ReadRun { summary, recipe, outcome, problems })
}

/// The state of a run whose last news is this old.
fn status(folder: &Path, silent: Duration) -> RunStatus {
    if folder.join(files::run::SUMMARY).exists() {
        return RunStatus::Done;
    }
    // The process that trains holds the lock of the folder, however long a step or a validation takes, and loses it when it is
    // killed. Its log would tell less: for three minutes after a kill it looks like that of a slow step, and during a long validation
    // like that of a killed run. Without a lock file nothing works on a folder that a command of this program has claimed: the run
    // ended by itself, as after Ctrl-C, or was copied from another machine. Other programs take no lock, so their log has to do.
    let has_claim = folder.join(WorkFolder::SETUP).exists();
    if FolderLock::is_held(folder).unwrap_or(!has_claim && silent <= SILENCE) {
        RunStatus::Running
    } else {
        RunStatus::Silent
    }
}

/// The outcome of a run; `None` if it has not ended.
fn outcome(folder: &Path) -> Result<Option<Value>, ApiError> {
    let Some(text) = read_file(folder, files::run::SUMMARY)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        ApiError::failed(format!("{}: found no JSON ({error})", folder.join(files::run::SUMMARY).display()))
    })
}

/// A number of the table `[training]`, found without a TOML parser: a resolved recipe has one key per line.
fn training_number(recipe: &str, key: &str) -> Option<u64> {
    let training = recipe.lines().skip_while(|line| line.trim() != "[training]").skip(1);
    let mut keys = training.take_while(|line| !line.starts_with('['));
    let value = keys.find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='));
    value?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// A folder of runs with the runs `good` and `toy`, whose logs have a step, and the folder of `toy`.
    fn two_runs() -> (tempfile::TempDir, PathBuf) {
        let runs = tempfile::tempdir().unwrap();
        for name in ["good", "toy"] {
            fs::create_dir(runs.path().join(name)).unwrap();
            fs::write(runs.path().join(name).join(files::run::LOG), "{\"kind\":\"step\",\"step\":7}\n")
                .unwrap();
        }
        let toy = runs.path().join("toy");
        (runs, toy)
    }

    /// The problem of `toy` in list and detail. The other run has none, and both keep their places.
    fn problem(runs: &Path) -> String {
        let mut listed = list(runs).unwrap();
        listed.sort_by(|first, second| first.name.cmp(&second.name));
        let [good, toy] = listed.as_slice() else { panic!("{listed:?}") };
        assert_eq!((good.name.as_str(), good.step, &good.problem), ("good", 7, &None));
        assert_eq!(find(runs, "good").unwrap().summary.problem, None);
        assert_eq!(toy.name, "toy");
        let problem = find(runs, "toy").unwrap().summary.problem;
        assert_eq!(toy.problem, problem);
        problem.unwrap_or_default()
    }

    #[test]
    fn a_folder_of_runs_that_cannot_be_listed_is_an_error_and_no_empty_one() {
        let place = tempfile::tempdir().unwrap();
        let runs = place.path().join("runs");
        assert_eq!(list(&runs).unwrap(), []);
        fs::write(&runs, "x").unwrap();
        assert!(list(&runs).unwrap_err().refusal.message.contains(&runs.display().to_string()));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told_at_its_run() {
        for file in
            [files::run::LOG, files::run::RECIPE, files::run::SUMMARY, "replay/games", "replay/games/00001"]
        {
            let (runs, toy) = two_runs();
            assert_eq!(problem(runs.path()), "");
            let path = toy.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if file.starts_with("replay") {
                fs::write(&path, "no folder").unwrap();
            } else {
                let _ = fs::remove_file(&path);
                fs::create_dir(&path).unwrap();
            }
            let problem = problem(runs.path());
            assert!(problem.contains(&path.display().to_string()) && !problem.contains("; "), "{problem}");
            let run = find(runs.path(), "toy").unwrap().summary;
            assert_eq!(run.step, if file == files::run::LOG { 0 } else { 7 });
            assert_eq!(run.command, if file.starts_with("replay") { "selfplay" } else { "train" });
        }
    }

    #[test]
    fn a_damaged_file_is_told_at_its_run_and_all_of_them_together() {
        let (runs, toy) = two_runs();
        fs::write(toy.join(files::run::LOG), "{\"kind\":\"step\",\"step\":7}\nnonsense\n{\"ki").unwrap();
        let log = problem(runs.path());
        assert!(log.starts_with(&format!("{}: byte 25: ", toy.join(files::run::LOG).display())), "{log}");
        fs::write(toy.join(files::run::SUMMARY), "{\"ending\":\"fin").unwrap();
        let both = problem(runs.path());
        let outcome = format!("; {}: found no JSON (EOF", toy.join(files::run::SUMMARY).display());
        assert!(both.starts_with(&log) && both.contains(&outcome), "{both}");
        let run = find(runs.path(), "toy").unwrap();
        assert_eq!((run.summary.step, run.summary.status, run.outcome), (7, RunStatus::Done, None));
    }

    #[test]
    fn the_recipe_of_a_replay_store_is_read_where_the_run_has_none() {
        let (runs, toy) = two_runs();
        fs::create_dir(toy.join("replay")).unwrap();
        fs::write(toy.join("replay/run.json"), r#"{"recipe":"seed = 1"}"#).unwrap();
        assert_eq!(find(runs.path(), "toy").unwrap().recipe, "seed = 1");
        fs::write(toy.join("replay/run.json"), "{").unwrap();
        let run = find(runs.path(), "toy").unwrap();
        assert!(run.recipe.is_empty() && run.summary.problem.unwrap().contains("run.json is broken"));
        fs::write(toy.join(files::run::RECIPE), "seed = 2").unwrap();
        assert_eq!(find(runs.path(), "toy").unwrap().recipe, "seed = 2");
    }

    /// For three minutes a run that was killed was said to be training.
    #[test]
    fn the_lock_of_a_run_tells_whether_it_is_at_work() {
        let (runs, toy) = two_runs();
        let status = || find(runs.path(), "toy").unwrap().summary.status;
        assert_eq!(status(), RunStatus::Running, "its log is new");
        let lock = FolderLock::take(&toy).unwrap();
        let long_ago = UNIX_EPOCH + Duration::from_secs(1);
        fs::File::options()
            .append(true)
            .open(toy.join(files::run::LOG))
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
        assert_eq!(status(), RunStatus::Running, "it takes its time");
        drop(lock);
        assert_eq!(status(), RunStatus::Silent);
        let ahead = SystemTime::now() + Duration::from_hours(5);
        fs::File::options()
            .append(true)
            .open(toy.join(files::run::LOG))
            .unwrap()
            .set_modified(ahead)
            .unwrap();
        assert_eq!(status(), RunStatus::Silent, "the clock has jumped back");
        // As a killed process leaves it.
        fs::write(runs.path().join(".toy.lock"), "999999").unwrap();
        fs::write(toy.join(files::run::LOG), "{\"kind\":\"step\",\"step\":8}\n").unwrap();
        assert_eq!(status(), RunStatus::Silent);
    }

    /// After Ctrl-C the lock file is gone, and the log is new.
    #[test]
    fn a_run_that_was_stopped_is_said_to_have_stopped_at_once() {
        let (runs, toy) = two_runs();
        let status = || find(runs.path(), "toy").unwrap().summary.status;
        let lock = FolderLock::take(&toy).unwrap();
        files::claim(&toy, &FolderKind::TRAINING).unwrap();
        assert_eq!(status(), RunStatus::Running);
        drop(lock);
        assert_eq!(status(), RunStatus::Silent);
    }

    #[test]
    fn a_run_is_of_the_command_that_claimed_its_folder() {
        for (kind, command) in [
            (FolderKind::TRAINING, "train"),
            (FolderKind::SELF_PLAY, "selfplay"),
            (FolderKind::REINFORCE, "reinforce"),
        ] {
            let (runs, toy) = two_runs();
            files::claim(&toy, &kind).unwrap();
            assert_eq!(find(runs.path(), "toy").unwrap().summary.command, command);
        }
    }

    #[test]
    fn notes_that_cannot_be_read_are_an_error() {
        let (runs, toy) = two_runs();
        fs::create_dir(toy.join("notes.txt")).unwrap();
        assert!(find(runs.path(), "toy").unwrap_err().refusal.message.contains("notes.txt"));
        assert_eq!(list(runs.path()).unwrap().len(), 2);
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
