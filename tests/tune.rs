//! `tabiya tune` as a user runs it.

use crate::program;

use program::{failure, read_json, refused, success};

const TUNE: &str = "tune net=material,nodes=20 --pairs 1 --iterations 3 --max-moves 12";
const VARIED: &str = "--vary CPuct=0.5:4:0.4 --vary MaterialNodes=0:100000:20000";

#[test]
fn what_was_interrupted_ends_as_if_it_had_not_been() {
    let place = tempfile::tempdir().unwrap();
    let (whole, cut) = (place.path().join("whole"), place.path().join("cut"));
    let text = success(place.path(), &format!("{TUNE} {VARIED} --out whole"));
    assert!(text.contains("CPuct") && text.contains("option.MaterialNodes="), "{text}");
    let path = read_json(&whole.join("result.json"))["path"].as_array().unwrap().clone();
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
    let again = format!("{TUNE} {VARIED} --out cut");
    failure(place.path(), &again);
    success(place.path(), &format!("{again} --resume"));
    assert_eq!(read_json(&cut.join("result.json"))["path"], serde_json::json!(path));
    let games = std::fs::read_to_string(cut.join("games.pgn")).unwrap().matches("[Event ").count();
    assert_eq!(games, 6, "none lost, none doubled");
}

#[test]
fn bad_input_is_named() {
    let place = tempfile::tempdir().unwrap();
    for (arguments, code, expected) in [
        ("--vary CPuckt=1:2", 2, "CPuckt"),
        ("--vary CPuct=1:2 --vary cpuct=1:3", 1, "given twice"),
        ("--vary CPuct=3:4", 1, "expected a start within the range"),
        ("--vary CPuct=1:4 --rate 0", 1, "expected a number above 0"),
    ] {
        refused(place.path(), &format!("{TUNE} {arguments} --out none"), code, expected);
        assert!(!place.path().join("none").exists(), "nothing is left behind");
    }
    let long = "tune net=material,nodes=20 --iterations 4000000000 --vary CPuct=1:4 --out nowhere";
    refused(place.path(), long, 1, "found 32000000000 games, expected at most 4294967295");
    let random = "tune random --vary CPuct=1:2 --out nowhere";
    refused(place.path(), random, 1, "expected net=PATH or default");
}
