//! `tabiya metrics` as its users run it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::{
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

const GAME: &str = "[WhiteElo \"1510\"]\n[BlackElo \"1580\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O \
    Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O *\n\n";
const POSITIONS: &str =
    "game_id,fen,a,b,human\n0,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,e2e4,d2d4,e2e4\n";

fn metrics(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .arg("metrics")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn stage() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("g.pgn"), GAME.repeat(3)).unwrap();
    std::fs::write(folder.path().join("p.csv"), POSITIONS).unwrap();
    folder
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn people_and_references_are_compared_with_baselines_beside_them() {
    let folder = stage();
    let judged = ["human", "default,nodes=1", "g.pgn", "--judge", "net=material,nodes=20", "--json"];
    let human = json(&metrics(folder.path(), &judged));
    assert_eq!(human["kind"], "tabiya-human-1");
    let overall = &human["matched"]["overall"];
    assert_eq!((&overall["games"], &overall["matched"]["samples"]), (&3.into(), &12.into()));
    assert!(overall["random"].as_f64().unwrap() > 0.0);
    let names: Vec<&Value> = human["losses"].as_array().unwrap().iter().map(|loss| &loss["player"]).collect();
    assert_eq!(names, ["player", "people", "random"]);

    let arguments = ["agreement", "material", "p.csv", "--first", "a", "--second", "b", "--compare", "human"];
    let agreement = json(&metrics(folder.path(), &[&arguments[..], &["--json"]].concat()));
    let names: Vec<&Value> =
        agreement["baselines"].as_array().unwrap().iter().map(|table| &table["player"]).collect();
    assert_eq!(names, ["random", "first legal", "material", "human"]);
    assert_eq!(agreement["baselines"][3]["counts"], serde_json::json!([0.0, 1.0, 0.0, 0.0]));
    let shown = String::from_utf8(metrics(folder.path(), &arguments).stdout).unwrap();
    assert!(shown.contains("legacy: accuracy") && shown.contains("both "), "{shown}");
}

#[test]
fn bad_input_is_named() {
    let folder = stage();
    std::fs::write(folder.path().join("unrated.pgn"), "[Result \"*\"]\n\n1. e4 *\n\n").unwrap();
    for (arguments, code, expected) in [
        (&["human", "default"][..], 2, "required arguments"),
        (&["human", "random", "none.pgn"], 1, "none.pgn"),
        (&["human", "random", "unrated.pgn"], 1, "no position of two players in one rating band"),
        (&["agreement", "random", "p.csv", "--first", "x", "--second", "b"], 1, "expected x among them"),
        (&["agreement", "random", "g.pgn", "--first", "a", "--second", "b"], 1, "g.pgn:1"),
    ] {
        let output = metrics(folder.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(message.contains(expected) && output.stdout.is_empty(), "{arguments:?}: {message}");
    }
}
