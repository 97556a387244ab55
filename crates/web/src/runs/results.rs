//! Results on disk: what `tabiya match`, `ladder`, `suite` and `metrics` print with `--json`, the folders in
//! which matches and ladders work, and the folders of `tabiya report`.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use files::{OutputError, entries, read_at_most};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::is_plain;
use crate::error::ApiError;

/// Largest file that is read whole.
const MOST_BYTES: u64 = 16 << 20;

/// List on the page that shows a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResultKind {
    /// Two players, many games.
    Match,
    /// One player against levels of known rating.
    Ladder,
    /// Several players against each other.
    Tournament,
    /// Positions and puzzles to solve.
    Suite,
    /// Several results that `tabiya report` put together.
    Report,
    /// A match or ladder at work.
    Running,
    /// A report without a list of its own, or something unknown.
    Other,
}

impl From<files::run::ResultKind> for ResultKind {
    fn from(kind: files::run::ResultKind) -> Self {
        match kind {
            files::run::ResultKind::Match => Self::Match,
            files::run::ResultKind::Tournament => Self::Tournament,
            files::run::ResultKind::Ladder => Self::Ladder,
            files::run::ResultKind::Suite => Self::Suite,
            files::run::ResultKind::Report => Self::Report,
            files::run::ResultKind::Strength
            | files::run::ResultKind::Human
            | files::run::ResultKind::Agreement
            | files::run::ResultKind::Value
            | files::run::ResultKind::Comparison
            | files::run::ResultKind::Regression
            | files::run::ResultKind::Validation => Self::Other,
        }
    }
}

/// A result with its content.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ResultSummary {
    /// Name of its file without the extension, or of its folder.
    pub(crate) id: String,
    /// Kind of the result.
    pub(crate) kind: ResultKind,
    /// Time of writing, seconds since 1970.
    pub(crate) modified: u64,
    /// The report as the command printed it, without its list of games; `{"games": N}` while it runs, `null` if it cannot be read.
    #[schema(value_type = Option<std::collections::BTreeMap<String, Value>>)]
    pub(crate) report: Value,
    /// True if the games are available as PGN.
    pub(crate) pgn: bool,
    /// The reason why it is unreadable, if it is.
    pub(crate) problem: Option<String>,
}

/// All results in a folder, the newest first; empty if the folder does not exist.
pub(crate) fn results(folder: &Path) -> Result<Vec<ResultSummary>, OutputError> {
    let mut found: Vec<ResultSummary> = entries(folder)?.iter().filter_map(|path| read(path)).collect();
    found.sort_by(|first, second| second.modified.cmp(&first.modified).then(first.id.cmp(&second.id)));
    Ok(found)
}

/// Names and modification times, without reading any file: they change whenever [`results`] does.
pub(crate) fn stamps(folder: &Path) -> Result<Vec<(String, u64, u64)>, OutputError> {
    let mut stamps = Vec::new();
    for path in entries(folder)? {
        let Some(name) = path.file_name() else { continue };
        let name = name.to_string_lossy().into_owned();
        // The time of a folder changes with the names in it, not with the file that grows.
        let inner = [files::run::RESULT, files::run::GAMES_JOURNAL, files::run::REPORT];
        let file = inner.map(|inner| path.join(inner)).into_iter().find(|file| file.is_file());
        let (modified, bytes) = modified_and_bytes(file.as_ref().unwrap_or(&path));
        stamps.push((name, modified, bytes));
    }
    Ok(stamps)
}

/// The games of a match or ladder.
pub(crate) fn pgn(folder: &Path, id: &str) -> Result<String, ApiError> {
    let place = place(folder, id)?;
    text(&[place.join(files::run::GAMES_PGN), with_ending(&place, "pgn")], "list of games", id)
}

/// A path with an ending added, even if it already has one.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}.{ending}", path.display()))
}

/// Path of a result.
fn place(folder: &Path, id: &str) -> Result<PathBuf, ApiError> {
    if is_plain(id) { Ok(folder.join(id)) } else { Err(ApiError::missing("result", id)) }
}

fn text(files: &[PathBuf], what: &str, id: &str) -> Result<String, ApiError> {
    let file = files.iter().find(|file| file.is_file()).ok_or_else(|| ApiError::missing(what, id))?;
    let text = read_at_most(file, MOST_BYTES)
        .map_err(|error| error.to_string())
        .and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
    text.map_err(|reason| ApiError::failed(format!("{}: {reason}", file.display())))
}

fn read(path: &Path) -> Option<ResultSummary> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    if path.is_dir() {
        return folder_of_games(path, name);
    }
    let id = path.file_stem()?.to_string_lossy().into_owned();
    match path.extension()?.to_str()? {
        "json" if !name.ends_with(files::run::STRENGTH_ENDING) => Some(from_json(path, id)),
        _ => None,
    }
}

/// The folder of a match, a ladder or a report, finished or in progress.
fn folder_of_games(path: &Path, id: String) -> Option<ResultSummary> {
    let pgn = path.join(files::run::GAMES_PGN).is_file();
    if path.join(files::run::RESULT).is_file() {
        return Some(ResultSummary { pgn, ..from_json(&path.join(files::run::RESULT), id) });
    }
    if path.join(files::run::GAMES_JOURNAL).is_file() {
        let games = path.join(files::run::GAMES_JOURNAL);
        let (report, problem) = match count_lines(&games) {
            Ok(lines) => (serde_json::json!({ "games": lines }), None),
            Err(error) => (Value::Null, Some(format!("cannot read {}: {error}", games.display()))),
        };
        return Some(ResultSummary { pgn, problem, ..summary(&games, id, ResultKind::Running, report) });
    }
    path.join(files::run::REPORT).is_file().then(|| from_json(&path.join(files::run::REPORT), id))
}

/// The number of lines of a file, which may be longer than [`MOST_BYTES`].
fn count_lines(file: &Path) -> io::Result<usize> {
    let (mut file, mut lines) = (BufReader::new(File::open(file)?), 0);
    while file.skip_until(b'\n')? > 0 {
        lines += 1;
    }
    Ok(lines)
}

fn summary(file: &Path, id: String, kind: ResultKind, report: Value) -> ResultSummary {
    let (modified, _) = modified_and_bytes(file);
    ResultSummary { id, kind, modified, report, pgn: false, problem: None }
}

/// Seconds since 1970 and size; zeros for a file whose metadata cannot be read. The file stays in the list;
/// opening it reports the error.
fn modified_and_bytes(file: &Path) -> (u64, u64) {
    let Ok(data) = fs::metadata(file) else { return (0, 0) };
    let modified = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (modified.map_or(0, |time| time.as_secs()), data.len())
}

fn from_json(path: &Path, id: String) -> ResultSummary {
    let (mut report, problem) = match parsed(path) {
        Ok(report) => (report, None),
        Err(problem) => (Value::Null, Some(format!("{}: {problem}", path.display()))),
    };
    if let Some(entries) = report.as_object_mut() {
        entries.remove("game_list");
    }
    let pgn = path.with_extension("pgn").is_file();
    ResultSummary { pgn, problem, ..summary(path, id, kind(&report), report) }
}

/// Parses a results file; the error names the actual content.
fn parsed(path: &Path) -> Result<Value, String> {
    let bytes = read_at_most(path, MOST_BYTES).map_err(|error| error.to_string())?;
    if bytes.is_empty() {
        // A `tabiya match --json > FILE` that is at work or was stopped: the parser would report a line and a column.
        return Err("found an empty file, expected what a command prints with --json".into());
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| format!("found no JSON ({error}), expected what a command prints with --json"))
}

fn kind(report: &Value) -> ResultKind {
    match report["kind"].as_str() {
        Some(kind) => files::run::ResultKind::of_any_version(kind).map_or(ResultKind::Other, Into::into),
        // Reports older than the field for their kind.
        None if report.get("levels").is_some() => ResultKind::Ladder,
        None if report.pointer("/conditions/players").is_some() => ResultKind::Match,
        None => ResultKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_listed_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let [none, file] = ["none", "file"].map(|name| folder.path().join(name));
        assert_eq!((results(&none).unwrap(), stamps(&none).unwrap()), (vec![], vec![]));
        fs::write(&file, "x").unwrap();
        for error in [results(&file).map(drop), stamps(&file).map(drop)] {
            assert!(error.unwrap_err().to_string().contains(&file.display().to_string()));
        }
    }

    #[test]
    fn a_result_that_cannot_be_looked_at_is_listed_with_its_problem() {
        let folder = tempfile::tempdir().unwrap();
        let result = from_json(&folder.path().join("gone.json"), "gone".into());
        assert_eq!((result.id.as_str(), result.modified, &result.report), ("gone", 0, &Value::Null));
        assert!(result.problem.unwrap().contains("gone.json: "));
    }

    #[test]
    fn reports_are_known_by_their_content_and_broken_ones_are_said() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write("a.json", r#"{"conditions":{"players":[]},"game_list":[1]}"#);
        write("b.json", r#"{"kind":"tabiya-ladder-1","levels":[]}"#);
        write("c.json", "{");
        write("d.txt", "{}");
        write("e/result.json", r#"{"kind":"tabiya-match-1"}"#);
        write("e/games.pgn", "1. e4 *");
        write("f/games.jsonl", "{}\n{}\n");
        write("g/report.json", r#"{"kind":"tabiya-report-1"}"#);
        write("h.json", "");
        write("i.json", r#"{"kind":"tabiya-suite-2"}"#);
        write("j.json", r#"{"kind":"tabiya-nonsense-1","levels":[]}"#);
        write("net.strength.json", "{}");
        let mut found = results(folder.path()).unwrap();
        found.sort_by(|first, second| first.id.cmp(&second.id));
        let kinds: Vec<(&str, ResultKind)> =
            found.iter().map(|result| (result.id.as_str(), result.kind)).collect();
        assert_eq!(
            kinds,
            [
                ("a", ResultKind::Match),
                ("b", ResultKind::Ladder),
                ("c", ResultKind::Other),
                ("e", ResultKind::Match),
                ("f", ResultKind::Running),
                ("g", ResultKind::Report),
                ("h", ResultKind::Other),
                ("i", ResultKind::Suite),
                ("j", ResultKind::Other),
            ]
        );
        assert!(found[0].report.get("game_list").is_none());
        let problem = |index: usize| found[index].problem.clone().unwrap_or_default();
        let path = |name: &str| folder.path().join(name).display().to_string();
        assert!(problem(2).starts_with(&format!("{}: found no JSON (EOF", path("c.json"))), "{}", problem(2));
        let expected = "found an empty file, expected what a command prints with --json";
        assert_eq!(problem(6), format!("{}: {expected}", path("h.json")));
        assert_eq!((found[3].pgn, found[4].report["games"].as_u64()), (true, Some(2)));
        assert_eq!(pgn(folder.path(), "e").unwrap(), "1. e4 *");
        for id in ["", "..", "../e", "/etc", "d", "nothing"] {
            assert!(pgn(folder.path(), id).is_err(), "{id}");
        }
    }
}
