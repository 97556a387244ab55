//! `tabiya metrics` as its users run it.

#[cfg(unix)]
use crate::engine;

use crate::program;

use files::{Inputs, Journal, bytes_hash, content_hash};
use player::{PlayerSpecification, with_player};
use serde_json::Value;

use program::{failure, json, limited, refused, success};

const GAME: &str = "[WhiteElo \"1510\"]\n[BlackElo \"1580\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O \
    Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O *\n\n";
const POSITIONS: &str =
    "game_id,fen,a,b,human\n0,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,e2e4,d2d4,e2e4\n";

fn stage() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("g.pgn"), GAME.repeat(3)).unwrap();
    std::fs::write(folder.path().join("p.csv"), POSITIONS).unwrap();
    folder
}

/// The names of players, in the order of a table's entries.
fn names(entries: &Value) -> Vec<&str> {
    entries.as_array().unwrap().iter().map(|entry| entry["player"].as_str().unwrap()).collect()
}

#[test]
fn people_and_references_are_compared_with_baselines_beside_them() {
    let folder = stage();
    let judged = "metrics human default,nodes=1 g.pgn --judge net=material,nodes=20 --json";
    let human = json(folder.path(), judged);
    assert_eq!(human["kind"], "tabiya-human-1");
    let overall = &human["matched"]["overall"];
    assert_eq!((&overall["games"], &overall["matched"]["samples"]), (&3.into(), &12.into()));
    assert!(overall["random"].as_f64().unwrap() > 0.0);
    assert_eq!(names(&human["losses"]), ["player", "people", "random", "first legal", "material"]);
    assert!(human["identity"][1][0] == "network hash", "{}", human["identity"]);
    assert!(human["difference"].is_null());

    let both = json(folder.path(), &format!("{judged} --against random"));
    assert_eq!(names(&both["losses"])[5], "the other");
    let mean = |mover: usize| both["losses"][mover]["mean"]["value"].as_f64().unwrap();
    let difference = both["difference"]["mean"]["value"].as_f64().unwrap();
    assert!((difference - (mean(0) - mean(5))).abs() < 1e-6, "{difference}");

    let compared = "metrics agreement material p.csv --first a --second b --compare human";
    let agreement = json(folder.path(), &format!("{compared} --json"));
    assert_eq!(names(&agreement["baselines"]), ["random", "first legal", "material", "human"]);
    assert_eq!(agreement["baselines"][3]["counts"], serde_json::json!([0.0, 1.0, 0.0, 0.0]));
    let also = "--also random --also net=material,nodes=20 --json";
    let settings = json(folder.path(), &format!("{compared} {also}"));
    assert_eq!(settings["table"], agreement["table"]);
    let others: Vec<&Value> =
        settings["others"].as_array().unwrap().iter().map(|other| &other["table"]["player"]).collect();
    assert_eq!(others, ["random", "net=material,nodes=20"]);
    let shown = success(folder.path(), compared);
    assert!(shown.contains("legacy: accuracy") && shown.contains("both "), "{shown}");
}

#[test]
fn bad_input_is_named() {
    let folder = stage();
    std::fs::write(folder.path().join("won.pgn"), GAME.replace('*', "1-0")).unwrap();
    std::fs::write(folder.path().join("unrated.pgn"), "[Result \"*\"]\n\n1. e4 *\n\n").unwrap();
    for (arguments, code, expected) in [
        ("metrics human default", 2, "required arguments"),
        ("metrics human random none.pgn", 1, "none.pgn"),
        ("metrics human random unrated.pgn", 1, "no position of two players in one rating band"),
        ("metrics human random g.pgn --ratings 1600-1700", 1, "in one rating band, both rated 1600 to 1700"),
        ("metrics human random g.pgn --ratings 1700-1600", 2, "expected two ratings, the lower one first"),
        ("metrics human random g.pgn --against material", 2, "--judge <PLAYER>"),
        ("metrics value default none.pgn", 1, "none.pgn"),
        ("metrics value default unrated.pgn", 1, "no position of a game with a result"),
        ("metrics value random won.pgn", 1, "gives no win, draw and loss"),
        ("metrics value default,tc=1+1 won.pgn", 1, "tc is a clock"),
        ("metrics value default .", 1, "."),
        ("metrics agreement random p.csv --first x --second b", 1, "expected x among them"),
        ("metrics agreement random g.pgn --first a --second b", 1, "g.pgn:1"),
        ("metrics references g.pgn --first random", 2, "--second <PLAYER>"),
        ("metrics references none.pgn --first random --second first --out t.csv", 1, "none.pgn"),
        ("metrics references g.pgn --first nobody --second first --out t.csv", 2, "begins with"),
        ("metrics references g.pgn --first random --second first --out p.csv", 1, "exists already"),
    ] {
        refused(folder.path(), arguments, code, expected);
    }
}

const REFERENCES: &str = "metrics references g.pgn --first first --second random --out";

#[test]
fn a_table_of_references_is_made_from_games_and_compared_with() {
    let folder = stage();
    let unrated = "[Result \"*\"]\n\n1. d4 d5 *\n\n";
    std::fs::write(folder.path().join("g.pgn"), [GAME, unrated].concat()).unwrap();
    let shown = success(folder.path(), &format!("{REFERENCES} t.csv --threads 2"));
    assert!(
        shown.contains("t.csv: 18 positions of 2 games") && shown.contains("the references agree in"),
        "{shown}"
    );
    assert!(!folder.path().join("t.csv.asking").exists(), "the rows are in the table");
    let table = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert!(table.starts_with(
        "game_id,ply,fen,human_move,first_move,second_move,white_rating,black_rating\n0,0,rnbq"
    ));
    assert!(table.contains(",1510,1580\n") && table.ends_with(",,\n"), "{table}");
    let columns = "--first first_move --second second_move --compare human_move";
    let rated = "--rating white_rating --rating black_rating --json";
    let agreement = json(folder.path(), &format!("metrics agreement first t.csv {columns} {rated}"));
    assert_eq!(agreement["table"]["first"]["value"], 1.0, "the first reference agrees with itself");
    assert_eq!(agreement["bands"][0]["positions"], 16, "the unrated game is in no band");
    success(folder.path(), &format!("{REFERENCES} few.csv --per-game 2 --sample 3"));
    let few = std::fs::read_to_string(folder.path().join("few.csv")).unwrap();
    assert_eq!(few.lines().count(), 4);
}

/// Rows that were kept before a stop are not asked about again, and belong to the same positions.
#[test]
fn a_table_of_references_goes_on_where_it_was_left() {
    let folder = stage();
    let (start, resume) = (format!("{REFERENCES} t.csv"), format!("{REFERENCES} t.csv --resume"));
    success(folder.path(), &start);
    let whole = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
    let games = content_hash(&folder.path().join("g.pgn")).unwrap().unwrap();
    let inputs = ["first", "random"]
        .map(|name| name.parse::<PlayerSpecification>().unwrap())
        .iter()
        .fold(Inputs::default().with_program(program::VERSION), with_player);
    let inputs = inputs.with("games g.pgn", vec![("hash".into(), games)]);
    let setup = serde_json::json!({
        "inputs": inputs, "games": "g.pgn", "first": "first", "second": "random", "per_game": null, "sample": null,
    });
    let asking = folder.path().join("t.csv.asking");
    let rows = asking.join("rows.jsonl");
    let leave = |row: &Value| {
        std::fs::remove_file(folder.path().join("t.csv")).unwrap();
        std::fs::create_dir(&asking).unwrap();
        std::fs::write(asking.join("setup.json"), setup.to_string()).unwrap();
        let setup_hash = bytes_hash(setup.to_string().as_bytes());
        Journal::open(&rows).unwrap().append_hashed(&setup_hash, row).unwrap();
        std::fs::read_to_string(&rows).unwrap()
    };
    let fen = whole.lines().nth(1).unwrap().split(',').nth(2).unwrap();
    // A move that no player would answer, to see that it is kept.
    let row = |fen: &str| {
        serde_json::json!({
            "game": 0, "ply": 0, "fen": fen, "human": "e2e4", "first": "h2h4", "second": "a2a3", "ratings": [1510, 1580],
        })
    };
    let kept = leave(&row(fen));
    let message = failure(folder.path(), &start);
    assert!(message.contains("add --resume"), "{message}");
    let without_hash = format!("{}}}\n", kept.split_once(",\"hash\":").unwrap().0);
    for changed in [kept.replace("h2h4", "g2g4"), without_hash] {
        std::fs::write(&rows, changed).unwrap();
        let message = failure(folder.path(), &resume);
        assert!(
            message.contains("rows.jsonl") && message.contains("line 1: found a row that was changed"),
            "{message}"
        );
    }
    // The beginning of a second row follows.
    std::fs::write(&rows, format!("{kept}{{\"game\":0,")).unwrap();
    success(folder.path(), &resume);
    let table = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert_eq!(table.lines().nth(1).unwrap(), format!("0,0,{fen},e2e4,h2h4,a2a3,1510,1580"));
    assert!(table.lines().skip(2).eq(whole.lines().skip(2)), "{table}");
    leave(&row("8/8/8/8/8/8/8/8 w - - 0 1"));
    let message = failure(folder.path(), &resume);
    assert!(message.contains("rows.jsonl") && message.contains("the games have changed"), "{message}");
}

/// The table replaced a file that somebody had put there meanwhile.
#[test]
#[cfg(unix)]
fn a_table_of_references_replaces_nothing_that_appeared_meanwhile() {
    let folder = stage();
    let game = "[SetUp \"1\"]\n[FEN \"7k/8/8/8/8/8/2P5/4K3 w - - 0 20\"]\n[Result \"*\"]\n\n1. Kd1 *\n\n";
    std::fs::write(folder.path().join("king.pgn"), game).unwrap();
    engine::engine(folder.path(), "writer", &[], "echo mine > t.csv; echo bestmove e1d1");
    let command = "metrics references king.pgn --first uci=./writer,nodes=1 --second first --out t.csv";
    let message = failure(folder.path(), command);
    assert!(message.contains("t.csv has appeared meanwhile and stays"), "{message}");
    assert_eq!(std::fs::read_to_string(folder.path().join("t.csv")).unwrap(), "mine\n");
    std::fs::remove_file(folder.path().join("t.csv")).unwrap();
    success(folder.path(), &format!("{command} --resume"));
}

/// The experiment of COGS188 on other games: limited Stockfish and Stockfish at full strength.
#[test]
#[ignore = "needs Stockfish"]
fn stockfish_references_differ_less_from_themselves_than_from_each_other() {
    let folder = stage();
    let limited = "uci=stockfish,nodes=500,option.UCI_LimitStrength=true,option.UCI_Elo=1350";
    let full = "uci=stockfish,nodes=500";
    let make = format!("metrics references g.pgn --first {limited} --second {full} --out s.csv --threads 2");
    success(folder.path(), &make);
    let columns = "--first first_move --second second_move --compare human_move";
    let agreement = json(folder.path(), &format!("metrics agreement {full} s.csv {columns} --json"));
    // With one thread and a cleared memory, a search of equal nodes has an equal result.
    assert_eq!(agreement["table"]["second"]["value"], 1.0, "{}", agreement["table"]);
    assert_eq!(agreement["table"]["positions"], 48);
}

#[test]
fn expectations_are_compared_with_results_and_with_what_anybody_could_expect() {
    let folder = stage();
    let games = [GAME.replace('*', "1-0"), GAME.replace('*', "0-1")].concat();
    std::fs::write(folder.path().join("g.pgn"), games).unwrap();
    let value = json(folder.path(), "metrics value default,nodes=1 g.pgn --json");
    assert_eq!((&value["kind"], &value["source"]), (&"tabiya-value-1".into(), &"g.pgn".into()));
    let curve = &value["calibration"];
    assert_eq!(curve["brier"]["samples"], 8, "four positions of each game");
    let inside = |key: &str| {
        let [value, lower, upper] = ["value", "lower", "upper"].map(|end| curve[key][end].as_f64().unwrap());
        lower <= value && value <= upper
    };
    assert!(inside("brier") && inside("error"), "{curve}");
    assert_eq!(names(&value["baselines"]), ["always the mean", "material"]);
    let shown = success(folder.path(), "metrics value net=material,nodes=1 g.pgn");
    assert!(
        shown.contains("calibration error") && shown.contains("always the mean: squared error 0.2500"),
        "{shown}"
    );
}

#[test]
fn stores_are_as_good_as_games() {
    let folder = stage();
    // Different games, since a store keeps equal games only once, and enough of them for the validation split to have
    // some.
    let moves = ["a3", "a4", "b3", "b4", "g3", "g4", "h3", "h4"];
    let replies = ["a6", "a5", "b6", "b5", "g6", "g5", "h6", "h5"];
    let rest = "2. d3 d6 3. e3 e6 4. Be2 Be7 5. Nf3 Nf6 6. Nbd2 Nbd7 7. O-O O-O 8. Re1 Re8";
    let games = moves
        .iter()
        .flat_map(|first| replies.iter().map(move |second| (first, second)))
        .map(|(first, second)| {
            let tags = "[WhiteElo \"1510\"]\n[BlackElo \"1580\"]\n[Result \"1/2-1/2\"]";
            format!("{tags}\n\n1. {first} {second} {rest} 1/2-1/2\n\n")
        })
        .collect::<Vec<_>>()
        .concat();
    std::fs::write(folder.path().join("many.pgn"), games).unwrap();
    success(folder.path(), "data build s.store many.pgn --validation 0.3");
    let human = json(folder.path(), "metrics human random s.store --json");
    let overall = &human["matched"]["overall"];
    let (held_out, samples) =
        (overall["games"].as_u64().unwrap(), overall["matched"]["samples"].as_u64().unwrap());
    assert!((8..40).contains(&held_out), "{overall}");
    assert_eq!(samples, 4 * held_out);
    let value = json(folder.path(), "metrics value net=material,nodes=1 s.store --json");
    assert_eq!(value["calibration"]["brier"]["samples"], samples);
    let error = value["calibration"]["brier"]["value"].as_f64().unwrap();
    assert!(error < 1e-3, "even material, drawn games: {error}");
}

/// Defect 7: a judge that died was not mentioned, and the positions judged until then passed for all.
#[test]
#[cfg(unix)]
fn a_dying_judge_is_reported() {
    let folder = stage();
    // "startpos moves e2e4 ...": it moves the a-pawn of either side and dies from the fifteenth half-move on.
    let go = "set -- $position; if [ $# -gt 16 ]; then exit 3; fi; echo info depth 1 score cp 5; \
        if [ $(($# % 2)) = 0 ]; then echo bestmove a2a3; else echo bestmove a6a5; fi";
    engine::engine(folder.path(), "mortal", &[], go);
    let shown = success(folder.path(), "metrics human random g.pgn --judge uci=./mortal,nodes=7");
    assert!(shown.contains("caution: the judge failed in 3 of 12 positions"), "{shown}");
    assert!(shown.contains("mortal ended (exit status: 3)"), "{shown}");
}

/// Defect 1: every position of the file was held in memory before a sample of them was taken.
#[test]
#[cfg(target_os = "linux")]
fn a_sample_needs_memory_for_the_sample_alone() {
    let folder = stage();
    std::fs::write(folder.path().join("many.pgn"), GAME.repeat(40_000)).unwrap();
    let sample = "metrics human random many.pgn --per-game 6 --sample 20";
    let output = limited(folder.path(), "ulimit -v 400000", sample);
    assert!(output.status.success(), "{output:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    let all = shown.lines().find(|line| line.trim_start().starts_with("all")).unwrap();
    assert_eq!(all.split_whitespace().nth(2), Some("20"), "{shown}");
}

#[test]
#[cfg(unix)]
fn an_engine_without_expectations_is_refused() {
    let folder = stage();
    std::fs::write(folder.path().join("won.pgn"), GAME.replace('*', "1-0")).unwrap();
    engine::engine(folder.path(), "silent", &[], "echo info depth 1 score cp 5; echo bestmove h7h6");
    let message = failure(folder.path(), "metrics value uci=./silent,nodes=1 won.pgn");
    assert!(message.contains("UCI_ShowWDL") || message.contains("an expectation is missing"), "{message}");
}
