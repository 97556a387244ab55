//! `tabiya ladder` as its users run it.

#[cfg(unix)]
use crate::engine;

use crate::program;

use std::path::Path;

use serde_json::Value;

use program::{failure, json, refused, success, tabiya};

/// Writes an engine with two levels.
#[cfg(unix)]
fn levels(folder: &Path, name: &str, go: &str) {
    let options = [
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 1400 min 1400 max 1500",
    ];
    engine::engine(folder, name, &options, go);
}

#[test]
#[cfg(unix)]
fn bad_input_is_named_before_a_game_is_played() {
    let folder = tempfile::tempdir().unwrap();
    engine::engine(folder.path(), "toy", &[], "echo bestmove e2e4");
    let widest = [
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 0 min -9223372036854775808 max 9223372036854775807",
    ];
    engine::engine(folder.path(), "wide", &widest, "echo bestmove e2e4");
    for (arguments, code, expected) in [
        ("ladder nobody", 2, "begins with \"nobody\""),
        ("ladder random --games 7", 2, "expected an even number"),
        ("ladder random --step 0", 2, "--step"),
        ("ladder random --engine no-such-engine", 1, "no-such-engine"),
        ("ladder random --engine true", 1, "true"),
        ("ladder random --engine ./toy", 1, "toy has no UCI_LimitStrength"),
        // Each step of the range is a level: they filled the memory, and their number overflowed.
        ("ladder random --engine ./wide", 1, "wide has no range of UCI_Elo within -10000 to 10000"),
        ("ladder net=none.tabiya", 1, "none.tabiya"),
    ] {
        refused(folder.path(), arguments, code, expected);
    }
}

#[test]
#[cfg(unix)]
fn an_engine_that_only_fails_gives_a_bound_and_a_count_of_failures() {
    let folder = tempfile::tempdir().unwrap();
    levels(folder.path(), "cheater", "echo bestmove a1a8");
    let climb = "ladder random --engine ./cheater --games 8 --probe 2 --beyond 10 --out l --json";
    let result = json(folder.path(), climb);
    assert_eq!(result["levels"].as_array().unwrap().len(), 2);
    assert!(
        result["rating"]["elo"].is_null(),
        "won games over failures are not a rating: {}",
        result["rating"]
    );
    assert!(result["failures"].as_u64().unwrap() >= 8, "{}", result["failures"]);
    let pgn = std::fs::read_to_string(folder.path().join("l/games.pgn")).unwrap();
    assert!(pgn.contains("[Termination \"rules infraction\"]"), "{pgn}");
}

/// Row 51 of the sheet for players below the lowest level of an engine: they meet people's levels.
#[test]
#[cfg(unix)]
fn who_loses_to_the_lowest_level_goes_down_to_people() {
    let folder = tempfile::tempdir().unwrap();
    // The engine makes a first move that is legal; the player never does.
    levels(folder.path(), "Stockfish 15.1", "echo bestmove e2e4");
    levels(folder.path(), "another", "echo bestmove e2e4");
    engine::engine(folder.path(), "cheater", &[], "echo bestmove a1a8");
    let play = |engine: &str, out: &str| {
        let player = ["ladder", "uci=./cheater,nodes=1", "--engine", engine, "--openings", "startpos"];
        let plan = ["--games", "2", "--probe", "2", "--beyond", "10", "--out", out, "--json"];
        json(folder.path(), &[&player[..], &plan].concat())
    };
    let result = play("./Stockfish 15.1", "people");
    let opponents: Vec<&str> =
        result["levels"].as_array().unwrap().iter().map(|line| line["opponent"].as_str().unwrap()).collect();
    let (last, people) = opponents.split_last().unwrap();
    assert!(people.len() >= 5 && people.iter().all(|name| name.starts_with("human-")), "{opponents:?}");
    assert_eq!(*last, "UCI_Elo 1400");
    let elo = |line: usize| result["levels"][line]["elo"].as_f64().unwrap();
    assert!((1..opponents.len()).all(|line| elo(line - 1) < elo(line)), "weakest first");
    assert!(
        result["rating"]["elo"].is_null() && result["rating"]["upper"].as_f64().unwrap() < elo(people.len())
    );
    let engine = &result["conditions"]["players"][1]["identity"];
    assert!(
        engine[1][0] == "people" && engine[1][1].as_str().unwrap().contains("on the scale of Stockfish 15.1")
    );

    let alone = play("./another", "alone");
    assert_eq!(alone["levels"].as_array().unwrap().len(), 1, "people were not measured on its scale");
    let told = alone["conditions"]["players"][1]["identity"][1][1].as_str().unwrap().to_owned();
    assert!(told.starts_with("none: their levels were measured on the scale of Stockfish"), "{told}");
}

/// A rating is kept beside the network that has it, and nothing without an interval is.
#[test]
#[cfg(unix)]
fn a_rating_is_kept_beside_its_network() {
    let folder = tempfile::tempdir().unwrap();
    // It moves a knight to and fro while it can, and fails when it cannot: neither player wins every game.
    let shuffles = "case $position in *f3) echo bestmove b8c6;; *) echo bestmove g1f3;; esac";
    levels(folder.path(), "shuffler", shuffles);
    std::fs::write(folder.path().join("net.tabiya"), include_bytes!("../nets/cnn.tabiya")).unwrap();
    let plan = "--engine ./shuffler --games 4 --probe 2 --openings startpos";
    for player in ["random", "default,nodes=1", "net=material,nodes=1"] {
        let expected = format!(
            "--keep: found {player}, expected net=PATH, or a network of the program in its repository"
        );
        refused(folder.path(), &format!("ladder {player} {plan} --keep"), 1, &expected);
    }
    // All games were won.
    let climb = format!("ladder net=net.tabiya,nodes=1 {plan}");
    let message = failure(folder.path(), &format!("{climb} --keep"));
    assert!(message.contains("the rating is not saved"), "{message}");
    let kept = folder.path().join("net.tabiya.rating.json");
    assert!(!kept.exists());
    std::fs::write(&kept, "notes of somebody").unwrap();
    let expected = "exists already and is not a rating; name another file";
    refused(folder.path(), &format!("{climb} --keep"), 1, expected);

    let mut report = json(folder.path(), &format!("{climb} --json"));
    report["rating"] = serde_json::json!({"elo": 1402.4, "lower": 1300.0, "upper": 1500.0, "games": 4});
    std::fs::write(&kept, report.to_string()).unwrap();
    let shown = success(folder.path(), "net info net.tabiya");
    assert!(
        shown.contains("rating: 1402 (1300 to 1500, 4 games)\n  net=net.tabiya,nodes=1, 1 node"),
        "{shown}"
    );
    assert!(shown.contains("on the scale of shuffler UCI_Elo"), "{shown}");
    let info = json(folder.path(), "net info net.tabiya --json");
    assert_eq!((&info["rating"]["elo"], &info["rating"]["games"]), (&1402.4.into(), &4.into()));
}

#[test]
#[cfg(unix)]
fn damaged_endgame_tables_are_told_by_every_command_with_games() {
    let folder = tempfile::tempdir().unwrap();
    levels(folder.path(), "cheater", "echo bestmove a1a8");
    // The right beginning and length, and nothing after the beginning.
    let mut table = vec![0x71, 0xe8, 0x23, 0x5d];
    table.resize(16, 0);
    std::fs::write(folder.path().join("KQvK.rtbw"), table).unwrap();
    std::fs::write(folder.path().join("book.epd"), "8/8/8/3k4/8/8/8/KQ6 w - - 0 1\n").unwrap();
    for command in [
        "match random random --games 2",
        "ladder random --engine ./cheater --games 2 --probe 2 --beyond 10",
        "calibrate default --engine ./cheater --games 2 --settings 1:1,1:0 --out strength.json",
        "tune net=material,nodes=1 --vary CPuct=1:4 --iterations 1 --pairs 1 --out tuning",
    ] {
        let rules = "--openings book.epd --syzygy . --max-moves 2";
        let output = tabiya(folder.path(), &format!("{command} {rules}"));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let told = message.matches("caution: an endgame table could not be used: ").count();
        assert!(told == 1 && message.contains("KQvK"), "{command}: {message}");
    }
}

#[test]
#[ignore = "needs Stockfish"]
fn stockfish_ladder_of_a_weak_player_goes_down_and_goes_on_after_it_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let climb = "ladder random --nodes 2000 --probe 4 --out weak --games";
    let result = json(folder.path(), &format!("{climb} 40 --json"));
    assert_eq!(result["kind"], "tabiya-ladder-1");
    assert!(result["conditions"]["players"][1]["name"].as_str().unwrap().starts_with("Stockfish"));
    let levels = result["levels"].as_array().unwrap();
    let (first, last) = (&levels[0], &levels[levels.len() - 1]);
    assert!(first["opponent"].as_str().unwrap().starts_with("human-"), "down to people: {first}");
    assert_eq!(last["elo"], 1350.0, "too strong at once: no climbing");
    let games = |key: &str| levels.iter().map(|line| line["games"][key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(games("wins") + games("draws") + games("losses"), 40);
    assert!(result["rating"]["upper"].as_f64().unwrap() < 1000.0, "{}", result["rating"]);

    refused(folder.path(), &format!("{climb} 40"), 1, "add --resume");
    let shown = success(folder.path(), &format!("{climb} 44 --resume"));
    assert!(shown.contains("from 44 games"), "{shown}");
    assert!(shown.contains("random on the ladder of Stockfish") && shown.contains("95 %"), "{shown}");
    let journal = std::fs::read_to_string(folder.path().join("weak/games.jsonl")).unwrap();
    assert_eq!(journal.lines().count(), 44);
    let expected = "expected a level of Stockfish 15.1, 1350 to 2850";
    refused(folder.path(), "ladder random --from 900", 1, expected);
}

#[test]
#[ignore = "needs Stockfish"]
fn stockfish_calibration_spends_few_games_on_levels_out_of_reach() {
    let folder = tempfile::tempdir().unwrap();
    let levels = "calibrate human --settings human-600:9,human-2000:0 --games 44 --nodes 3000";
    for resume in ["", "--resume"] {
        success(folder.path(), &format!("{levels} --work w --out table.json {resume}"));
        let games = std::fs::read_to_string(folder.path().join("w/games.jsonl")).unwrap();
        let games: Vec<Value> = games.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let played = |pairing: u64| games.iter().filter(|game| game["pairing"] == pairing).count();
        assert_eq!(
            (played(0), played(1), played(2)),
            (20, 0, 44),
            "an almost random mover has no chance, its neighbour is played to the end"
        );
    }
}

#[test]
#[ignore = "needs Stockfish"]
fn stockfish_calibration_writes_a_table_that_rises() {
    let folder = tempfile::tempdir().unwrap();
    let calibrate = "calibrate default --settings human-1000:1,1:0.5,2:0,8:0 --games 4 --nodes 300 \
        --max-moves 60 --work w --out table.json";
    success(folder.path(), calibrate);
    let text = std::fs::read_to_string(folder.path().join("table.json")).unwrap();
    let table = strength::StrengthTable::from_json(&text).unwrap();
    assert!(
        table.conditions.contains("Stockfish") && table.conditions.contains("300 nodes"),
        "{}",
        table.conditions
    );
    assert!(
        table
            .levels
            .iter()
            .all(|level| level.games >= 8 && level.lower <= level.elo && level.elo <= level.upper)
    );
    // The winner of four games differs between processors: however they end, no setting is lost.
    assert!(!table.levels.is_empty(), "{table:?}");
    for setting in ["human-1000:1", "1:0.5", "2:0", "8:0"] {
        let is_rated = table.levels.iter().any(|level| level.setting.to_string() == setting);
        let reason = table.conditions.split_once("without a rating").map_or("", |(_, settings)| settings);
        let is_named = reason.split([' ', ',']).any(|word| word == setting);
        assert!(is_rated != is_named, "{setting}: {table:?}");
    }
    success(folder.path(), &format!("{calibrate} --resume"));
    assert_eq!(std::fs::read_to_string(folder.path().join("w/games.jsonl")).unwrap().lines().count(), 28);

    for (arguments, code, expected) in [
        ("calibrate default", 1, "give one with --out"),
        ("calibrate default --engine no-such-engine --out /nope/x.json", 1, "/nope/x.json"),
        ("calibrate material --engine no-such-engine --out x.json", 1, "this evaluator has no network"),
        ("calibrate none.tabiya", 1, "none.tabiya"),
        ("calibrate default --out x.json --settings 1:0", 1, "expected at least two"),
        ("calibrate default --out x.json --settings 0:1", 2, "expected NODES:TEMPERATURE"),
        ("calibrate default --out x.json --settings human-1:1", 2, "human-RATING:TEMPERATURE"),
    ] {
        refused(folder.path(), arguments, code, expected);
    }
}
