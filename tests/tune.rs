//! `tabiya tune` as a user runs it.
#![allow(clippy::unwrap_used, reason = "what a test builds is known to be right")]

use std::{
    path::Path,
    process::{Command, Output},
};

fn tune(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.args(["tune", "net=material,nodes=20", "--pairs", "1", "--iterations", "3", "--max-moves", "12"]);
    command.args(arguments).arg("--out").arg(folder).output().unwrap()
}

fn result(folder: &Path) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("result.json")).unwrap()).unwrap()
}

const VARIED: [&str; 4] = ["--vary", "CPuct=0.5:4:0.4", "--vary", "MaterialNodes=0:100000:20000"];

#[test]
fn what_was_interrupted_ends_as_if_it_had_not_been() {
    let place = tempfile::tempdir().unwrap();
    let (whole, cut) = (place.path().join("whole"), place.path().join("cut"));
    let output = tune(&whole, &VARIED);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("CPuct") && text.contains("option.MaterialNodes="), "{text}");
    let path = result(&whole)["path"].as_array().unwrap().clone();
    assert_eq!(path.len(), 4, "the start and three iterations");
    assert_eq!(path[0][1], 100_000.0);
    assert!(std::fs::read_to_string(whole.join("tuning.svg")).unwrap().contains("CPuct"));

    // The remains of a kill in the second iteration: three games and half a line.
    std::fs::create_dir(&cut).unwrap();
    for file in ["setup.json", "games.pgn", "games.jsonl"] {
        std::fs::copy(whole.join(file), cut.join(file)).unwrap();
    }
    let journal = std::fs::read_to_string(cut.join("games.jsonl")).unwrap();
    let end = journal.match_indices('\n').nth(2).unwrap().0 + 10;
    std::fs::write(cut.join("games.jsonl"), &journal[..end]).unwrap();
    assert!(!tune(&cut, &VARIED).status.success(), "without --resume");
    let output = tune(&cut, &[&VARIED[..], &["--resume"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(result(&cut)["path"], result(&whole)["path"]);
    let games = std::fs::read_to_string(cut.join("games.pgn")).unwrap().matches("[Event ").count();
    assert_eq!(games, 6, "none lost, none doubled");
}

#[test]
fn bad_input_is_named() {
    let place = tempfile::tempdir().unwrap();
    for (arguments, code, expected) in [
        (&["--vary", "CPuckt=1:2"][..], 2, "CPuckt"),
        (&["--vary", "CPuct=1:2", "--vary", "cpuct=1:3"], 1, "given twice"),
        (&["--vary", "CPuct=3:4"], 1, "expected a start within the range"),
        (&["--vary", "CPuct=1:4", "--rate", "0"], 1, "expected a number above 0"),
    ] {
        let output = tune(&place.path().join("none"), arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(!place.path().join("none").exists(), "nothing is left behind");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["tune", "random", "--vary", "CPuct=1:2", "--out", "nowhere"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("expected net=PATH or default"));
}
