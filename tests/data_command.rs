//! `tabiya data` as a user runs it: from files of games to a store and what is in it, and what happens to bad files.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::{
    fmt::Write as _,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

/// Two whole games, one of them analysed, and one with an illegal move between them.
const GAMES: &str = "\
[White \"Anderssen\"]
[Result \"1-0\"]

{ [%eval 0.2] } 1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 2. Qh5 { [%eval 0.0] } Nc6 { [%eval 0.1] } 1-0

[White \"Broken\"]
[Result \"0-1\"]

1. e4 e5 2. Ke3 0-1

[White \"Morphy\"]
[Result \"1/2-1/2\"]

1. d4 d5 2. c4 1/2-1/2
";

fn folder_of_games() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    folder
}

fn tabiya(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya")).args(arguments).current_dir(folder).output().unwrap()
}

fn success(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = tabiya(folder, arguments);
    assert!(output.status.success(), "{output:?}");
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn failure(folder: &Path, arguments: &[&str]) -> String {
    let output = tabiya(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn games_become_a_store_that_is_counted_and_shown() {
    let folder = folder_of_games();
    let folder = folder.path();
    let (summary, reports) =
        success(folder, &["data", "build", "games.store", "games.pgn", "--rejected", "broken.txt"]);
    assert!(summary.starts_with("games.store: 7 positions of 2 games"), "{summary}");
    assert!(reports.contains("games.pgn:9: illegal_move: Ke3 as half-move 3"), "{reports}");
    assert_eq!(std::fs::read_to_string(folder.join("broken.txt")).unwrap(), reports);

    let (text, _) = success(folder, &["data", "stats", "games.store", "--json"]);
    let statistics: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&statistics["games"], &statistics["positions"]), (&2.into(), &7.into()));
    assert_eq!(statistics["rejected"]["illegal_move"], 1);
    assert!(statistics["results"].is_object(), "{text}");

    let (shown, _) = success(folder, &["data", "show", "games.store"]);
    assert!(shown.contains("FEN ") && shown.contains("best move ") && shown.contains("games.pgn"), "{shown}");
}

#[test]
fn bad_files_are_named_and_leave_nothing() {
    let folder = folder_of_games();
    let folder = folder.path();
    std::fs::write(folder.join("empty.pgn"), "").unwrap();
    std::fs::write(folder.join("binary.pgn"), [0x4d, 0x5a, 0, 3, 0, 0, 0xff, 0xfe]).unwrap();
    std::fs::write(folder.join("broken.pgn"), "1. e4 e5 2. Ke3 *\n").unwrap();
    let before = names(folder);
    for (input, expected) in [
        ("empty.pgn", "empty.pgn at byte 0: found an empty file, expected PGN"),
        ("binary.pgn", "binary.pgn at byte 2: found a zero byte"),
        ("broken.pgn", "no sample to store: 1 games read, 1 broken"),
        ("nowhere.pgn", "cannot open nowhere.pgn"),
    ] {
        let message = failure(folder, &["data", "build", "games.store", input]);
        assert!(message.contains(expected), "{input}: {message}");
        assert_eq!(names(folder), before, "{input}");
    }
    let message = failure(folder, &["data", "stats", "nowhere"]);
    assert!(message.contains("nowhere is no readable sample store: found nothing"), "{message}");
    let message = failure(folder, &["data", "show", "."]);
    assert!(message.contains("no readable sample store: found no manifest.json"), "{message}");

    success(folder, &["data", "build", "games.store", "games.pgn"]);
    let message = failure(folder, &["data", "build", "games.store", "games.pgn"]);
    assert!(message.contains("games.store exists already"), "{message}");
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_no_half_store() {
    let folder = folder_of_games();
    let folder = folder.path();
    let mut games = String::new();
    for number in 0..400 {
        write!(
            games,
            "[White \"{number}\"]\n\n1. {} {} *\n\n",
            ["e4", "d4"][number % 2],
            ["e5", "c5"][number / 2 % 2]
        )
        .unwrap();
    }
    std::fs::write(folder.join("many.pgn"), games).unwrap();
    let before = names(folder);
    // A limit of one block on the size of a file stands for the full disk: the write fails in the same place.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" data build games.store many.pgn --keep-duplicates";
    let output = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_tabiya")])
        .current_dir(folder)
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("cannot write games.store.partial/"), "{message}");
    assert_eq!(names(folder), before);
}
