//! `tabiya data label` as a user runs it: killed and resumed, with engines that crash, and with searches of this program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

#[path = "doubles/engine.rs"]
mod doubles;
#[path = "running/program.rs"]
mod program;

use std::{
    fmt::Write as _,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use chess::{Game, Position as _};
use dataset::{PolicyLabel, Sample, Split, Store, packed_move::PackedMove};
use serde_json::Value;

use program::{PROGRAM, failure, success};

/// Different games that all begin with the same two moves.
fn games(folder: &Path, count: usize) {
    let mut text = String::new();
    for number in 0..count {
        let mut game = Game::default();
        for ply in 0..10 {
            let moves = game.legal_moves();
            let choice = if ply < 2 { 0 } else { (number + 1) * (ply + 31) + ply * ply };
            game.play(moves[choice % moves.len()]).unwrap();
        }
        let pgn = chess::pgn::PgnGame::new(&game).to_string();
        write!(text, "{pgn}").unwrap();
    }
    std::fs::write(folder.join("games.pgn"), text).unwrap();
}

fn rows(store: &Path) -> Vec<Sample> {
    let store = Store::open(store).unwrap();
    let of = |split| store.row_groups(split).flat_map(Result::unwrap).collect::<Vec<_>>();
    [of(Split::Train), of(Split::Validation)].concat()
}

/// Every file of a store, by name.
fn files(store: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(store).unwrap().map(Result::unwrap);
    let file = |entry: std::fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
    };
    let mut files: Vec<_> = entries.map(file).collect();
    files.sort();
    files
}

/// This program as a UCI engine that needs no network.
fn itself(nodes: u32) -> String {
    format!("uci={PROGRAM},arg=uci,arg=--net,arg=material,nodes={nodes}")
}

#[test]
fn a_search_of_our_own_gives_visits_and_values_once_for_each_position() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    games(folder, 12);
    let label = ["data", "label", "own.store", "games.pgn", "--engine", "net=material,nodes=60", "--json"];
    let summary: Value = serde_json::from_str(&success(folder, &label)).unwrap();
    let rows = rows(&folder.join("own.store"));
    let mut keys: Vec<u64> = rows.iter().map(|row| row.position.key()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(summary["rows"], rows.len());
    assert_eq!(summary["positions"], keys.len());
    assert!(keys.len() < rows.len(), "the games begin alike");
    for row in &rows {
        let position = row.chess().unwrap();
        assert!(row.best_move.unpack(&position).is_some());
        let PolicyLabel::Visits(visits) = &row.policy else { panic!("{row:?}") };
        assert_eq!(visits[0].0, row.best_move);
        assert!(visits.iter().all(|(packed, _)| packed.unpack(&position).is_some()));
        let sum: u32 = visits.iter().map(|(_, visits)| visits).sum();
        assert!((1..=60).contains(&sum), "{sum} visits");
        assert!(row.search_value.is_some() && row.evaluation.is_some() && row.effort.nodes.is_some());
        assert_eq!(row.engine, Some(0));
    }
    let store = Store::open(&folder.join("own.store")).unwrap();
    let engine = &store.manifest().engines[0];
    assert!(engine.name.starts_with("Tabiya ") && engine.name.contains("material"), "{engine:?}");
    assert_eq!(engine.limits, "60 nodes");
    assert!(!folder.join("own.store.labelling").exists());
}

#[test]
fn a_network_alone_gives_its_whole_policy_to_players_of_one_rating() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    games(folder, 12);
    let label = ["data", "label", "policy.store", "games.pgn", "--engine", "cnn,search=policy"];
    success(folder, &[&label[..], &["--rating", "1100", "--session", "100"]].concat());
    let rows = rows(&folder.join("policy.store"));
    let mut spread = 0;
    for row in &rows {
        let position = row.chess().unwrap();
        let PolicyLabel::Visits(parts) = &row.policy else { panic!("{row:?}") };
        assert!(parts[0].0 == row.best_move && parts.is_sorted_by(|one, next| one.1 >= next.1), "{row:?}");
        assert!(parts.iter().all(|&(packed, part)| part > 0 && packed.unpack(&position).is_some()));
        let sum: u32 = parts.iter().map(|&(_, part)| part).sum();
        assert!((9_900..=10_100).contains(&sum), "{sum} parts");
        spread += usize::from(parts.len() > 5);
        assert_eq!((row.white_rating, row.black_rating), (Some(1100), Some(1100)));
        assert!(row.search_value.is_some() && row.effort.nodes == Some(1));
    }
    assert!(2 * spread > rows.len(), "{spread} policies of {} have more than five moves", rows.len());
    let store = Store::open(&folder.join("policy.store")).unwrap();
    assert_eq!(store.manifest().engines[0].limits, "policy without search, players rated 1100");
    let other = ["data", "label", "other.store", "games.pgn", "--engine", "cnn,search=policy,option.TopK=3"];
    let refused = failure(folder, &other);
    assert!(refused.contains("options do not change") && refused.contains("TopK=3"), "{refused}");
}

#[test]
fn whatever_is_killed_the_labels_are_those_of_one_run() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    games(folder, 40);
    let engine = itself(300);
    let arguments = |output: &'static str, processes: &'static str| {
        let options = ["--engine", &engine, "--multipv", "3", "--session", "4", "--processes", processes];
        [&["data", "label", output, "games.pgn"][..], &options[..]].concat()
    };
    success(folder, &arguments("whole.store", "1"));

    let journal = folder.join("killed.store.labelling/labels.jsonl");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    for kill in 0..3 {
        let before = lines();
        let mut command = Command::new(PROGRAM);
        command.args(arguments("killed.store", "2")).current_dir(folder).stderr(Stdio::null());
        if kill > 0 {
            command.arg("--resume");
        }
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        while lines() < before + 3 {
            assert!(begun.elapsed() < Duration::from_mins(2), "no labels appear");
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!folder.join("killed.store").exists());
    }
    let known = lines();
    let mut resume = arguments("killed.store", "2");
    let refused = failure(folder, &resume);
    assert!(refused.contains("add --resume"), "{refused}");
    resume.extend(["--resume", "--json"]);
    let summary: Value = serde_json::from_str(&success(folder, &resume)).unwrap();
    let before = summary["labelled_before"].as_u64().unwrap();
    assert!(
        before as usize <= known * 4 && before as usize > (known - 2) * 4,
        "{before} of {known} sessions"
    );
    assert_eq!(files(&folder.join("killed.store")), files(&folder.join("whole.store")));
    let scored = |row: &Sample| matches!(&row.policy, PolicyLabel::Scores(scores) if scores.len() == 3);
    assert!(rows(&folder.join("whole.store")).iter().filter(|row| scored(row)).count() > 100);
}

#[test]
fn a_store_is_labelled_again_and_keeps_its_rows() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    games(folder, 6);
    success(folder, &["data", "build", "first.store", "games.pgn", "--validation", "0.5"]);
    let engine = ["--engine", "net=material,nodes=20"];
    let label = [&["data", "label", "second.store", "first.store"][..], &engine].concat();
    let text = success(folder, &label);
    assert!(text.contains("60 positions, ") && text.contains("labelled by Tabiya"), "{text}");
    let manifest = |name: &str| Store::open(&folder.join(name)).unwrap().manifest().clone();
    assert_eq!(manifest("second.store").counts, manifest("first.store").counts);
    for (old, new) in rows(&folder.join("first.store")).iter().zip(rows(&folder.join("second.store"))) {
        assert_eq!((old.position, old.result, old.game), (new.position, new.result, new.game));
        assert_eq!(new.played_move.unwrap_or(new.best_move), old.best_move, "the move played stays known");
    }
    let refused = failure(folder, &label);
    assert!(refused.contains("second.store exists already"), "{refused}");
}

#[test]
fn a_network_labels_a_store_beside_its_evaluations() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    games(folder, 6);
    let values = ["data", "label", "values.store", "games.pgn", "--engine", "net=material,nodes=20"];
    success(folder, &values);
    let join = ["--engine", "cnn,search=policy", "--keep-evaluations"];
    success(folder, &[&["data", "label", "joined.store", "values.store"][..], &join].concat());
    let (before, after) = (rows(&folder.join("values.store")), rows(&folder.join("joined.store")));
    assert_eq!(before.len(), after.len());
    for (old, new) in before.iter().zip(&after) {
        assert_eq!((old.evaluation, old.effort, old.engine), (new.evaluation, new.effort, new.engine));
        assert!(new.search_value.is_some_and(|value| Some(value) != old.search_value), "{new:?}");
        let played = |row: &Sample| row.played_move.unwrap_or(row.best_move);
        assert_eq!(played(old), played(new));
        let PolicyLabel::Visits(parts) = &new.policy else { panic!("{new:?}") };
        assert_eq!(parts[0].0, new.best_move);
        assert!((9_900..=10_100).contains(&parts.iter().map(|part| part.1).sum::<u32>()), "{parts:?}");
    }
    assert!(before.iter().zip(&after).any(|(old, new)| old.policy != new.policy));
    let limits = |store: &str| -> Vec<String> {
        let manifest = Store::open(&folder.join(store)).unwrap().manifest().clone();
        manifest.engines.into_iter().map(|engine| engine.limits).collect()
    };
    assert_eq!(limits("joined.store"), ["20 nodes", "policy without search"]);
    let refused = failure(folder, &[&["data", "label", "more.store", "games.pgn"][..], &join].concat());
    assert!(refused.contains("--keep-evaluations keeps those of a store"), "{refused}");
}

/// A script that moves the king from e1, and in one position, at the first attempt or at every one, ends instead.
fn fragile_engine(folder: &Path, on_crash: &str) {
    let answer = "case $position in *' w - - 7 '*) {crash} ;; esac; echo info depth 1 score cp 3 pv e1d1; echo bestmove e1d1";
    doubles::engine(folder, "fragile", &[], &answer.replace("{crash}", on_crash));
    let lines = ["2P5/4K3 w - - 5", "3P4/4K3 w - - 6", "4P3/4K3 w - - 7", "5P2/4K3 w - - 8"];
    let lines = lines.map(|end| format!("7k/8/8/8/8/8/{end} 20\n")).concat();
    std::fs::write(folder.join("positions.fen"), lines).unwrap();
}

#[test]
fn a_crashed_engine_is_started_again_once() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let label = [
        "data",
        "label",
        "labels.store",
        "positions.fen",
        "--engine",
        "uci=./fragile,depth=1",
        "--processes",
        "1",
    ];
    fragile_engine(folder, "if [ ! -e crashed ]; then : > crashed; exit 3; fi");
    let text = success(folder, &label);
    assert!(text.contains("engine restarted 1 times"), "{text}");
    let rows = rows(&folder.join("labels.store"));
    assert_eq!(rows.len(), 4);
    for row in &rows {
        let position = row.chess().unwrap();
        let king = position.legal_moves().into_iter().find(|one| one.to_string() == "Ke1-d1").unwrap();
        assert_eq!(row.best_move, PackedMove::pack(king));
        assert_eq!(row.evaluation, Some(chess::Score::Centipawns(3)));
    }
}

#[test]
fn an_engine_that_always_fails_is_an_error_that_keeps_the_labels() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fragile_engine(folder, "exit 3");
    let label = |engine: &str, more: &[&str]| {
        let start = ["data", "label", "labels.store", "positions.fen", "--engine", engine, "--session", "1"];
        failure(folder, &[&start[..], &["--processes", "1"], more].concat())
    };
    let message = label("uci=./fragile,depth=1", &[]);
    assert!(message.contains("failed twice") && message.contains("w - - 7 20"), "{message}");
    let journal = std::fs::read_to_string(folder.join("labels.store.labelling/labels.jsonl")).unwrap();
    assert_eq!(journal.lines().count(), 2, "those before the crash: {journal}");
    let message = label("uci=./fragile,depth=2", &["--resume"]);
    assert!(message.contains("started with limits"), "{message}");
}

#[test]
fn what_cannot_label_is_refused_before_anything_is_read() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    for (engine, more, expected) in [
        ("random", &[][..], "it gives no evaluations"),
        ("uci=no-such-engine,nodes=5", &[], "no-such-engine"),
        ("default,tc=10+1", &[], "tc is a clock for a game"),
        ("default,nodes=5", &["--multipv", "3"], "--multipv is for UCI engines"),
        ("default,nodes=5", &["--ahead", "8"], "--ahead is for UCI engines"),
        ("uci=sh,nodes=5,option.multipv=2", &["--multipv", "3"], "MultiPV is given twice"),
    ] {
        let start = ["data", "label", "labels.store", "nowhere.pgn", "--engine", engine];
        let message = failure(folder, &[&start[..], more].concat());
        assert!(message.contains(expected), "{engine}: {message}");
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    let message =
        failure(folder, &["data", "label", "labels.store", "nowhere.pgn", "--engine", "default,nodes=1"]);
    assert!(message.contains("nowhere.pgn"), "{message}");
}

#[test]
fn a_network_of_stockfish_labels_moves_or_the_value_alone() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    games(folder, 20);
    std::fs::write(folder.join("x.nnue"), nnue::synthetic::file(5)).unwrap();
    for (output, search) in [("moves.store", "policy"), ("value.store", "value")] {
        let engine = format!("net=x.nnue,search={search}");
        success(folder, &["data", "label", output, "games.pgn", "--engine", &engine, "--session", "8"]);
    }
    let (moves, value) = (rows(&folder.join("moves.store")), rows(&folder.join("value.store")));
    assert!(moves.len() > 100 && moves.len() == value.len(), "{} and {}", moves.len(), value.len());
    for (moves, value) in moves.iter().zip(&value) {
        let PolicyLabel::Visits(shares) = &moves.policy else { panic!("{moves:?}") };
        let parts: u32 = shares.iter().map(|(_, parts)| parts).sum();
        assert!((9_900..=10_100).contains(&parts) && shares[0].0 == moves.best_move, "{moves:?}");
        assert!(moves.evaluation.is_some() && moves.effort.depth == Some(1), "{moves:?}");
        assert!(value.evaluation.is_some() && value.policy.is_unknown(), "{value:?}");
    }
    let manifest = |store: &str| Store::open(&folder.join(store)).unwrap().manifest().engines[0].clone();
    assert!(
        manifest("moves.store").name.contains("x.nnue")
            && manifest("moves.store").limits == "moves and captures"
    );
    assert_eq!(manifest("value.store").limits, "captures");
    let other = ["data", "label", "o.store", "games.pgn", "--engine", "net=x.nnue,nodes=100"];
    let message = failure(folder, &other);
    assert!(message.contains("labels with search=policy or search=value"), "{message}");
    std::fs::write(folder.join("x.nnue"), &nnue::synthetic::file(5)[..500]).unwrap();
    let message =
        failure(folder, &["data", "label", "o.store", "games.pgn", "--engine", "net=x.nnue,search=value"]);
    assert!(message.contains("x.nnue: byte 20: bias of the table: found 480 bytes"), "{message}");
}

/// Row 13 of the list of features that Tabiya grew from: labels are the same in every run.
#[test]
#[ignore = "needs Stockfish"]
fn stockfish_labels_are_the_same_whatever_the_number_of_processes() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    games(folder, 15);
    let engine = "uci=stockfish,depth=8";
    for (output, processes, ahead) in
        [("one.store", "1", "1"), ("three.store", "3", "1"), ("ahead.store", "2", "5")]
    {
        let start = ["data", "label", output, "games.pgn", "--engine", engine, "--multipv", "2"];
        let more = ["--session", "8", "--processes", processes, "--ahead", ahead];
        success(folder, &[&start[..], &more].concat());
    }
    assert_eq!(files(&folder.join("one.store")), files(&folder.join("three.store")));
    assert_eq!(files(&folder.join("one.store")), files(&folder.join("ahead.store")));
    let store = Store::open(&folder.join("one.store")).unwrap();
    assert!(store.manifest().engines[0].name.starts_with("Stockfish"), "{:?}", store.manifest().engines);
    for row in rows(&folder.join("one.store")) {
        assert_eq!(row.effort.depth, Some(8), "{row:?}");
    }
}
