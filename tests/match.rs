//! `tabiya match` as a user and a script see it: results with their intervals, game files that survive a kill, and bad
//! input that costs nothing.

#[cfg(unix)]
use crate::engine;
use crate::program;

use std::path::Path;
#[cfg(unix)]
use std::process::{Child, Stdio};

use dataset::source::PgnSource;
use serde_json::Value;

use program::{both, json, refusal, refused, success};
#[cfg(unix)]
use program::{command, kill, signal, wait_until};

/// The games played, without the times they took.
fn moves(result: &Value) -> Vec<Value> {
    let games = result["game_list"].as_array().unwrap().iter();
    games.map(|game| serde_json::json!([game["index"], game["fingerprint"], game["result"]])).collect()
}

/// The games of a file as the reader of training data sees them: every game must be whole and legal.
fn games(path: &Path) -> Vec<dataset::record::GameRecord> {
    let source = PgnSource::open(path).unwrap();
    source.map(|game| game.unwrap().unwrap()).collect()
}

#[test]
fn the_greedy_mover_beats_the_random_one_by_more_than_its_error() {
    let folder = tempfile::tempdir().unwrap();
    let play = "match material random --games 40 --max-moves 200 --seed 3 --json";
    let result = json(folder.path(), &format!("{play} --pgn games.pgn"));
    let tally = &result["games"];
    let count = |key: &str| tally[key].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), 40, "{tally}");
    let pairs: u64 = result["pairs"].as_array().unwrap().iter().map(|pair| pair.as_u64().unwrap()).sum();
    assert_eq!(pairs, 20);
    assert!(result["elo"]["lower"].as_f64().unwrap() > 0.0, "{}", result["elo"]);
    let conditions = &result["conditions"];
    assert_eq!((&conditions["games"], &conditions["seed"]), (&40.into(), &3.into()));
    assert_eq!(conditions["players"][0]["specification"], "material");
    assert!(!conditions["machine"].as_str().unwrap().is_empty());
    assert_eq!(result["game_list"].as_array().unwrap().len(), 40);
    assert_eq!(games(&folder.path().join("games.pgn")).len(), 40);

    let (again, log) = both(folder.path(), play);
    assert_eq!(moves(&serde_json::from_str(&again).unwrap()), moves(&result), "equal seeds, equal games");
    // Without a terminal, the first game gives the first line of the log.
    assert!(log.starts_with("1/40 games, "), "{log}");
    assert!(log.contains("material - random: +"), "{log}");
}

#[test]
fn the_bundled_network_plays_and_its_evaluations_are_in_the_game_file() {
    let folder = tempfile::tempdir().unwrap();
    let shown = success(folder.path(), "match default,nodes=2 random --games 2 --max-moves 12 --pgn g.pgn");
    for expected in ["default,nodes=2 against random: 2 of 2 games", "score", "95 %", "openings", "machine"] {
        assert!(shown.contains(expected), "{expected:?} is missing in\n{shown}");
    }
    let text = std::fs::read_to_string(folder.path().join("g.pgn")).unwrap();
    assert!(text.contains("[%eval ") && text.contains("[%nodes ") && text.contains("[%emt "), "{text}");
    let evaluated = games(&folder.path().join("g.pgn"))
        .iter()
        .flat_map(|game| &game.moves)
        .filter(|played| played.evaluation.is_some())
        .count();
    assert!(evaluated > 10, "{evaluated} evaluations are read back");
}

#[test]
fn openings_come_from_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let fen = "8/8/4k3/8/8/3K4/4P3/8 w - - 0 1";
    std::fs::write(folder.path().join("book.epd"), format!("{fen}\n")).unwrap();
    for (openings, source) in [
        ("book.epd", "book.epd"),
        ("startpos", "start position"),
        ("random:4", "4 random plies"),
        ("endgames:6", "random endgames of up to 6 pieces"),
    ] {
        let play = ["match", "random", "random", "--games", "2", "--max-moves", "9", "--openings", openings];
        let pgn = format!("{source}.pgn");
        let result = json(folder.path(), &[&play[..], &["--json", "--pgn", &pgn]].concat());
        assert_eq!(result["conditions"]["openings"], source);
    }
    let text = std::fs::read_to_string(folder.path().join("book.epd.pgn")).unwrap();
    assert_eq!(text.matches(&format!("[FEN \"{fen}\"]")).count(), 2, "{text}");
}

#[test]
fn usage_errors_exit_with_2() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, code, expected) in [
        ("match default", 2, "required arguments"),
        ("match default stockfish", 2, "begins with \"stockfish\""),
        ("match default random,nodes=5", 2, "does not search"),
        ("match default uci=stockfish", 2, "needs one of nodes, depth, movetime, tc"),
        ("match random uci=stockfish,option.UCI_Elo=1500,nodes=1", 2, "add option.UCI_LimitStrength=true"),
        ("match random random --games 3", 2, "expected an even number"),
        ("match random random --games 0", 2, "expected an even number"),
        ("match random random --resign 600", 2, "expected CP:N"),
        ("match random random --draw 1:2", 2, "expected M:CP:N"),
        ("match random random --sprt 5", 2, "expected ELO0:ELO1"),
        ("match random random --resume", 2, "--out"),
        ("match random random --format knockout", 2, "gauntlet, round-robin"),
    ] {
        refused(folder.path(), arguments, code, expected);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was written");
}

#[test]
fn failures_are_named_and_exit_with_1() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.epd"), "# nothing\n").unwrap();
    std::fs::write(folder.path().join("bad.epd"), "8/8/8/8/8/8/8/8 w - -\n").unwrap();
    std::fs::write(folder.path().join("nothing.epd"), "").unwrap();
    for (arguments, code, expected) in [
        ("match net=none.tabiya random", 1, "none.tabiya"),
        ("match default,option.Nonsense=1 random", 1, "Nonsense"),
        ("match random uci=no-such-engine,nodes=1", 1, "no-such-engine"),
        ("match random uci=true,nodes=1", 1, "true"),
        ("match random random --openings none.epd", 1, "none.epd"),
        (
            "match random random --openings empty.epd",
            1,
            "empty.epd holds no position; expected EPD or FEN lines",
        ),
        ("match random random --openings nothing.epd", 1, "found an empty file, expected lines of text"),
        ("match random random --openings bad.epd", 1, "bad.epd:1"),
        ("match random random --openings random:many", 1, "expected random:PLIES"),
        ("match random random --openings random:1", 1, "different ones found"),
        ("match random random --openings endgames:2", 1, "expected endgames:PIECES"),
        ("match random random --pgn no/such/folder.pgn", 1, "no/such/folder.pgn"),
        ("match random random --out empty.epd", 1, "empty.epd"),
        ("match random random --sprt 5:0", 1, "elo1 at least 0.01 above elo0"),
        ("match random random --sprt 0:2001 --normalized", 1, "from -2000 to 2000"),
        ("match random random --sprt=-1e308:1e308", 1, "from -2000 to 2000"),
        ("match random random --sprt 0:nan", 1, "from -2000 to 2000"),
        ("match random random random --sprt 0:5", 1, "compares two players; found 3"),
        ("match random uci=true,nodes=1", 1, "uciok (is it a UCI engine?)"),
    ] {
        refused(folder.path(), arguments, code, expected);
    }
}

/// An engine that runs `go`, as a player.
#[cfg(unix)]
fn engine(folder: &Path, name: &str, go: &str) -> String {
    engine::engine(folder, name, &[], go);
    format!("uci=./{name},nodes=1")
}

#[test]
#[cfg(unix)]
fn engines_that_fail_lose_and_the_game_file_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    for (name, go, expected) in [
        ("crasher", "exit 3", "crash"),
        ("cheater", "echo bestmove e2e5", "illegal_move"),
        ("quitter", "echo bestmove 0000", "illegal_move"),
        ("babbler", "echo bestmove what ever", "unreadable_move"),
        ("chatterer", "echo no idea; echo $rest", "unresponsive"),
        ("sleeper", "sleep 5", "unresponsive"),
        ("closer", "exec >&-", "crash"),
    ] {
        let player = engine(folder.path(), name, go);
        let pgn = format!("{name}.pgn");
        let play = format!("match {player} random --games 2 --patience 1 --concurrency 2 --pgn {pgn} --json");
        let result = json(folder.path(), &play);
        assert_eq!(result["games"]["losses"], 2, "{name}: {}", result["games"]);
        assert_eq!(result["elo"]["method"], "one_sided", "no rating from failures");
        for game in result["game_list"].as_array().unwrap() {
            assert_eq!((&game["termination"], &game["loser"]), (&expected.into(), &"first".into()), "{game}");
        }
        let text = std::fs::read_to_string(folder.path().join(&pgn)).unwrap();
        assert_eq!(text.matches("[Event ").count(), 2, "{text}");
    }
}

/// Starts a long match and waits until it has written this many games.
#[cfg(unix)]
fn long_match(folder: &Path, arguments: &str, file: &str, games: usize) -> Child {
    let mut command = command(folder, &format!("match random random {arguments}"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let text = || std::fs::read_to_string(folder.join(file)).unwrap_or_default();
    wait_until("a game", || text().matches("[Event ").count() >= games);
    child
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_the_match_with_its_result_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let child = long_match(folder.path(), "--games 20000 --pgn long.pgn --json", "long.pgn", 3);
    let output = signal(child, "INT");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"), "{output:?}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let played = result["game_list"].as_array().unwrap().len();
    assert!((3..20_000).contains(&played), "{played}");
    assert_eq!(result["ended_early"], "interrupted");
    assert_eq!(games(&folder.path().join("long.pgn")).len(), played, "the file holds what the result counts");
}

#[test]
#[cfg(unix)]
fn a_killed_match_goes_on_and_ends_as_if_nothing_had_happened() {
    let folder = tempfile::tempdir().unwrap();
    kill(long_match(folder.path(), "--games 200 --seed 5 --out killed", "killed/games.pgn", 3));
    let journal = std::fs::read_to_string(folder.path().join("killed/games.jsonl")).unwrap();
    let before = journal.lines().count();
    assert!(before < 200, "killed too late");

    let play = "match random random --json --games 200 --seed 5";
    let again = format!("{play} --out killed");
    refused(folder.path(), &again, 1, "holds work of an earlier command; add --resume");
    let other = "match random random --games 200 --seed 6 --out killed --resume";
    refused(folder.path(), other, 1, "started with seed = 5, not 6");

    let resumed = json(folder.path(), &format!("{again} --resume"));
    let whole = json(folder.path(), play);
    assert_eq!(moves(&resumed), moves(&whole));
    for key in ["games", "pairs", "elo", "distinct_games", "terminations", "outcomes"] {
        assert_eq!(resumed[key], whole[key], "{key}");
    }
    assert_eq!(games(&folder.path().join("killed/games.pgn")).len(), 200);
    let kept: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("killed/result.json")).unwrap()).unwrap();
    assert_eq!(kept["games"], whole["games"]);
}

/// Defect 10: two commands wrote into one folder, which no later command could use.
#[test]
#[cfg(unix)]
fn a_folder_has_one_match_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let child = long_match(folder.path(), "--games 20000 --out shared", "shared/games.pgn", 2);
    let resume = "--games 20000 --out shared --resume";
    let message = refusal(folder.path(), &format!("match random random {resume}"), 1);
    assert!(
        message.contains("is being written by another process") && message.contains("shared"),
        "{message}"
    );
    assert!(message.contains(&child.id().to_string()), "{message}");
    kill(child);
    let journal = std::fs::read_to_string(folder.path().join("shared/games.jsonl")).unwrap();
    let indices: Vec<u64> = journal
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["game"]["index"].as_u64())
        .collect();
    assert!(indices.is_sorted_by(|one, next| one < next), "{indices:?}");
    kill(long_match(folder.path(), resume, "shared/games.pgn", 3));
}

#[test]
fn several_players_get_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let play =
        "match random material random,name=other --games 6 --max-moves 60 --format round-robin --out table";
    let result = json(folder.path(), &format!("{play} --json"));
    assert_eq!(result["kind"], "tabiya-tournament-1");
    assert_eq!(result["matches"].as_array().unwrap().len(), 3);
    let table = result["table"].as_array().unwrap();
    assert_eq!(table[0]["player"], "material", "the best stands first");
    for (row, line) in table.iter().enumerate() {
        let against = line["against"].as_array().unwrap();
        assert!(against[row].is_null());
        for (column, games) in against.iter().enumerate().filter(|(column, _)| *column != row) {
            assert_eq!(games["wins"], table[column]["against"][row]["losses"]);
        }
    }
    assert_eq!(games(&folder.path().join("table/games.pgn")).len(), 18);

    let shown = success(folder.path(), &format!("{play} --resume"));
    assert!(shown.contains("Elo in this field (95 %)"), "{shown}");
    assert_eq!(games(&folder.path().join("table/games.pgn")).len(), 18, "nothing was played again");
}

#[test]
fn a_sequential_test_stops_when_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    let play = "match material random --games 2000 --max-moves 150 --sprt 0:100 --json";
    let result = json(folder.path(), play);
    assert_eq!(result["sprt"]["state"]["verdict"], "h1", "{}", result["sprt"]);
    let played = result["game_list"].as_array().unwrap().len();
    assert!(played < 1000, "{played} games");
    assert_eq!(result["ended_early"], "the sequential test accepted H1");
}

#[test]
fn games_of_one_match_differ_under_a_temperature_and_come_again_with_the_seed() {
    let folder = tempfile::tempdir().unwrap();
    let player = "default,nodes=1,option.Temperature=2";
    let play = |player: &str, seed: &str| {
        let rules = "--games 8 --openings startpos --max-moves 10 --json";
        json(folder.path(), &format!("match {player} {player},name=other {rules} --seed {seed}"))
    };
    let first = play(player, "3");
    assert_eq!(first["distinct_games"], 8, "one opening, eight different games");
    assert_eq!(moves(&play(player, "3")), moves(&first));
    assert_ne!(moves(&play(player, "4")), moves(&first));
    assert_ne!(
        moves(&play(&format!("{player},option.Seed=5"), "3")),
        moves(&first),
        "the own seed counts too"
    );
}

#[test]
fn folders_without_tables_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("KQvK.rtbw"), "nonsense").unwrap();
    for (folders, expected) in
        [("none", "cannot read folder none"), (".", "it begins with"), ("", "names no folder")]
    {
        let message = refusal(folder.path(), &["match", "random", "random", "--syzygy", folders], 2);
        assert!(message.contains("--syzygy") && message.contains(expected), "{folders:?}: {message}");
    }
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_syzygy_tables_end_games() {
    let folder = tempfile::tempdir().unwrap();
    let tables = format!("{}/syzygy", std::env::var("TABIYA_DATA").unwrap());
    // King and pawn against king, won for White; two kings with a rook each, one capture away from a decided ending; a drawn one.
    let book = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1\n8/8/8/3k4/8/8/3K4/3R3r w - - 0 1\n8/8/4k3/8/4K3/4P3/8/8 w - - 0 1\n";
    std::fs::write(folder.path().join("book.epd"), book).unwrap();
    let play = "match random random,name=b --games 6 --openings book.epd --seed 2";
    let result = json(folder.path(), &format!("{play} --syzygy {tables} --out m --json"));
    let ends: Vec<&str> = result["game_list"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| game["termination"].as_str().unwrap())
        .collect();
    assert_eq!(ends, ["endgame_table"; 6]);
    assert!(result["game_list"].as_array().unwrap().iter().all(|game| game["plies"] == 0), "judged at once");
    let count = |key: &str| result["games"][key].as_u64().unwrap();
    assert_eq!(count("wins"), count("losses"), "each opening is won with one colour");
    assert!(count("wins") > 0, "{}", result["games"]);
    assert!(result["conditions"]["endgames"].as_str().unwrap().contains("up to 4 pieces"));
    let pgn = std::fs::read_to_string(folder.path().join("m/games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Termination \"adjudication\"]").count(), 6, "{pgn}");
    refused(folder.path(), &format!("{play} --out m --resume"), 1, "started with syzygy = ");

    // A game that begins long after the last capture: won within the fifty moves, and not.
    let book = "7k/8/6K1/8/8/8/8/R7 w - - 96 90\n8/8/8/4k3/8/8/8/K2Q4 w - - 96 90\n";
    std::fs::write(folder.path().join("late.epd"), book).unwrap();
    let late = format!("match random random,name=b --games 4 --openings late.epd --syzygy {tables} --json");
    let result = json(folder.path(), &late);
    assert_eq!(
        (result["games"]["wins"].as_u64(), result["games"]["draws"].as_u64()),
        (Some(1), Some(2)),
        "{result}"
    );

    // Without tables the same games are played out.
    let played = json(folder.path(), &format!("{play} --json"));
    assert!(
        played["game_list"].as_array().unwrap().iter().all(|game| game["termination"] != "endgame_table")
    );
}

#[test]
#[cfg(unix)]
fn options_out_of_range_are_refused_and_finished_games_need_no_engine() {
    let folder = tempfile::tempdir().unwrap();
    let spin = "option name Skill type spin default 1400 min 1400 max 1500";
    engine::engine(folder.path(), "ranged", &[spin], "exit 3");
    // The engine's options are known only when it is started, which is after the folder was opened.
    for (option, expected) in [
        ("Skill=900", "expected a whole number from 1400 to 1500, found \"900\""),
        ("Skill=strong", "expected a whole number from 1400 to 1500, found \"strong\""),
        ("Skills=1400", "no option \"Skills\"; it has: Skill"),
    ] {
        let play = format!("match random uci=./ranged,option.{option},nodes=1 --games 2 --out {option}");
        refused(folder.path(), &play, 1, expected);
        assert_eq!(std::fs::read_to_string(folder.path().join(option).join("games.pgn")).unwrap(), "");
    }
    // Finished games are kept and counted, even if the engine is gone.
    engine::engine(folder.path(), "mortal", &[], "echo bestmove a1a8");
    let play = "match uci=./mortal,nodes=1 random --games 4 --out kept --json";
    let result = json(folder.path(), play);
    assert_eq!(result["games"]["losses"], 4);
    std::fs::remove_file(folder.path().join("mortal")).unwrap();
    let again = json(folder.path(), &format!("{play} --resume"));
    assert_eq!(moves(&again), moves(&result), "nothing is left to play, so the engine is not needed");
}
