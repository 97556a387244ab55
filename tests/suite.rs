//! `tabiya suite` as its users run it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

#[cfg(unix)]
#[path = "doubles/engine.rs"]
mod double;

#[cfg(unix)]
use std::{io::Write as _, process::Stdio};
use std::{
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

const PUZZLES: &str = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n\
    queen,6k1/5ppp/8/q7/8/8/5PPP/R5K1 b - - 0 1,h7h6 a1a5,900,80,90,100,hangingPiece,url,\n\
    mate,6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1,a2b2 d1d8,1100,80,90,100,mateIn1,url,\n";

fn suite(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .arg("suite")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

#[test]
fn suites_and_puzzles_are_counted_with_their_baselines() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.csv"), PUZZLES).unwrap();
    let epd = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"mate\";\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - am Rd8#; id \"no\";\n";
    std::fs::write(folder.path().join("s.epd"), epd).unwrap();
    let output = suite(folder.path(), &["material", "p.csv", "s.epd", "--threads", "2", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["kind"], "tabiya-suite-1");
    let puzzles = &result["puzzles"][0];
    assert_eq!(puzzles["overall"]["solved"]["value"], 1.0);
    assert_eq!(puzzles["overall"]["material"], 1.0);
    assert!(puzzles["overall"]["random"].as_f64().unwrap() < 0.2);
    assert!(puzzles["overall"]["rating"]["elo"].is_null(), "two of two is a bound");
    assert_eq!(result["suites"][0]["solved"]["value"], 0.5);
    assert_eq!(result["suites"][0]["answers"][1]["played"], "Rd8#");

    let output = suite(folder.path(), &["default,nodes=1", "p.csv", "s.epd", "--sample", "1"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{output:?}");
    for expected in
        ["of 1 puzzles solved; puzzle rating at", "s.epd:", "random", "a sample of 1 of each file"]
    {
        assert!(shown.contains(expected), "{expected:?} is missing in\n{shown}");
    }
}

#[test]
fn lines_that_cannot_be_read_are_skipped_and_puzzles_recognised_by_content() {
    let folder = tempfile::tempdir().unwrap();
    let rows = PUZZLES.split_once('\n').unwrap().1;
    std::fs::write(folder.path().join("puzzles.txt"), rows.replace(',', "\t").replace("a1a5", "a1b5"))
        .unwrap();
    let epd = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8, Rd7;\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Qd4;\n\
               nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - bm e3;\n";
    std::fs::write(folder.path().join("s.epd"), epd).unwrap();
    let output = suite(folder.path(), &["random", "puzzles.txt", "s.epd", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["skipped"], 2);
    assert_eq!(result["puzzles"][0]["overall"]["solved"]["samples"], 1);
    assert_eq!(result["suites"][0]["solved"]["samples"], 2);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("skipped 1 that could not be read") && told.contains("s.epd:2: bm: "), "{told}");
}

/// It was opened twice, to see what it holds and to read it.
#[test]
#[cfg(unix)]
fn a_pipe_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for text in [PUZZLES, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"mate\";\n"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .args(["suite", "material", "/dev/stdin", "--json"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        let [puzzles, suites] = ["puzzles", "suites"].map(|kind| result[kind].as_array().unwrap().len());
        assert_eq!(puzzles + suites, 1, "{result}");
    }
}

#[test]
fn bad_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.epd"), "8/8/4k3/8/8/3K4/4P3/8 w - - bm Qd4;\n").unwrap();
    let bad = PUZZLES.replace("a1a5", "a1b5").replace("a2b2", "a2b9");
    std::fs::write(folder.path().join("bad.csv"), bad).unwrap();
    for (arguments, code, expected) in [
        (&["random"][..], 2, "required arguments"),
        (&["random", "bad.epd", "--threads", "0"], 2, "--threads"),
        (&["random", "none.epd"], 1, "none.epd"),
        (&["random", "bad.epd"], 1, "bad.epd:1: bm: "),
        (&["random", "bad.csv"], 1, "bad.csv:2: "),
        (&["default,tc=10+1", "bad.epd"], 1, "tc is a clock"),
    ] {
        let output = suite(folder.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(message.contains(expected) && output.stdout.is_empty(), "{arguments:?}: {message}");
    }
}

#[test]
#[cfg(unix)]
fn an_engine_that_fails_solves_nothing_and_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.csv"), PUZZLES).unwrap();
    std::fs::write(folder.path().join("s.epd"), "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"mate\";\n")
        .unwrap();
    for (name, go, expected) in [
        ("crasher", "exit 3", "ended (exit status: 3)"),
        ("cheater", "echo bestmove a1a8", "is not a legal move"),
        ("babbler", "echo bestmove resign", "which is not a move"),
    ] {
        double::engine(folder.path(), name, &[], go);
        let player = format!("uci=./{name},nodes=1");
        let output = suite(folder.path(), &[&player, "p.csv", "s.epd", "--json"]);
        assert!(output.status.success(), "{output:?}");
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result["puzzles"][0]["failures"], 2, "{name}");
        assert_eq!(result["puzzles"][0]["overall"]["solved"]["value"], 0.0, "{name}");
        let failure = result["suites"][0]["answers"][0]["failure"].as_str().unwrap();
        assert!(failure.contains(expected), "{name}: {failure}");
        let shown = suite(folder.path(), &[&player, "p.csv", "s.epd"]).stdout;
        assert!(String::from_utf8_lossy(&shown).contains("caution: the player failed in"), "{name}");
    }
    let missing = suite(folder.path(), &["uci=./none,nodes=1", "p.csv"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("./none"), "{missing:?}");
}

/// Defect 24: 1,600 ms at a move time of 20 ms passed without a warning.
#[test]
#[cfg(unix)]
fn late_moves_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.epd"), "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"mate\";\n")
        .unwrap();
    double::engine(folder.path(), "slow", &[], "sleep 0.3; echo bestmove d1d8");
    let output = suite(folder.path(), &["uci=./slow,movetime=20", "s.epd"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        shown.contains("1 of 1 solved") && shown.contains("caution: 1 moves took over 100 ms longer"),
        "{shown}"
    );
    let output = suite(folder.path(), &["uci=./slow,nodes=1", "s.epd"]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("caution"), "nodes limit no time: {output:?}");
}

/// Defect 11: a bad second file was noticed after the first had been played.
#[test]
fn all_files_are_read_before_the_first_question() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.csv"), PUZZLES).unwrap();
    let output = suite(folder.path(), &["uci=./none,nodes=1", "p.csv", "none.epd"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("none.epd"), "{message}");
}
