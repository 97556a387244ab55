//! `tabiya train` and `tabiya net` as a user runs them: from games to a network that answers.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::{
    fmt::Write as _,
    path::Path,
    process::{Command, Output},
    time::{Duration, Instant},
};

use chess::{CastlingMode, Game, shakmaty::san::SanPlus};
use dataset::{BuildConfig, Unobserved};
use serde_json::Value;
use tempfile::TempDir;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A folder with a store of random games and a recipe for a tiny network.
fn workplace(steps: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let games: String = (0..40).map(random_game).collect();
    std::fs::write(folder.path().join("games.pgn"), games).unwrap();
    let inputs = [folder.path().join("games.pgn")];
    let config =
        BuildConfig { validation_share: 0.2, ..BuildConfig::new(folder.path().join("games.store"), inputs) };
    dataset::build(&config, &mut Unobserved).unwrap();
    let recipe = format!(
        "title = \"tiny\"\ndata = \"games.store\"\n[training]\nsteps = {steps}\nbatch = 16\nthreads = 1\n\
         validation_interval = 1000000\nvalidation_positions = 64\nstatistics_positions = 64\nlog_interval = 1\n\
         [network]\nblocks = 1\nchannels = 16\nvalue = {{ channels = 2, hidden = 8 }}\n[losses]\nvalue_target = {{ from = \
         \"result\" }}\n"
    );
    std::fs::write(folder.path().join("tiny.toml"), recipe).unwrap();
    folder
}

/// Forty half-moves picked by a linear congruential generator.
fn random_game(seed: u64) -> String {
    let mut game = Game::from_fen(START, CastlingMode::Standard).unwrap();
    let mut state = seed;
    let mut text = format!("[White \"{seed}\"]\n[Result \"1-0\"]\n\n");
    for _ in 0..40 {
        let moves = game.legal_moves();
        if moves.is_empty() {
            break;
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let chess_move = moves[(state >> 33) as usize % moves.len()];
        write!(text, "{} ", SanPlus::from_move(game.position().clone(), chess_move)).unwrap();
        game.play(chess_move).unwrap();
    }
    text + "1-0\n\n"
}

fn tabiya(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya")).args(arguments).current_dir(folder).output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn failure(folder: &Path, arguments: &[&str]) -> String {
    let output = tabiya(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn games_become_a_network_that_answers() {
    let folder = workplace(4);
    let folder = folder.path();
    let summary = json(&tabiya(folder, &["train", "tiny.toml", "--json"]));
    assert_eq!((&summary["ending"], &summary["step"]), (&"finished".into(), &4.into()));
    assert!(summary["validation"]["baselines"]["top1"].as_f64().unwrap() > 0.0);
    let network = "runs/tiny/network.tabiya";

    let info = json(&tabiya(folder, &["net", "info", network, "--json"]));
    assert_eq!((&info["spec"]["channels"], &info["provenance"]["steps"]), (&16.into(), &4.into()));
    // The commit of the program, not of the folder it runs in.
    assert_eq!(info["provenance"]["commit"], env!("TABIYA_COMMIT"));
    let eval = json(&tabiya(folder, &["net", "eval", network, "--json"]));
    let priors: Vec<f64> =
        eval["policy"].as_array().unwrap().iter().map(|entry| entry["prior"].as_f64().unwrap()).collect();
    assert_eq!(priors.len(), 20);
    assert!(
        (priors.iter().sum::<f64>() - 1.0).abs() < 1e-4 && priors.is_sorted_by(|a, b| a >= b),
        "{priors:?}"
    );
    let validated =
        json(&tabiya(folder, &["net", "validate", network, "games.store", "--value", "result", "--json"]));
    assert_eq!(validated["positions"], validated["played"]["positions"]);
    assert!(validated["value_loss"].is_f64());
    let unlabelled = json(&tabiya(folder, &["net", "validate", network, "games.store", "--json"]));
    assert_eq!(unlabelled["value_positions"], 0);
    assert!(unlabelled.get("value_loss").is_none(), "games have results and no evaluations: {unlabelled}");

    let message = failure(folder, &["train", "tiny.toml"]);
    assert!(message.contains("runs/tiny holds a run already") && message.contains("--resume"), "{message}");
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_a_run_that_can_be_resumed() {
    let folder = workplace(100_000);
    let folder = folder.path();
    let child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["train", "tiny.toml", "--name", "long"])
        .current_dir(folder)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let log = folder.join("runs/long/log.jsonl");
    let begin = Instant::now();
    while std::fs::read_to_string(&log).unwrap_or_default().lines().count() < 3 {
        assert!(begin.elapsed() < Duration::from_mins(2), "training does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("to go on: tabiya train tiny.toml --name long --resume"), "{message}");
    let files: Vec<_> = std::fs::read_dir(folder.join("runs/long/checkpoints")).unwrap().collect();
    assert_eq!(files.len(), 1, "one checkpoint and no half-written file");

    let shorter = failure(folder, &["train", "tiny.toml", "--name", "long", "--resume", "--steps", "9"]);
    assert!(shorter.contains("its recipe differs"), "{shorter}");
}

#[test]
#[cfg(unix)]
fn a_full_disk_ends_a_run_with_its_last_checkpoint_whole() {
    let folder = workplace(3);
    let folder = folder.path();
    // A limit of one block on the size of a file stands for the full disk: the write fails in the same place.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" train tiny.toml";
    let output =
        Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_tabiya")]).current_dir(folder).output();
    let output = output.unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("error: runs/tiny/") && message.contains("cannot write"), "{message}");
    let halves: Vec<_> = ["runs/tiny", "runs/tiny/checkpoints"]
        .iter()
        .flat_map(|part| std::fs::read_dir(folder.join(part)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "safetensors" || extension == "tmp")
        })
        .collect();
    assert!(halves.is_empty(), "{halves:?}");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_a_network_that_needs_history_is_not_validated_without() {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    let maia = Path::new(&data).join("nets/maia-1900.pb.gz");
    let folder = workplace(1);
    let message = failure(
        folder.path(),
        &["net", "validate", maia.to_str().unwrap(), "games.store", "--value", "result"],
    );
    assert!(message.contains("history") && message.contains("lc0-112"), "{message}");
}

#[test]
fn mistakes_are_named() {
    let folder = workplace(2);
    let folder = folder.path();
    for (arguments, expected) in [
        (&["train", "none.toml"][..], "none.toml: cannot read the recipe"),
        (&["train", "games.pgn"], "games.pgn: "),
        (&["train", "tiny.toml", "--data", "nowhere"], "nowhere"),
        (&["train", "tiny.toml", "--data", "games.pgn"], "games.pgn"),
        (&["train", "tiny.toml", "--resume"], "has no checkpoint to resume from"),
        (&["train", "tiny.toml", "--steps", "0"], "training.steps = 0: expected at least 1"),
        (&["net", "info", "none.tabiya"], "none.tabiya: cannot read"),
        (&["net", "eval", "games.pgn"], "games.pgn: safetensors: found"),
    ] {
        let message = failure(folder, arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    let text = std::fs::read_to_string(folder.join("tiny.toml")).unwrap();
    std::fs::write(
        folder.join("history.toml"),
        text.replace("blocks = 1", "blocks = 1\ninput = \"lc0-112\""),
    )
    .unwrap();
    let message = failure(folder, &["train", "history.toml"]);
    assert!(message.contains("history") && message.contains("lc0-112"), "{message}");
}
