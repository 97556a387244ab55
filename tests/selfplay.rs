//! `tabiya selfplay` as users run it: alone, with workers, killed and restarted.

use crate::program;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::{Child, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use program::{command, failure, limited, read_json, refused, success, wait_until};

const GAMES: usize = 12;
/// Enough games per generation for two workers to get some.
const MANY: usize = 300;

/// Games of a dozen half-moves, a network of one block, four steps per generation.
const RECIPE: &str = r#"
title = "tiny"
start = "uniform"
[play]
nodes = 6
most_plies = 14
games_at_once = 4
openings = { kind = "random", plies = 4 }
options = { GumbelMoves = 4, MaterialNodes = 0 }
[replay]
games = 12
window = 2
validation_share = 0.5
[gate]
games = 2
nodes = 4
openings = "random:60"
[training]
steps = 4
batch = 8
threads = 1
validation_positions = 32
statistics_positions = 32
[network]
blocks = 1
channels = 16
value = { channels = 2, hidden = 8 }
[losses]
value_target = { from = "result" }
[schedule]
kind = "cosine"
peak = 0.002
last = 0.0002
warmup = 0
"#;

fn stage() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tiny.toml"), RECIPE).unwrap();
    folder
}

/// A process that is killed, not asked, when the test is done with it.
struct Running(Child);

impl Running {
    fn start(folder: &Path, arguments: &str) -> Self {
        Self(command(folder, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Kills the process like `kill -9`.
    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may already have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The games of all generations below a replay store.
fn games(store: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder)
            .map_or(Vec::new(), |entries| entries.map(|entry| entry.unwrap().path()).collect())
    };
    let generations = entries(&store.join("games"));
    let mut found: Vec<PathBuf> = generations.iter().flat_map(|folder| entries(folder)).collect();
    // Files that a killed process was writing lie beside the others under a name with a `#`.
    found.retain(|path| path.to_string_lossy().ends_with(".json.zst"));
    found.sort();
    found
}

/// The generations that a command printed, which must succeed.
fn generations(folder: &Path, arguments: &str) -> Vec<Value> {
    parsed(&success(folder, &format!("selfplay {arguments} --json")))
}

fn parsed(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every game is whole, has the id of its name, and differs from all others.
fn check_games(store: &Path) -> usize {
    let mut seen = BTreeSet::new();
    let names = games(store);
    for path in &names {
        let bytes = std::fs::read(path).unwrap();
        let game = selfplay::SelfPlayGame::from_bytes(&bytes, "test").unwrap();
        assert!(path.to_string_lossy().contains(&game.id.to_string()), "{} is {}", path.display(), game.id);
        assert!(seen.insert(game.seed), "{} repeats a game", path.display());
    }
    names.len()
}

#[test]
fn games_become_networks_that_play_the_next_games() {
    let folder = stage();
    let folder = folder.path();
    let ended = generations(folder, "tiny.toml --generations 2");
    assert_eq!(ended.len(), 2);
    assert_eq!(ended[1]["window"]["games"].as_u64().unwrap(), 2 * GAMES as u64);
    assert!(ended[1]["losses"]["policy"].as_f64().unwrap() > 0.0, "{}", ended[1]);
    assert_eq!(check_games(&folder.join("runs/tiny/replay")), 2 * GAMES);
    success(folder, "net info runs/tiny/replay/networks/00002.tabiya");
    // A finished run is only reported, and continues if more generations are wanted.
    assert_eq!(generations(folder, "tiny.toml --generations 2"), ended);
    assert_eq!(generations(folder, "tiny.toml --generations 3").len(), 3);
    let summary = folder.join("runs/tiny/summary.json");
    assert_eq!(read_json(&summary)["ending"], "finished");
    // One that goes on and is stopped has not finished.
    let endless = Running::start(folder, "selfplay tiny.toml --generations 1000");
    wait_until("the run goes on", || !summary.exists());
    endless.kill();
    assert!(!summary.exists());
    assert!(generations(folder, "tiny.toml --generations 3").len() >= 3);
    assert!(summary.exists());
}

#[test]
fn a_run_killed_again_and_again_loses_and_doubles_nothing() {
    let folder = stage();
    let folder = folder.path();
    let store = folder.join("runs/tiny/replay");
    for wanted in [3, GAMES, GAMES + 5] {
        let learner = Running::start(folder, "selfplay tiny.toml --generations 3");
        wait_until("a game", || games(&store).len() >= wanted);
        learner.kill();
    }
    let before = games(&store);
    let half = store.join("games/00000/.tabiya-a1b2c3.partial");
    std::fs::write(&half, "what a killed process was writing").unwrap();
    let ended = generations(folder, "tiny.toml --generations 3");
    assert!(!half.exists());
    assert_eq!(ended.len(), 3);
    assert_eq!(check_games(&store), 3 * GAMES);
    let after: BTreeSet<PathBuf> = games(&store).into_iter().collect();
    assert!(before.iter().all(|game| after.contains(game)), "a finished game stays");
    let learned: u64 = ended.iter().map(|generation| generation["games"]["games"].as_u64().unwrap()).sum();
    assert_eq!(learned, 3 * GAMES as u64);
}

/// Two runs with different names played the same games, until one found that the other had written them.
#[cfg(unix)]
#[test]
fn the_games_of_a_run_have_one_learner_under_all_names() {
    let folder = stage();
    let folder = folder.path();
    std::os::unix::fs::symlink("shared", folder.join("link")).unwrap();
    let first = Running::start(folder, "selfplay tiny.toml --store shared --generations 1000");
    wait_until("a game", || !games(&folder.join("shared")).is_empty());
    for store in ["shared", "link"] {
        let error =
            failure(folder, &format!("selfplay tiny.toml --store {store} --runs second --generations 1"));
        assert!(error.contains(&format!("{store} is being written by another process")), "{error}");
        assert!(!folder.join("second").exists(), "who is refused leaves nothing");
    }
    first.kill();
    generations(folder, "tiny.toml --store link --generations 1");
}

#[test]
fn a_learner_and_two_workers_share_a_folder_and_one_may_be_killed() {
    let folder = stage();
    let folder = folder.path();
    let recipe =
        RECIPE.replacen("games = 12", &format!("games = {MANY}"), 1).replacen("nodes = 6", "nodes = 40", 1);
    std::fs::write(folder.join("many.toml"), recipe).unwrap();
    let store = folder.join("shared");
    let place = store.to_str().unwrap();
    // The learner does not play itself: it starts one worker, and a second one joins.
    let learn = format!("selfplay many.toml --generations 2 --store {place} --workers 1 --json");
    let mut learner = command(folder, &learn);
    let mut learner = learner.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the run", || store.join("run.json").exists());
    let joined = Running::start(folder, &format!("selfplay --join {place} --name box-2 --threads 1"));
    let of_box_2 = || games(&store).iter().filter(|path| path.to_string_lossy().contains("box-2-")).count();
    wait_until("a game of the second worker", || of_box_2() > 0 || learner.try_wait().unwrap().is_some());
    assert!(of_box_2() > 0, "the second worker plays as well");
    joined.kill();
    let kept = of_box_2();
    let output = learner.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let ended = parsed(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(ended.len(), 2);
    assert!(of_box_2() >= kept);
    assert!(check_games(&store) >= 2 * MANY);
    let newest: u64 = ended.iter().map(|generation| generation["games"]["games"].as_u64().unwrap()).sum();
    assert!(newest >= 2 * MANY as u64, "every generation had its games");
    // A worker that joins a finished run has nothing to do.
    success(folder, &format!("selfplay --join {place} --name late"));
}

/// Workers played from the book on their own machine, whatever it held.
#[test]
fn a_worker_or_learner_with_another_opening_book_is_refused() {
    let folder = stage();
    let folder = folder.path();
    let book = "kind = \"book\", file = \"book.epd\"";
    let recipe = RECIPE.replacen("kind = \"random\", plies = 4", book, 1);
    std::fs::write(folder.join("tiny.toml"), recipe).unwrap();
    let position = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
    std::fs::write(folder.join("book.epd"), position).unwrap();
    generations(folder, "tiny.toml --store shared --generations 1");
    let join = "selfplay --join shared --name late";
    success(folder, join);
    std::fs::write(folder.join("book.epd"), position.replace(" w ", " b ")).unwrap();
    for command in [join, "selfplay tiny.toml --store shared --runs second --generations 1"] {
        let error = failure(folder, command);
        assert!(
            error.contains("shared: openings book.epd is not the one with which it was begun"),
            "{error}"
        );
    }
}

#[test]
fn what_cannot_be_joined_or_begun_is_refused_with_place_and_reason() {
    let folder = stage();
    let folder = folder.path();
    for (from, to) in [("GumbelMoves", "GumbleMoves"), ("\"uniform\"", "\"no/such.tabiya\"")] {
        std::fs::write(folder.join("other.toml"), RECIPE.replacen(from, to, 1)).unwrap();
        refused(folder, "selfplay other.toml", 1, to.trim_matches('"'));
    }
    assert!(!folder.join("runs/other/replay/run.json").exists(), "nothing is begun that cannot go on");
    // A run of another version of the program.
    std::fs::create_dir_all(folder.join("old")).unwrap();
    let run = r#"{"format": "tabiya-selfplay-run", "version": 2, "program": "tabiya 0.0.1", "recipe": ""}"#;
    std::fs::write(folder.join("old/run.json"), run).unwrap();
    let version = failure(folder, "selfplay --join old");
    assert!(version.contains("old/run.json") && version.contains("tabiya 0.0.1"), "{version}");
    std::fs::File::create(folder.join("endless.toml")).unwrap().set_len(1 << 40).unwrap();
    for (arguments, code, expected) in [
        ("selfplay --join nowhere", 1, "nowhere/run.json: found nothing"),
        ("selfplay missing.toml", 1, "missing.toml"),
        ("selfplay tiny.toml --store s3://bucket/run", 1, "s3://bucket/run"),
        ("selfplay endless.toml", 1, "found more than 268435456 bytes"),
        ("selfplay tiny.toml --join old", 2, "--join"),
        ("selfplay", 2, "required"),
        // Unlimited processes and threads would take the machine's last memory.
        ("selfplay tiny.toml --workers 100000", 2, "100000"),
        ("selfplay tiny.toml --threads 2147483648", 2, "2147483648"),
    ] {
        refused(folder, arguments, code, expected);
    }
}

#[test]
fn a_half_written_game_is_left_out_and_missing_weights_are_named() {
    let folder = stage();
    let folder = folder.path();
    // Every network is accepted, so the second generation needs weights.
    std::fs::write(folder.join("tiny.toml"), RECIPE.replacen("[gate]", "[gate]\nscore = 0.0", 1)).unwrap();
    generations(folder, "tiny.toml --generations 1");
    let store = folder.join("runs/tiny/replay");
    let damaged = &games(&store)[3];
    let bytes = std::fs::read(damaged).unwrap();
    std::fs::write(damaged, &bytes[..bytes.len() / 2]).unwrap();
    let weights = store.join("networks/00001.tabiya");
    let kept = std::fs::read(&weights).unwrap();
    std::fs::remove_file(&weights).unwrap();
    let error = failure(folder, "selfplay tiny.toml --generations 2 --json");
    assert!(error.contains("networks/00001.tabiya: found nothing"), "{error}");
    std::fs::write(&weights, kept).unwrap();
    let ended = generations(folder, "tiny.toml --generations 2");
    let window = &ended[1]["window"];
    assert_eq!(window["games"].as_u64().unwrap(), 2 * GAMES as u64 - 1);
    let name = damaged.file_name().unwrap().to_str().unwrap();
    assert!(window["skipped"][0].to_string().contains(name), "{window}");
}

/// A disk that takes no more bytes: to a process, a limit on file sizes looks like one.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_a_worker_with_the_game_it_could_not_write() {
    let folder = stage();
    let folder = folder.path();
    // Far more games than the learner plays before it is killed: the worker must find one to play.
    std::fs::write(folder.join("many.toml"), RECIPE.replacen("games = 12", "games = 100000", 1)).unwrap();
    let learner = Running::start(folder, "selfplay many.toml --store shared");
    wait_until("the run", || folder.join("shared/run.json").exists());
    learner.kill();
    let output = limited(folder, "trap '' XFSZ; ulimit -f 0", "selfplay --join shared --name full");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("cannot write games/") && error.contains("full-0000"), "{error}");
    assert!(games(&folder.join("shared")).iter().all(|path| !path.to_string_lossy().contains("full-0000")));
}
