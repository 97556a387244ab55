//! `tabiya train` and `tabiya net` as a user runs them: from games to a network that answers.

use crate::program;

use std::{
    fmt::Write as _,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use chess::{CastlingMode, Game, shakmaty::san::SanPlus};
use dataset::{BuildConfig, NoObserver};
use serde_json::Value;
use tempfile::TempDir;

use program::{command, json, kill, limited, refusal, refused, signal, success, tabiya, wait_until};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A folder with a store of random games and a recipe for a tiny network.
fn workplace(steps: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let games: String = (0..40).map(random_game).collect();
    std::fs::write(folder.path().join("games.pgn"), games).unwrap();
    let inputs = [folder.path().join("games.pgn")];
    let config =
        BuildConfig { validation_share: 0.2, ..BuildConfig::new(folder.path().join("games.store"), inputs) };
    dataset::build(&config, &mut NoObserver).unwrap();
    let recipe = format!(
        "title = \"tiny\"\ndata = \"games.store\"\n[training]\nsteps = {steps}\nbatch = 16\nthreads = 1\n\
         validation_interval = 1000000\nvalidation_positions = 64\nstatistics_positions = 64\nlog_interval = 1\n\
         [network]\nblocks = 1\nchannels = 16\nvalue = {{ channels = 2, hidden = 8 }}\n[schedule]\nkind = \"cosine\"\npeak = \
         0.002\nlast = 0.000002\nwarmup = 0\n[losses]\nvalue_target = {{ from = \
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

/// The losses of a recipe measure every network whose values are in the recipe's unit, and no other.
fn validated_by_recipes(folder: &Path, network: &str) {
    let write = |name: &str, kind: &str, target: &str| {
        let text = format!(
            "title = \"{name}\"\ndata = \"games.store\"\n[training]\nsteps = 1000\n[network]\nblocks = 1\nchannels = 8\n\
             value = {{ {kind} }}\n[losses]\nvalue_loss = {{ kind = \"squared\" }}\nvalue_target = {{ from = \"{target}\" }}\n"
        );
        std::fs::write(folder.join(name), text).unwrap();
    };
    write("squared.toml", "kind = \"scalar\"", "result");
    write("pawns.toml", "kind = \"pawns\", limit = 9.0", "evaluation");
    let validate = format!("net validate {network} games.store --json --recipe");
    let found = json(folder, &format!("{validate} squared.toml"));
    assert_eq!(found["value_positions"], found["positions"]);
    // Half of the positions are won and half lost: the mean is wrong by 1, whose square is 1 where cross-entropy has ln 2.
    let constant = found["baselines"]["value_loss"].as_f64().unwrap();
    assert!(constant > 0.95 && constant <= 1.0 && found["value_loss"].as_f64().unwrap() <= 4.0, "{found}");
    let expected = "pawns.toml: network.value.kind: found values in pawns, expected results from -1 to 1";
    refused(folder, &format!("{validate} pawns.toml"), 1, expected);
}

/// The same network as an ONNX file has the same losses, but for illegal moves, which are not measured.
fn validated_as_a_graph(folder: &Path, expected: &Value) {
    success(folder, "net convert runs/tiny/network.tabiya tiny.onnx");
    let found = json(folder, "net validate tiny.onnx games.store --value result --json");
    for key in ["policy_loss", "value_loss", "value_rms"] {
        let [found, expected] = [&found, expected].map(|validated| validated[key].as_f64().unwrap());
        assert!((found - expected).abs() < 1e-3, "{key}: {found}, expected {expected}");
    }
    assert_eq!((&found["positions"], &found["data"]), (&expected["positions"], &expected["data"]));
    assert!(found.get("illegal_move_loss").is_none() && expected["illegal_move_loss"].is_f64(), "{found}");
    json(folder, "net validate tiny.onnx games.store --json --recipe squared.toml");
    let expected = "pawns.toml: network.value.kind: found values in pawns, expected results from -1 to 1 as the contract tabiya";
    refused(folder, "net validate tiny.onnx games.store --recipe pawns.toml", 1, expected);
}

#[test]
fn games_become_a_network_that_answers() {
    let folder = workplace(4);
    let folder = folder.path();
    let summary = json(folder, "train tiny.toml --json");
    assert_eq!((&summary["ending"], &summary["step"]), (&"finished".into(), &4.into()));
    assert!(summary["validation"]["baselines"]["top1"].as_f64().unwrap() > 0.0);
    let network = "runs/tiny/network.tabiya";

    let info = json(folder, &format!("net info {network} --json"));
    assert_eq!((&info["spec"]["channels"], &info["provenance"]["steps"]), (&16.into(), &4.into()));
    // The commit of the program, not of the folder in which it runs.
    assert_eq!(info["provenance"]["commit"], env!("TABIYA_COMMIT"));
    let eval = json(folder, &format!("net eval {network} --json"));
    let priors: Vec<f64> =
        eval["policy"].as_array().unwrap().iter().map(|entry| entry["prior"].as_f64().unwrap()).collect();
    assert_eq!(priors.len(), 20);
    assert!(
        (priors.iter().sum::<f64>() - 1.0).abs() < 1e-4 && priors.is_sorted_by(|a, b| a >= b),
        "{priors:?}"
    );
    let validated = json(folder, &format!("net validate {network} games.store --value result --json"));
    assert_eq!(validated["positions"], validated["played"]["positions"]);
    assert!(validated["value_loss"].is_f64());
    // A stored result says which network and which data it is of.
    let bytes = std::fs::read(folder.join(network)).unwrap();
    let hash = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&bytes));
    assert_eq!(validated["identity"], serde_json::json!([["network hash", hash]]));
    assert_eq!(validated["data"], info["provenance"]["data"]);
    let unlabelled = json(folder, &format!("net validate {network} games.store --json"));
    assert_eq!(unlabelled["value_positions"], 0);
    assert!(unlabelled.get("value_loss").is_none(), "games have results and no evaluations: {unlabelled}");

    validated_by_recipes(folder, network);
    validated_as_a_graph(folder, &validated);

    let longer = json(folder, "train tiny.toml --resume --steps 6 --json");
    assert_eq!((&longer["ending"], &longer["step"]), (&"finished".into(), &6.into()));
    let tuned = json(folder, &format!("train tiny.toml --name tuned --from {network} --json"));
    assert_eq!((&tuned["ending"], &tuned["step"]), (&"finished".into(), &4.into()));
    let info = json(folder, "net info runs/tuned/network.tabiya --json");
    assert_eq!(info["provenance"]["origin"]["name"], "tiny");
    let other = refusal(folder, "train tiny.toml --name other --from cnn", 1);
    assert!(other.contains("recipe: network.") && other.contains("that the run starts from"), "{other}");

    let message = refusal(folder, "train tiny.toml", 1);
    assert!(message.contains("runs/tiny holds a run already") && message.contains("--resume"), "{message}");
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_a_run_that_can_be_resumed() {
    let folder = workplace(100_000);
    let folder = folder.path();
    let child = command(folder, "train tiny.toml --name long").stderr(Stdio::piped()).spawn().unwrap();
    wait_until("a step", || lines(&folder.join("runs/long")) >= 3);
    let output = signal(child, "INT");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("to continue: tabiya train tiny.toml --name long --resume"), "{message}");
    let files: Vec<_> = std::fs::read_dir(folder.join("runs/long/checkpoints")).unwrap().collect();
    assert_eq!(files.len(), 2, "the first checkpoint, that of the interruption and no half-written file");
    success(folder, "report runs/long --out stopped");
    let report = std::fs::read_to_string(folder.join("stopped/report.md")).unwrap();
    assert!(report.contains("The training was stopped before its end."), "{report}");

    let shorter = refusal(folder, "train tiny.toml --name long --resume --steps 2", 1);
    assert!(shorter.contains("training.steps = 2: expected at least"), "{shorter}");
}

#[test]
#[cfg(unix)]
fn a_run_has_one_process_at_a_time() {
    let folder = workplace(100_000);
    let folder = folder.path();
    let train = "train tiny.toml --name shared";
    let first = command(folder, train).stderr(Stdio::null()).spawn().unwrap();
    wait_until("a step", || lines(&folder.join("runs/shared")) >= 2);
    let holder = format!("being written by another process (process {})", first.id());
    refused(folder, train, 1, &holder);
    refused(folder, &format!("{train} --resume"), 1, &holder);
    kill(first);
    // A killed process holds no lock.
    let resumed = tabiya(folder, "train tiny.toml --name shared --resume --steps 1");
    let message = String::from_utf8(resumed.stderr).unwrap();
    assert!(message.contains("training.steps = 1") && !message.contains("another process"), "{message}");
}

/// Lines of a run's log, without the speed.
fn log(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("log.jsonl")).unwrap_or_default();
    let parse = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        // Values that depend on the machine and its load.
        for measured in ["positions_per_second", "busy_cores", "resident_bytes"] {
            line.as_object_mut().unwrap().remove(measured);
        }
        line
    };
    text.lines().map(parse).collect()
}

/// Whole lines of a log, of which another may be half written.
fn lines(run: &Path) -> usize {
    std::fs::read_to_string(run.join("log.jsonl")).unwrap_or_default().matches('\n').count()
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_like_one_that_is_not() {
    let folder = workplace(300);
    let folder = folder.path();
    let recipe = std::fs::read_to_string(folder.join("tiny.toml")).unwrap();
    let recipe =
        recipe.replace("validation_interval = 1000000", "validation_interval = 100\ncheckpoint_interval = 7");
    std::fs::write(folder.join("tiny.toml"), recipe).unwrap();
    let whole = json(folder, "train tiny.toml --name whole --json");

    let run = folder.join("runs/killed");
    let mut state = 5_u64;
    for number in 0..6 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let started = run.join("checkpoints/step-00000000.safetensors").exists() || lines(&run) > 0;
        let resume = if started { "--resume" } else { "" };
        let mut train = command(folder, &format!("train tiny.toml --name killed {resume}"));
        let child = train.stderr(Stdio::null()).spawn().unwrap();
        // The first kill is in the middle of the beginning, the later ones somewhere in the next fifty steps.
        let enough = if started { lines(&run) + (state >> 33) as usize % 50 } else { 0 };
        let begin = Instant::now();
        while lines(&run) <= enough && begin.elapsed() < Duration::from_mins(1) {
            if number == 0 && run.exists() {
                break;
            }
            std::thread::sleep(Duration::from_micros(state >> 54));
        }
        kill(child);
    }
    assert!(lines(&run) < 300, "it was killed before its end");
    let killed = json(folder, "train tiny.toml --name killed --resume --json");
    assert_eq!(log(&run), log(&folder.join("runs/whole")));
    assert_eq!(killed["validation"], whole["validation"]);
    assert_eq!((&killed["step"], &killed["positions"]), (&whole["step"], &whole["positions"]));
}

#[test]
fn training_is_timed_part_by_part() {
    let folder = workplace(1);
    let folder = folder.path();
    let bench = "bench train --blocks 1 --channels 16 --batch 16 --steps 2";
    let random = json(folder, &format!("{bench} --threads 1 --json"));
    assert_eq!((&random["from_store"], &random["seconds"]["load"]), (&false.into(), &0.0.into()));
    assert!(random["positions_per_second"].as_f64().unwrap() > 0.0, "{random}");
    let text = success(folder, &format!("{bench} --threads 2 --data games.store"));
    for expected in
        ["samples of a store", "load ", "encode ", "forward ", "backward ", "update ", "of the peak"]
    {
        assert!(text.contains(expected), "{expected:?} in\n{text}");
    }
    let recipe = json(folder, "bench train --recipe tiny.toml --batch 8 --steps 1 --json");
    assert_eq!((&recipe["network"], &recipe["batch"]), (&"1x16".into(), &8.into()));
    let own = json(folder, "bench train --recipe tiny.toml --steps 1 --json");
    assert_eq!(own["batch"], 16, "that of the recipe");
    let of = |name: &str| {
        let recipe = format!("{}/recipes/{name}", env!("CARGO_MANIFEST_DIR"));
        format!("bench train --recipe {recipe} --batch 8 --steps 1 --json")
    };
    let selfplay = json(folder, &of("selfplay-toy"));
    assert!(selfplay["network"].is_string(), "a recipe of self-play has its network beside its games");
    for (name, expected) in
        [("knights-classical", "learners has no network"), ("reinforce", "tabiya reinforce")]
    {
        refused(folder, &of(name), 1, expected);
    }
    let toy = concat!(env!("CARGO_MANIFEST_DIR"), "/recipes/selfplay-toy/recipe.toml");
    let broken = std::fs::read_to_string(toy).unwrap().replace("[play]", "[play]\nnods = 1");
    std::fs::write(folder.join("broken.toml"), broken).unwrap();
    let message = refusal(folder, "bench train --recipe broken.toml", 1);
    assert!(message.contains("nods") && !message.contains("another command"), "{message}");
    refused(folder, "bench train --recipe tiny.toml --blocks 2", 2, "--blocks");
    refused(folder, "train tiny.toml --device cuda", 2, "python -m tabiya.train RECIPE --data STORE");
}

#[test]
#[cfg(unix)]
fn a_full_disk_ends_a_run_with_its_last_checkpoint_whole() {
    let folder = workplace(3);
    let folder = folder.path();
    // A limit of one block on the size of a file stands for the full disk: the write fails in the same place.
    let output = limited(folder, "trap '' XFSZ; ulimit -f 1", "train tiny.toml");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("error: cannot write") && message.contains("runs/tiny/"), "{message}");
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
    let validate = ["net", "validate", maia.to_str().unwrap(), "games.store", "--value", "result"];
    let message = refusal(folder.path(), &validate, 1);
    assert!(message.contains("history") && message.contains("lc0-112"), "{message}");
}

#[test]
fn mistakes_are_named() {
    let folder = workplace(2);
    let folder = folder.path();
    std::fs::File::create(folder.join("endless.toml")).unwrap().set_len(1 << 40).unwrap();
    for (arguments, expected) in [
        ("train none.toml", "cannot read the recipe none.toml: "),
        ("train games.pgn", "games.pgn: "),
        ("train endless.toml", "found more than 268435456 bytes"),
        ("train tiny.toml --data nowhere", "nowhere"),
        ("train tiny.toml --data games.pgn", "games.pgn"),
        ("train tiny.toml --resume", "has no checkpoint to resume from"),
        ("bench train --data nowhere", "nowhere"),
        ("train tiny.toml --steps 0", "training.steps = 0: expected at least 1"),
        ("train tiny.toml --threads 100000", "training.threads = 100000: expected at most 512"),
        ("train tiny.toml --name=", "--name \"\": expected the name of a folder in runs"),
        ("train tiny.toml --name ../evil", "--name \"../evil\": expected the name of a folder in runs"),
        ("train tiny.toml --name mistyped --from none.tabiya", "cannot read none.tabiya: "),
        ("net info none.tabiya", "cannot read none.tabiya: "),
        ("net eval games.pgn", "games.pgn: content: found bytes that begin with \"[White"),
    ] {
        refused(folder, arguments, 1, expected);
    }
    assert!(!folder.join("runs/mistyped").exists(), "a mistyped network leaves no run behind");
    let text = std::fs::read_to_string(folder.join("tiny.toml")).unwrap();
    std::fs::write(
        folder.join("history.toml"),
        text.replace("blocks = 1", "blocks = 1\ninput = \"lc0-112\""),
    )
    .unwrap();
    let message = refusal(folder, "train history.toml", 1);
    assert!(message.contains("history") && message.contains("lc0-112"), "{message}");
}
