//! Turns the JSON of every command into a section of a report.

mod comparison;
mod games;
mod moves;
mod training;

use std::path::Path;

use files::run::ResultKind;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::document::{Section, SectionRating, Table};
use crate::matches::given_name;

/// A file that is not a result.
#[derive(Debug, thiserror::Error)]
#[error("{source_file}: {reason}")]
pub struct SectionError {
    /// Path of the result file.
    pub source_file: String,
    /// The text found, and the text expected.
    pub reason: String,
}

type Reader = fn(&Value) -> Result<Section, serde_json::Error>;

/// The reader of a kind of result; `None` for a report, which has sections and is not one.
fn reader(kind: ResultKind) -> Option<Reader> {
    Some(match kind {
        ResultKind::Match => games::match_,
        ResultKind::Tournament => games::tournament,
        ResultKind::Ladder => games::ladder,
        ResultKind::Strength => games::strength,
        ResultKind::Suite => moves::suite,
        ResultKind::Human => moves::human,
        ResultKind::Agreement => moves::agreement,
        ResultKind::Value => moves::value,
        ResultKind::Comparison => comparison::comparison,
        ResultKind::Regression => training::learners,
        ResultKind::Validation => training::held_out,
        ResultKind::Report => return None,
    })
}

/// Reads the text of a file: the JSON of one of the commands, or the log of a training run (`log.jsonl`).
///
/// # Errors
/// [`SectionError`] for a text of neither kind, or one that lacks a part of its kind.
pub fn section(source_file: &str, text: &str) -> Result<Section, SectionError> {
    let is_log = Path::new(source_file).extension().is_some_and(|extension| extension == "jsonl");
    let section = if is_log { training::log(source_file, text) } else { of_result(source_file, text) };
    section.map_err(|reason| SectionError { source_file: source_file.into(), reason })
}

/// The section of the JSON of a command.
fn of_result(source_file: &str, text: &str) -> Result<Section, String> {
    let expected = "expected the JSON of a command or the log of a training";
    if text.is_empty() {
        return Err(format!("found an empty file, {expected}"));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("found no JSON ({error}), {expected}"))?;
    let kind = value["kind"].as_str().unwrap_or_default();
    let Some(read) = ResultKind::of(kind).and_then(reader) else {
        let known = ResultKind::ALL.into_iter().filter(|&kind| reader(kind).is_some());
        let known: Vec<_> = known.map(ResultKind::text).collect();
        return Err(format!("found the kind {kind:?}, expected one of {}", known.join(", ")));
    };
    let section = read(&value).map_err(|error| error.to_string())?;
    Ok(Section { source: source_file.into(), data: without_games(value), ..section })
}

/// A result without its lists of games, which can be millions of moves and are not part of a report.
fn without_games(mut value: Value) -> Value {
    let matches = value.get_mut("matches").and_then(Value::as_array_mut);
    for one in matches.into_iter().flatten() {
        *one = without_games(one.take());
    }
    if let Some(entries) = value.as_object_mut() {
        entries.remove("game_list");
    }
    value
}

fn empty(title: String) -> Section {
    Section { title, ..Section::default() }
}

fn part<T: DeserializeOwned>(value: &Value) -> Result<T, serde_json::Error> {
    T::deserialize(value)
}

impl Section {
    fn table(&mut self, header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        let header = header.iter().map(ToString::to_string).collect();
        self.tables.push(Table { header, rows: rows.into_iter().collect() });
    }
}

/// A player's name for titles and charts: its given name or, without one, its text without the folder and
/// extension of its file. The provenance has the full text.
fn short(name: &str) -> String {
    let given = given_name(name);
    if given != name {
        return given.into();
    }
    let (player, rest) =
        name.split_once(',').map_or((name, ""), |(player, _)| (player, &name[player.len()..]));
    let Some((_kind, path)) = player.split_once('=') else { return name.into() };
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = [".tabiya", ".pb.gz", ".pb"].iter().find_map(|ending| file.strip_suffix(ending));
    format!("{}{rest}", stem.unwrap_or(file))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::document::Document;

    #[test]
    fn every_kind_of_move_metric_becomes_a_section() {
        let share = json!({"value": 0.5, "lower": 0.4, "upper": 0.6, "samples": 100});
        let group = json!({"name": "600-799", "solved": share, "random": 0.1, "first_legal": 0.1, "material": 0.2,
            "rating": null});
        let rated = json!({"name": "all", "solved": share, "random": 0.1, "first_legal": 0.1, "material": 0.2,
            "rating": {"elo": 1500.0, "lower": 1450.0, "upper": 1550.0, "games": 100}});
        let suite = json!({"kind": "tabiya-suite-1", "player": "p", "pace": "1 nodes", "machine": "m", "program": "t",
            "suites": [{"suite": "s.epd", "solved": share, "points": share, "random": {"solved": 0.1, "points": 0.1},
                "first_legal": {"solved": 0.1, "points": null}, "material": {"solved": 0.1, "points": null}, "answers": []}],
            "puzzles": [{"puzzles": "p.csv", "overall": rated, "bands": [group], "themes": [rated], "failures": 0, "solved": []}]});
        let band = json!({"band": 1500, "games": 3, "matched": share, "random": 0.05, "first_legal": 0.05,
            "material": 0.1});
        let human = json!({"kind": "tabiya-human-1", "player": "p", "pace": "1 nodes", "machine": "m", "program": "t",
            "matched": {"bands": [band], "overall": band, "failures": 0},
            "losses": [{"player": "people", "mean": share, "expected": share, "blunders": share}], "judge": "uci=x"});
        let agreed = json!({"player": "p", "positions": 100, "counts": [50.0, 1.0, 2.0, 47.0], "first": share, "second": share,
            "references": share, "where_agreed": share, "legacy": {"accuracy": 0.5, "precision": 0.9, "recall": 0.9, "f1": 0.9,
            "true_positives": 50.0, "false_positives": 1.0, "false_negatives": 2.0, "true_negatives": 3.0}});
        let mut other = agreed.clone();
        other["player"] = json!("another setting");
        let agreement = json!({"kind": "tabiya-agreement-1", "player": "p", "pace": "1 nodes", "machine": "m", "program": "t",
            "table": agreed, "baselines": [agreed], "others": [{"table": other}]});
        let level = |nodes: u64, elo: f64| {
            json!({"nodes": nodes, "temperature": 0.0, "elo": elo, "lower": elo - 90.0,
            "upper": elo + 90.0, "games": 10})
        };
        let strength = json!({"kind": "tabiya-strength-1", "network": "n", "network_hash": "abc", "conditions": "c",
            "levels": [level(1, 1000.0), level(10, 1200.0), level(100, 1300.0)]});
        let bin = json!({"from": 0.4, "to": 0.5, "expected": 0.45, "scored": share});
        let curve = json!({"player": "p", "bins": [bin], "brier": share, "error": share});
        let value = json!({"kind": "tabiya-value-1", "player": "p", "pace": "1 nodes", "machine": "m", "program": "t",
            "identity": [["network hash", "abcdef"]], "calibration": curve, "baselines": [curve]});
        let sections: Vec<Section> = [suite, human, agreement, strength, value]
            .iter()
            .map(|value| section("a.json", &value.to_string()).unwrap())
            .collect();
        let document = Document::new("T <1> | 2", sections);
        let text = document.markdown();
        for expected in [
            "# T &lt;1&gt; \\| 2",
            "50.0 % (40.0 to 60.0)",
            "1500 (1450 to 1550)",
            "precision",
            "another setting",
            "people",
            "- machine: m",
            "- network hash: abcdef",
            "calibration error",
        ] {
            assert!(text.contains(expected), "{expected} is missing in {text}");
        }
    }

    /// The facts needed to reproduce a player vanished from the report.
    #[test]
    fn an_identity_of_another_form_is_refused() {
        let suite = |identity: Value| {
            let suite = json!({"kind": "tabiya-suite-1", "player": "p", "suites": [], "puzzles": [], "identity": identity});
            section("a.json", &suite.to_string())
        };
        assert!(suite(Value::Null).unwrap().provenance.iter().all(|(name, _)| name != "recipe"));
        assert!(suite(json!([["recipe", "r"]])).unwrap().provenance.contains(&("recipe".into(), "r".into())));
        let error = suite(json!({"recipe": "r"})).unwrap_err().to_string();
        assert!(error.starts_with("a.json: identity: invalid type: map"), "{error}");
    }

    #[test]
    fn markup_in_names_stays_text() {
        let name = "<img src=x onerror=alert(1)>\u{1b}[31m";
        let level = json!({"nodes": 1, "temperature": 0.0, "elo": 1000.0, "lower": 900.0, "upper": 1100.0, "games": 10});
        let table = json!({"kind": "tabiya-strength-1", "network": name, "network_hash": name, "conditions": name,
            "levels": [level]});
        let text = Document::new(name, vec![section("a.json", &table.to_string()).unwrap()]).markdown();
        assert!(!text.contains("<img") && !text.contains('\u{1b}'), "{text}");
        assert!(text.contains("&lt;img src=x onerror=alert(1)&gt;"), "{text}");
    }

    #[test]
    fn lists_of_games_are_left_out() {
        let found = without_games(json!({"game_list": [1], "matches": [{"game_list": [2], "games": 3}]}));
        assert_eq!(found, json!({"matches": [{"games": 3}]}));
    }

    #[test]
    fn players_have_short_names() {
        assert_eq!(short("net=a/b/maia-1900.pb.gz,nodes=1"), "maia-1900,nodes=1");
        assert_eq!(short("uci=/usr/games/stockfish,movetime=100"), "stockfish,movetime=100");
        assert_eq!(short("net=runs/x/network.tabiya,nodes=1,name=knights-el"), "knights-el");
        assert_eq!((short("default,nodes=1"), short("random")), ("default,nodes=1".into(), "random".into()));
    }

    #[test]
    fn logs_of_training_become_curves() {
        let text = "{\"kind\":\"step\",\"step\":1,\"policy_loss\":3.0,\"value_loss\":1.0}\n\
            {\"kind\":\"step\",\"step\":2,\"policy_loss\":2.5,\"value_loss\":0.9}\n";
        let section = section("runs/x/log.jsonl", text).unwrap();
        let curves = section.data["curves"].as_array().unwrap();
        assert_eq!(curves.len(), 2);
        assert_eq!(curves[0]["series"][0]["points"], json!([[1.0, 3.0], [2.0, 2.5]]));
        assert!(
            super::section("log.jsonl", "nonsense\n").unwrap_err().to_string().contains("log.jsonl: line 1")
        );
        assert!(super::section("log.jsonl", "").is_err());
    }

    /// The report of a training of values said "last policy loss 0.000".
    #[test]
    fn a_head_that_a_network_lacks_is_not_in_its_section() {
        let text = "{\"kind\":\"step\",\"step\":1,\"policy_loss\":0.0,\"value_loss\":1.0}\n";
        let section = section("log.jsonl", text).unwrap();
        assert_eq!(section.summary, ["1 steps; last value loss 1.000 (training samples, one batch)."]);
        assert_eq!(section.data["curves"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn foreign_files_are_named() {
        let message = |text: &str| section("x.json", text).unwrap_err().to_string();
        assert!(message("nonsense").contains("x.json: found no JSON ("));
        assert_eq!(
            message(""),
            "x.json: found an empty file, expected the JSON of a command or the log of a training"
        );
        assert!(message("{}").contains("expected one of tabiya-match-1"));
        assert!(message("{\"kind\":\"tabiya-match-1\"}").contains("missing field"));
    }
}
