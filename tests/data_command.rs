//! `tabiya data` as a user runs it: from files of games to a store and its contents, and the handling of bad files.

use crate::program;

use std::{
    fmt::Write as _,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::Stdio,
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

use program::{both, command, json, limited, refusal, refused, success, with_input};

/// Two whole games, one of them analysed, and one with an illegal move between them.
const GAMES: &str = "\
[White \"Anderssen\"]
[Result \"1-0\"]

{ [%eval 0.2] } 1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 2. Qh5 { [%eval 0.0] } Nc6 { [%eval 0.1] } 1-0

[White \"Broken\"]
[Result \"0-1\"]

1. e4 e5 2. Ke3 0-1

[White \"Morphy\"]
[Result \"1/2-1/2\"]

1. d4 d5 2. c4 1/2-1/2
";

fn folder_of_games() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn games_become_a_store_that_is_counted_and_shown() {
    let folder = folder_of_games();
    let folder = folder.path();
    let (summary, reports) = both(folder, "data build games.store games.pgn --rejected broken.txt");
    assert!(summary.starts_with("games.store: 7 positions of 2 games"), "{summary}");
    assert!(reports.contains("games.pgn:9: illegal_move: Ke3 as half-move 3"), "{reports}");
    assert_eq!(std::fs::read_to_string(folder.join("broken.txt")).unwrap(), reports);

    let statistics = json(folder, "data stats games.store --json");
    assert_eq!((&statistics["games"], &statistics["positions"]), (&2.into(), &7.into()));
    assert_eq!(statistics["rejected"]["illegal_move"], 1);
    assert!(statistics["results"].is_object(), "{statistics}");

    let shown = success(folder, "data show games.store");
    assert!(shown.contains("FEN ") && shown.contains("best move ") && shown.contains("games.pgn"), "{shown}");
}

#[test]
fn statistics_are_drawn_in_one_file_of_a_store_and_of_games() {
    let folder = folder_of_games();
    let folder = folder.path();
    success(folder, "data build games.store games.pgn --validation 0.5");
    std::fs::write(folder.join("eco.csv"), "eco,eco_name,eco_example\nD06,Queen's Gambit,1 d4 d5 2 c4\n")
        .unwrap();
    for input in ["games.store", "games.pgn"] {
        let text = success(folder, &format!("data stats {input} --html page.html --openings eco.csv"));
        assert!(text.contains("Queen's Gambit") || input == "games.store", "{text}");
        let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
        assert!(page.contains("Games by result") && page.contains("width:100.00%"), "{page}");
        assert!(!page.contains("http") && !page.contains("<script"), "nothing from outside: {page}");
    }
    let (text, reports) = both(folder, "data stats games.pgn --json");
    let statistics: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&statistics["games"], &statistics["rejected"]["illegal_move"]), (&2.into(), &1.into()));
    assert!(reports.contains("games.pgn:9: illegal_move"), "{reports}");
    let message = refusal(folder, "data stats games.store --openings games.pgn", 1);
    assert!(message.contains("games.pgn") && message.contains("eco,eco_name,eco_example"), "{message}");
}

/// The figures that distinguish Catfish V2 from V3, and V1 from both.
#[test]
fn labels_of_recipes_are_counted_by_split() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let game = |number: u32, evaluation: &str| {
        format!(
            "[Event \"{number}\"]\n[Result \"1-0\"]\n\n{{ [%eval 0.3] }} 1. e4 {{ [%eval {evaluation}] }} e5 \
             {{ [%eval {evaluation}] }} 2. {} {{ [%eval 0.1] }} 1-0\n\n",
            ["Nf3", "Nc3", "f4", "d4"][number as usize]
        )
    };
    let games: String = (0..4).map(|number| game(number, "#4")).collect();
    std::fs::write(folder.join("games.pgn"), games).unwrap();
    success(folder, "data build games.store games.pgn --evaluated --validation 0.5");
    let recipes = ["catfish-v1", "catfish-v2", "catfish-v3"]
        .map(|name| format!("--recipe {}/recipes/{name}", env!("CARGO_MANIFEST_DIR")));
    let statistics =
        json(folder, &format!("data stats games.store --json --html page.html {}", recipes.join(" ")));
    let charts = statistics["value_labels"].as_array().unwrap();
    let positions = statistics["positions"].as_u64().unwrap();
    let count = |chart: &Value, bar: usize| -> u64 {
        let splits = &chart["bars"][bar][1];
        splits[0].as_u64().unwrap() + splits[1].as_u64().unwrap()
    };
    for chart in charts {
        assert_eq!((0..40).map(|bar| count(chart, bar)).sum::<u64>(), positions, "{chart}");
    }
    let at_ends = |chart: &Value| -> u64 {
        let words = chart["facts"][0].as_str().unwrap().split(' ');
        words.filter_map(|word| word.parse::<u64>().ok()).take(2).sum()
    };
    assert_eq!(count(&charts[0], 0), 0, "White, who sees every position of V1, mates: {}", charts[0]);
    assert!(
        count(&charts[1], 0) > 0,
        "the side that has just moved sees every position of V2: {}",
        charts[1]
    );
    assert!(at_ends(&charts[1]) > 0 && at_ends(&charts[2]) == 0, "{charts:?}");
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
    assert_eq!(page.matches("Value targets of catfish-v").count(), 3, "{page}");
    let of_games = format!("data stats games.pgn {}", recipes[0]);
    refused(folder, &of_games, 1, "--recipe: found games, expected a store");
}

#[test]
fn a_curve_is_fitted_to_results_and_few_of_them_are_refused() {
    let folder = folder_of_games();
    let folder = folder.path();
    success(folder, "data build few.store games.pgn --validation 0");
    let message = refusal(folder, "data fit-wdl few.store", 1);
    assert!(message.contains("few.store") && message.contains("expected 1000 or more"), "{message}");
    // White wins with three pawns, and half of the games without them.
    let game = |number: u32| {
        let (evaluation, result) = match number % 4 {
            0 => ("3.0", "1-0"),
            1 => ("0.3", "1-0"),
            2 => ("0.0", "1/2-1/2"),
            _ => ("-0.3", "0-1"),
        };
        let comment = format!("{{ [%eval {evaluation}] }}");
        format!(
            "[Site \"{number}\"]\n\n{comment} 1. e4 {comment} e5 {comment} 2. Nf3 {comment} Nc6 {result}\n\n"
        )
    };
    std::fs::write(folder.join("many.pgn"), (0..400).map(game).collect::<String>()).unwrap();
    success(folder, "data build many.store many.pgn --validation 0 --keep-duplicates");
    let fit = json(folder, "data fit-wdl many.store --json");
    assert_eq!(fit["samples"], 1600);
    assert!(fit["logistic"]["loss"].as_f64() < fit["default"]["loss"].as_f64(), "{fit}");
    let text = success(folder, "data fit-wdl many.store");
    assert!(text.contains("value_target = { from = \"evaluation\", curve = { kind = "), "{text}");
}

#[test]
fn bad_files_are_named_and_leave_nothing() {
    let folder = folder_of_games();
    let folder = folder.path();
    std::fs::write(folder.join("empty.pgn"), "").unwrap();
    std::fs::write(folder.join("binary.pgn"), [0x4d, 0x5a, 0, 3, 0, 0, 0xff, 0xfe]).unwrap();
    std::fs::write(folder.join("broken.pgn"), "1. e4 e5 2. Ke3 *\n").unwrap();
    let before = names(folder);
    for (input, expected) in [
        ("empty.pgn", "empty.pgn at byte 0: found an empty file, expected text"),
        ("binary.pgn", "binary.pgn at byte 2: found a zero byte"),
        ("broken.pgn", "no sample to store: 1 games read, 1 broken"),
        ("nowhere.pgn", "cannot open nowhere.pgn"),
    ] {
        refused(folder, &format!("data build games.store {input}"), 1, expected);
        assert_eq!(names(folder), before, "{input}");
    }
    // Which games were left out and what to do is said by reason.
    std::fs::write(
        folder.join("plain.pgn"),
        "[White \"a\"]\n\n1. e4 e5 *\n\n[White \"b\"]\n\n1. d4 d5 *\n\n[WhiteElo \"2000\"]\n[BlackElo \"2000\"]\n\n1. c4 *\n",
    )
    .unwrap();
    let expected = "3 filtered out: 3 have no evaluations (`tabiya data label` makes them)";
    refused(folder, "data build games.store plain.pgn --evaluated", 1, expected);
    let text = success(folder, "data build rated.store plain.pgn --min-rating 1900");
    assert!(
        text.contains("2 filtered out (2 have no ratings or others (--min-rating, --max-rating))"),
        "{text}"
    );
    std::fs::remove_dir_all(folder.join("rated.store")).unwrap();
    std::fs::remove_file(folder.join("plain.pgn")).unwrap();
    refused(folder, "data stats nowhere", 1, "nowhere: not a readable sample store: found nothing");
    refused(folder, "data show .", 1, "not a readable sample store: found no manifest.json");

    success(folder, "data build games.store games.pgn");
    refused(folder, "data build games.store games.pgn", 1, "games.store exists already");
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_no_half_store() {
    let folder = folder_of_games();
    let folder = folder.path();
    let mut games = String::new();
    for number in 0..400 {
        write!(
            games,
            "[White \"{number}\"]\n\n1. {} {} *\n\n",
            ["e4", "d4"][number % 2],
            ["e5", "c5"][number / 2 % 2]
        )
        .unwrap();
    }
    std::fs::write(folder.join("many.pgn"), games).unwrap();
    let before = names(folder);
    // A limit of one block on the size of a file stands for the full disk: the write fails in the same place.
    let build = "data build games.store many.pgn --keep-duplicates";
    let output = limited(folder, "trap '' XFSZ; ulimit -f 1", build);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("cannot write games.store.partial/"), "{message}");
    assert_eq!(names(folder), before);
}

#[test]
fn of_two_builds_onto_one_output_one_is_refused_and_the_store_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut games = String::new();
    for number in 0..20_000 {
        write!(games, "[White \"{number}\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O *\n\n")
            .unwrap();
    }
    std::fs::write(folder.join("many.pgn"), games).unwrap();
    let build = || {
        let mut build = command(folder, "data build games.store many.pgn --keep-duplicates");
        build.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let outputs = [build(), build()].map(|child| child.wait_with_output().unwrap());
    let refused: Vec<_> = outputs.iter().filter(|output| output.status.code() == Some(1)).collect();
    let [refused] = refused[..] else { panic!("{outputs:?}") };
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(
        message.contains("games.store is being written") || message.contains("exists already"),
        "{message}"
    );
    success(folder, "data verify games.store");
    assert_eq!(json(folder, "data stats games.store --json")["positions"], 180_000);
}

#[test]
fn a_report_of_broken_games_never_overwrites_an_input() {
    let folder = folder_of_games();
    let folder = folder.path();
    for places in ["games.store games.pgn --rejected ./games.pgn", "out/games.store . --rejected games.pgn"] {
        refused(folder, &format!("data build {places}"), 1, "games.pgn is one of the inputs");
    }
    assert_eq!(std::fs::read_to_string(folder.join("games.pgn")).unwrap(), GAMES);
}

#[test]
#[cfg(target_os = "linux")]
fn a_report_that_cannot_be_written_publishes_no_store() {
    let folder = folder_of_games();
    let folder = folder.path();
    let before = names(folder);
    refused(folder, "data build games.store games.pgn --rejected /dev/full", 1, "No space left");
    assert_eq!(names(folder), before);
}

#[test]
fn a_missing_second_input_is_found_before_the_first_is_read() {
    let folder = folder_of_games();
    let folder = folder.path();
    let message = refusal(folder, "data build games.store games.pgn nowhere.pgn", 1);
    assert!(message.contains("cannot open nowhere.pgn"), "{message}");
    assert!(!message.contains("illegal_move"), "the first input was read: {message}");
}

#[test]
fn a_damaged_store_is_refused_by_every_reader() {
    let folder = folder_of_games();
    let folder = folder.path();
    success(folder, "data build games.store games.pgn --validation 0");
    let file = folder.join("games.store/train-00000.parquet");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    for command in ["verify", "stats", "show"] {
        let message = refusal(folder, &format!("data {command} games.store"), 1);
        let is_named = message.contains("train-00000.parquet") && message.contains("as the manifest says");
        assert!(is_named, "{message}");
    }
}

#[test]
fn games_come_through_a_pipe() {
    let folder = folder_of_games();
    let folder = folder.path();
    let output = with_input(folder, "data build games.store -", GAMES);
    assert!(String::from_utf8_lossy(&output.stdout).contains("7 positions of 2 games"), "{output:?}");
}

#[test]
fn a_long_build_prints_lines_where_there_is_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let mut build = command(folder.path(), "data build games.store -");
    build.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = build.spawn().unwrap();
    let mut games = child.stdin.take().unwrap();
    games.write_all(GAMES.replace("2. Ke3", "2. Ke2").as_bytes()).unwrap();
    // The build waits for more games, so the line comes however fast the build is; if no line comes, the games end
    // after a while.
    let (read, is_read) = mpsc::channel::<()>();
    let waiting = thread::spawn(move || {
        let _ = is_read.recv_timeout(Duration::from_mins(2));
        drop(games);
    });
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains(" read, ") && line.ends_with(" elapsed\n"), "{line:?}");
    drop(read);
    waiting.join().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("games.store: 10 positions"), "{line}");
}

#[test]
fn evaluations_of_several_moves_train_a_network() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut lines = String::new();
    for (file, rank) in (0..8).flat_map(|file| (1..6).map(move |rank| (file, rank))) {
        let gap = |count: usize| if count == 0 { String::new() } else { count.to_string() };
        let row = format!("{}P{}", gap(file), gap(7 - file));
        let ranks: Vec<&str> = (0..8)
            .map(|at| {
                ["8", "k7", "4K3", &row]
                    [usize::from(at == 0) + 2 * usize::from(at == 7) + 3 * usize::from(at == rank && at > 0)]
            })
            .collect();
        writeln!(
            lines,
            "{{\"fen\":\"{} w - -\",\"evals\":[{{\"knodes\":3,\"depth\":9,\"pvs\":[{{\"cp\":120,\"line\":\"e1d2\"}},{{\"cp\":110,\"line\":\"e1e2\"}}]}}]}}",
            ranks.join("/")
        )
        .unwrap();
    }
    std::fs::write(folder.join("evaluations"), lines).unwrap();
    let build =
        ["data", "build", "soft.store", "evaluations", "--validation", "0.3", "--engine", "Stockfish 15.1"];
    let (summary, reports) = both(folder, &build);
    assert!(summary.contains("records"), "{summary}\n{reports}");
    std::fs::write(
        folder.join("soft.toml"),
        "title = \"soft\"\ndata = \"soft.store\"\n[training]\nsteps = 40\nbatch = 8\nthreads = 1\nvalidation_positions = 8\n\
         statistics_positions = 16\n[network]\nblocks = 1\nchannels = 16\nvalue = { channels = 2, hidden = 8 }\n[losses]\n\
         policy_temperature = 0.1\n[schedule]\nkind = \"cosine\"\npeak = 0.02\nlast = 0.001\nwarmup = 2\n[optimiser]\naverage_decay = 0.5\n",
    )
    .unwrap();
    let outcome = json(folder, "train soft.toml --json");
    let validation = &outcome["validation"];
    let (loss, uniform) = (&validation["policy_loss"], &validation["baselines"]["policy_loss"]);
    assert!(loss.as_f64().unwrap() < uniform.as_f64().unwrap(), "{loss} against {uniform}");
    // Two moves share the target: no network can have a lower loss than that.
    assert!(loss.as_f64().unwrap() > 0.6, "{loss} is less than the entropy of the target");
}
