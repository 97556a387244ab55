//! Results on disk: the reports that `tabiya match --json` and its like print, kept as files by their users.

use std::{fs, path::Path, time::UNIX_EPOCH};

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Largest report that is read.
const MOST_BYTES: u64 = 16 << 20;

/// What a report is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResultKind {
    /// Two players, many games.
    Match,
    /// One player against levels of known rating.
    Ladder,
    /// Something else.
    Other,
}

/// A report with its content.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ResultSummary {
    /// Its file's name without the ending.
    pub(crate) id: String,
    /// What it is about.
    pub(crate) kind: ResultKind,
    /// When it was written, seconds since 1970.
    pub(crate) modified: u64,
    /// The report as the command printed it, without its list of games.
    #[schema(value_type = Object)]
    pub(crate) report: Value,
    /// Why it cannot be read, where it cannot.
    pub(crate) problem: Option<String>,
}

/// All reports of a folder, the newest first; none where there is no such folder.
pub(crate) fn results(folder: &Path) -> Vec<ResultSummary> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let files = entries.flatten().map(|entry| entry.path());
    let reports = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut found: Vec<ResultSummary> = reports.filter_map(|path| read(&path)).collect();
    found.sort_by(|first, second| second.modified.cmp(&first.modified).then(first.id.cmp(&second.id)));
    found
}

fn read(path: &Path) -> Option<ResultSummary> {
    let data = fs::metadata(path).ok()?;
    let modified = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let id = path.file_stem()?.to_string_lossy().into_owned();
    let parsed: Result<Value, String> = if data.len() > MOST_BYTES {
        Err(format!("found {} bytes, expected at most {MOST_BYTES}", data.len()))
    } else {
        let bytes = fs::read(path).map_err(|error| error.to_string());
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()))
    };
    let (mut report, problem) = match parsed {
        Ok(report) => (report, None),
        Err(problem) => (Value::Null, Some(problem)),
    };
    if let Some(entries) = report.as_object_mut() {
        entries.remove("game_list");
    }
    Some(ResultSummary { id, kind: kind(&report), modified, report, problem })
}

fn kind(report: &Value) -> ResultKind {
    if report.get("levels").is_some() || report.get("rungs").is_some() {
        ResultKind::Ladder
    } else if report.pointer("/conditions/players").is_some() {
        ResultKind::Match
    } else {
        ResultKind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_known_by_their_content_and_broken_ones_are_said() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.json"), r#"{"conditions":{"players":[]},"game_list":[1]}"#).unwrap();
        fs::write(folder.path().join("b.json"), r#"{"levels":[]}"#).unwrap();
        fs::write(folder.path().join("c.json"), "{").unwrap();
        fs::write(folder.path().join("d.txt"), "{}").unwrap();
        let mut found = results(folder.path());
        found.sort_by(|first, second| first.id.cmp(&second.id));
        let kinds: Vec<ResultKind> = found.iter().map(|result| result.kind).collect();
        assert_eq!(kinds, [ResultKind::Match, ResultKind::Ladder, ResultKind::Other]);
        assert!(found[0].report.get("game_list").is_none());
        assert!(found[2].problem.is_some());
    }
}
