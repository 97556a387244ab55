//! `tabiya data sql` as a user runs it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::{
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

const GAMES: &str = "\
[White \"Anderssen\"]
[Result \"1-0\"]
[ECO \"C20\"]

{ [%eval 0.2] } 1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 2. Qh5 { [%eval 0.0] } Nc6 { [%eval 0.1] } 1-0

[White \"Morphy\"]
[Result \"1/2-1/2\"]

1. d4 d5 2. c4 1/2-1/2
";

fn folder_with_store() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    let built = tabiya(folder.path(), &["data", "build", "store", "games.pgn"]);
    assert!(built.status.success(), "{built:?}");
    folder
}

fn tabiya(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya")).args(arguments).current_dir(folder).output().unwrap()
}

fn sql(folder: &Path, arguments: &[&str]) -> String {
    let output = tabiya(folder, &[&["data", "sql"], arguments].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn failure(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = tabiya(folder, &[&["data", "sql"], arguments].concat());
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_query_is_answered_as_table_csv_and_json_lines() {
    let folder = folder_with_store();
    let ask = |format: &[&str]| {
        let query = "SELECT san(position, best_move) AS move, centipawns FROM positions WHERE eco = 'C20' ORDER BY ply";
        sql(folder.path(), &[&[query, "store"], format].concat())
    };
    assert_eq!(ask(&["--csv"]), "move,centipawns\ne4,20\ne5,-30\nQh5,20\nNc6,0\n");
    let json = ask(&["--json", "--threads", "1", "--memory", "64"]);
    let rows: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((rows.len(), &rows[3]), (4, &serde_json::json!({"move": "Nc6", "centipawns": 0})));
    let table = ask(&[]);
    assert!(table.contains("| move | centipawns |") && table.contains("| Qh5  | 20         |"), "{table}");
}

#[test]
fn named_queries_take_one_store_or_more() {
    let folder = folder_with_store();
    let results = sql(folder.path(), &["--query", "results", "store", "--csv"]);
    assert_eq!(results, "split,white,draw,black,unknown\ntrain,1,1,0,0\n");
    std::fs::write(folder.path().join("more.pgn"), "1. c4 0-1\n").unwrap();
    assert!(tabiya(folder.path(), &["data", "build", "more", "more.pgn"]).status.success());
    let both = sql(folder.path(), &["--csv", "--query", "results", "store", "more"]);
    assert_eq!(both, "split,white,draw,black,unknown\ntrain,1,1,1,0\n");
}

#[test]
fn the_list_names_tables_functions_and_queries() {
    let folder = tempfile::tempdir().unwrap();
    let list = sql(folder.path(), &["--list"]);
    for name in ["positions", "games", "legal_moves(position)", "win_probability(", "leaks", "duplicates"] {
        assert!(list.contains(name), "{name}: {list}");
    }
}

#[test]
fn what_cannot_be_answered_says_why() {
    let folder = folder_with_store();
    let unknown = failure(folder.path(), &["--query", "leak", "store"], 1);
    assert!(unknown.contains("\"leak\"") && unknown.contains("leaks, openings"), "{unknown}");
    let alone = failure(folder.path(), &["SELECT 1"], 1);
    assert!(alone.contains("expected at least one"), "{alone}");
    let twice = failure(folder.path(), &["SELECT 1", "store", "store"], 1);
    assert!(twice.contains("found store twice"), "{twice}");
    let missing = failure(folder.path(), &["SELECT 1", "nowhere"], 1);
    assert!(missing.contains("nowhere"), "{missing}");
    let wrong = failure(folder.path(), &["SELECT fan(position) FROM positions", "store"], 1);
    assert!(wrong.contains("the query failed") && wrong.contains("fan"), "{wrong}");
    failure(folder.path(), &[], 2);
    failure(folder.path(), &["SELECT 1", "store", "--csv", "--json"], 2);
}
