//! `tabiya data sql` as a user runs it.

use crate::games;

use crate::program;

use std::path::Path;
#[cfg(unix)]
use std::process::{Child, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use program::{Arguments, json, read_json, refusal, refused, success, tabiya};
#[cfg(unix)]
use program::{command, kill, signal, wait_until};

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
    success(folder.path(), "data build store games.pgn");
    folder
}

fn sql(folder: &Path, arguments: &(impl Arguments + ?Sized)) -> String {
    let output = tabiya(folder, &[&["data", "sql"], &arguments.words()[..]].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
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
fn positions_of_chess960_are_queried_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let fen = "nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN";
    let game = format!("[FEN \"{fen} w FBfb - 0 1\"]\n\n1. e3 e6 2. Be2 Be7 3. O-O-O *\n");
    std::fs::write(folder.path().join("games.pgn"), game).unwrap();
    assert!(tabiya(folder.path(), &["data", "build", "store", "games.pgn"]).status.success());
    let ask = |query: &str| sql(folder.path(), &[query, "store", "--csv"]);
    let first = format!(
        "SELECT fen(position), position = from_fen('{fen} w FBfb - 0 1') FROM positions WHERE ply = 0"
    );
    assert_eq!(ask(&first).lines().nth(1), Some(format!("{fen} w KQkq - 0 1,true").as_str()));
    let castling = "SELECT san(position, best_move), uci(position, best_move) FROM positions WHERE ply = 4";
    assert_eq!(ask(castling).lines().nth(1), Some("O-O-O,c1b1"));
}

#[test]
fn named_queries_take_one_store_or_more() {
    let folder = folder_with_store();
    let one = sql(folder.path(), "--query duplicates store --csv");
    std::fs::write(folder.path().join("more.pgn"), "1. c4 0-1\n").unwrap();
    success(folder.path(), "data build more more.pgn");
    let both = sql(folder.path(), "--csv --query duplicates store more");
    let most = |rows: &str| rows.lines().nth(1).map(str::to_owned);
    assert_ne!(most(&one), most(&both), "the start position is stored once more");
}

#[test]
fn the_list_names_tables_functions_and_queries() {
    let folder = tempfile::tempdir().unwrap();
    let list = sql(folder.path(), "--list");
    for name in
        ["positions", "games", "legal_moves(position)", "win_probability(", "duplicates", "without-leaks"]
    {
        assert!(list.contains(name), "{name}: {list}");
    }
}

#[test]
fn what_cannot_be_answered_says_why() {
    let folder = folder_with_store();
    let unknown = refusal(folder.path(), "data sql --query without-leak store", 1);
    assert!(
        unknown.contains("\"without-leak\"") && unknown.contains("deduplicated, duplicates"),
        "{unknown}"
    );
    let wrong = refusal(folder.path(), "data sql 'SELECT fan(position) FROM positions' store", 1);
    assert!(wrong.contains("the query failed") && wrong.contains("fan"), "{wrong}");
    for (arguments, code, expected) in [
        ("data sql 'SELECT 1'", 1, "expected at least one"),
        ("data sql 'SELECT 1' store store", 1, "found store twice"),
        ("data sql 'SELECT 1' nowhere", 1, "nowhere"),
        ("data sql", 2, "Usage: "),
        ("data sql 'SELECT 1' store --csv --json", 2, "--json"),
    ] {
        refused(folder.path(), arguments, code, expected);
    }
}

/// A store of random games, some of whose validation positions are trained on.
fn folder_with_leaks() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.pgn"), games::random_games(60, 40, true)).unwrap();
    success(folder.path(), "data build store games.pgn --validation 0.3");
    folder
}

const RECIPE: &str = "title = \"tiny\"\ndata = \"clean\"\n[training]\nsteps = 3\nbatch = 16\nthreads = 1\n\
    validation_interval = 1000000\nvalidation_positions = 64\nstatistics_positions = 64\nlog_interval = 1\n\
    [network]\nblocks = 1\nchannels = 8\nvalue = { channels = 2, hidden = 8 }\n\
    [schedule]\nkind = \"cosine\"\npeak = 0.002\nlast = 0.000002\nwarmup = 0\n";

#[test]
fn a_query_makes_a_store_from_which_a_network_learns() {
    let folder = folder_with_leaks();
    let folder = folder.path();
    let leaks_and_validation = |store: &str| {
        let stats = json(folder, &format!("data stats {store} --json"));
        [&stats["leaks"], &stats["splits"]["validation"]].map(|part| part["positions"].as_u64().unwrap())
    };
    let [leaks, validation] = leaks_and_validation("store");
    assert!(leaks > 10, "{leaks}");
    let made = sql(folder, "--store clean --query without-leaks store");
    let left = validation - leaks;
    assert!(
        made.starts_with("clean: ") && made.contains(&format!("and {left} validation positions")),
        "{made}"
    );
    assert_eq!(leaks_and_validation("clean"), [0, left]);
    for command in ["verify", "stats", "show"] {
        success(folder, &format!("data {command} clean"));
    }
    let manifest = read_json(&folder.join("clean/manifest.json"));
    assert!(manifest["query"].as_str().unwrap().contains("RIGHT ANTI JOIN"), "{manifest}");
    assert_eq!(manifest["merged"][0]["path"], "store");

    std::fs::write(folder.join("tiny.toml"), RECIPE).unwrap();
    success(folder, "train tiny.toml --json");
    assert!(folder.join("runs/tiny/network.tabiya").exists());
}

#[test]
fn a_store_of_rows_is_whole_or_not_there() {
    let folder = folder_with_leaks();
    let folder = folder.path();
    for (arguments, code, expected) in [
        ("--store store 'SELECT * FROM positions' store", 1, "store exists already"),
        ("--store new 'SELECT * FROM positions' store --threads 2", 1, "--threads: found 2, expected 1"),
        ("--store new 'SELECT position FROM positions' store", 1, "column best_move: found none"),
        ("--store new 'SELECT * FROM positions' store --csv", 2, "--csv"),
    ] {
        refused(folder, &format!("data sql {arguments}"), code, expected);
    }
    let left = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().contains("new")));
}

/// Starts a query for the store `new` that would take hours, every sample many thousand times, and waits until it writes.
#[cfg(unix)]
fn endless_store(folder: &Path) -> Child {
    let endless = "SELECT a.* FROM positions a CROSS JOIN positions b CROSS JOIN positions c";
    let mut query = command(folder, &format!("data sql --store new '{endless}' store"));
    let child = query.stderr(Stdio::null()).spawn().unwrap();
    wait_until("a row", || folder.join("new.partial").exists());
    child
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_nothing_of_a_store_of_rows() {
    let folder = folder_with_leaks();
    let folder = folder.path();
    assert_eq!(signal(endless_store(folder), "INT").status.code(), Some(130));
    let left = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().contains("new")));
}

#[test]
#[cfg(unix)]
fn a_store_of_rows_is_the_same_after_a_kill() {
    let folder = folder_with_leaks();
    let folder = folder.path();
    kill(endless_store(folder));
    for store in ["new", "undisturbed"] {
        sql(folder, &["--store", store, "SELECT * FROM positions", "store"]);
    }
    assert!(!folder.join("new.partial").exists());
    let files = |store: &str| -> Vec<Vec<u8>> {
        let files = files::entries(&folder.join(store)).unwrap();
        let data = files.iter().filter(|file| !file.ends_with(files::run::MANIFEST));
        data.map(|file| std::fs::read(file).unwrap()).collect()
    };
    assert_eq!(files("new"), files("undisturbed"));
    assert!(!files("new").is_empty());
}
