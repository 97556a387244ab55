//! `tabiya reinforce` as users run it, graded by the bundled network's search so that no engine is needed.

use crate::program;

use serde_json::Value;

use program::{read_json, refused, success};

const RECIPE: &str = r#"
title = "tiny"
[reinforce]
games = 10
most_plies = 12
[training]
steps = 2
batch = 32
threads = 1
validation_positions = 32
statistics_positions = 64
[losses]
value_weight = 0.0
value_target = { from = "result" }
[optimiser]
average_decay = 0.0
[schedule]
kind = "plateau"
peak = 0.0001
last = 0.0001
warmup = 0
fall = 0
"#;

#[test]
fn graded_games_become_networks_and_a_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("tiny.toml"), RECIPE).unwrap();
    let run = |iterations: &str| {
        let graded = "reinforce tiny.toml --from cnn --engine cnn,nodes=2 --json";
        let text = success(folder, &format!("{graded} --iterations {iterations}"));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    let first = run("1");
    let grade = &first[0]["reinforce"];
    let bound = |name: &str| grade[name].as_f64().unwrap();
    assert!(bound("grade_lower") < bound("grade") && bound("grade") < bound("grade_upper"), "{grade}");
    assert!((-1.0..=1.0).contains(&bound("grade")));
    let second = run("2");
    assert_eq!(second.len(), 1, "the first iteration is not done again");
    assert_eq!(second[0]["step"], 1);
    let log = std::fs::read_to_string(folder.join("runs/tiny/log.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2);
    assert_eq!(read_json(&folder.join("runs/tiny/summary.json"))["ending"], "finished");
    let image = std::fs::read_to_string(folder.join("runs/tiny/curves.svg")).unwrap();
    assert_eq!(image.matches("<circle").count(), 2, "a point for each network: {image}");
    assert!(folder.join("runs/tiny/00002.tabiya").exists());
    assert!(!folder.join("runs/tiny/00002").exists(), "nothing is left of the training");
}

#[test]
fn what_cannot_be_graded_or_learned_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (from, to, engine, expected) in [
        ("title", "title", "random", "gave no score"),
        ("games = 10", "games = 0", "random", "reinforce.games"),
        ("[reinforce]", "[reward]", "random", "unknown field `reward`"),
        ("[losses]", "[losses]\nlabel_smoothing = 0.1", "random", "label_smoothing"),
        ("[losses]", "[network]\nblocks = 1\nchannels = 32\n[losses]", "random", "[network]"),
        ("title", "title", "cnn,tc=10", "clock"),
    ] {
        std::fs::write(folder.join("tiny.toml"), RECIPE.replacen(from, to, 1)).unwrap();
        let learn = format!("reinforce tiny.toml --from cnn --engine {engine} --iterations 1");
        refused(folder, &learn, 1, expected);
    }
}
