//! `tabiya net` as a user runs it, with the bundled network and with real lc0 networks.

use crate::engine;

use crate::program;

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::Value;

use program::{command, json, limited, read_json, refusal, refused, success, tabiya};

const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/cnn.tabiya");

/// Black to move after 1. e4 e5 2. Nf3, as a position without history.
const AFTER_THREE: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";

/// The answer in a position, without the name of the player that gave it.
fn answer(folder: &Path, network: &str, position: &[&str]) -> Value {
    let arguments = [&["net", "eval", network, "--json"], position].concat();
    let mut answer = json(folder, &arguments);
    answer["evaluator"].take();
    answer
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut eval = command(Path::new("."), "net eval cnn");
    let mut child = eval.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn the_bundled_network_answers_and_converts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let found = answer(folder, "cnn", &["--moves", "e2e4", "e7e5", "g1f3"]);
    assert_eq!(found["position"], AFTER_THREE);
    let policy = found["policy"].as_array().unwrap();
    assert_eq!(policy.len(), 29);
    let priors: Vec<f64> = policy.iter().map(|entry| entry["prior"].as_f64().unwrap()).collect();
    assert!((priors.iter().sum::<f64>() - 1.0).abs() < 1e-4 && priors.is_sorted_by(|a, b| a >= b));
    assert!(policy.iter().any(|entry| entry["uci"] == "b8c6" && entry["san"] == "Nc6"));
    let wdl = &found["wdl"];
    let sum: f64 = ["win", "draw", "loss"].iter().map(|name| wdl[name].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-5 && found["moves_left"].is_null(), "{found}");

    success(folder, &["net", "convert", BUNDLED, "copy.tabiya"]);
    assert_eq!(answer(folder, "copy.tabiya", &[]), answer(folder, BUNDLED, &[]));
    success(folder, "net convert cnn again.tabiya");
    let bytes = |file: &str| std::fs::read(folder.join(file)).unwrap();
    assert!(bytes("copy.tabiya") == bytes("again.tabiya"), "equal networks are equal files");
    assert_eq!(json(folder, "net info copy.tabiya --json"), json(folder, "net info cnn --json"));
    assert!(success(folder, &["net", "convert", BUNDLED, "copy.onnx"]).starts_with("copy.onnx: "));
    assert!(std::fs::metadata(folder.join("copy.onnx")).unwrap().len() > 1_000_000);
}

/// What `net convert` writes is a network like others: it is described, evaluated and played.
#[test]
fn an_onnx_file_is_a_network_wherever_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    success(folder, "net convert cnn copy.onnx");
    let about = json(folder, "net info copy.onnx --json");
    assert_eq!((&about["contract"], &about["heads"]["policy"]), (&"tabiya".into(), &true.into()));
    assert_eq!(about["metadata"]["input"], "tabiya-attacks");
    let shown = success(folder, "net info copy.onnx");
    assert!(shown.contains("inputs    planes [batch, "), "{shown}");
    let of = |network: &str| answer(folder, network, &["--moves", "e2e4", "e7e5"]);
    let (ours, theirs) = (of("cnn"), of("copy.onnx"));
    let number = |found: &Value, path: &str| found.pointer(path).unwrap().as_f64().unwrap();
    // The bundled network is computed in another format where the machine has one.
    for path in ["/wdl/win", "/policy/0/prior"] {
        assert!((number(&ours, path) - number(&theirs, path)).abs() < 0.05, "{path}: {ours} {theirs}");
    }
    let planes = |network: &str| tabiya(folder, &["net", "planes", network]).stdout;
    assert!(!planes("cnn").is_empty());
    assert_eq!(planes("copy.onnx"), planes("cnn"));
    let bench = json(folder, "net bench copy.onnx --seconds 0 --batch 1,3 --threads 1,2 --json");
    let rows = bench["measurements"].as_array().unwrap();
    assert_eq!(rows.len(), 4, "{bench}");
    assert!(rows.iter().all(|row| row["evaluations_per_second"].as_f64().unwrap() > 0.0), "{bench}");
    let table = success(folder, "net bench copy.onnx --seconds 0 --batch 1 --threads 1");
    assert!(table.starts_with("copy.onnx (tabiya), f32 on cpu (rten)\nthreads  batch"), "{table}");
    let played = success(folder, "match net=copy.onnx,nodes=2 random --games 2 --max-moves 5");
    assert!(played.contains("copy.onnx (tabiya), f32 on cpu (rten)"), "{played}");
    let expected = "precision int8: copy.onnx: ONNX files are computed in f32";
    refused(folder, "uci --net copy.onnx --precision int8", 1, expected);
}

#[test]
fn ratings_are_those_of_the_side_to_move_and_its_opponent() {
    let folder = tempfile::tempdir().unwrap();
    let of = |more: &str| {
        let words: Vec<&str> = more.split_whitespace().collect();
        answer(folder.path(), "human", &words)
    };
    let weak = of("--rating 1100");
    assert_eq!(weak, of("--rating 1100 --opponent-rating 1100"));
    assert_ne!(weak, of("--rating 1100 --opponent-rating 2200"));
    assert_ne!(weak, of("--rating 2200"));
    // A network without ratings gives one answer.
    assert_eq!(answer(folder.path(), "cnn", &["--rating", "1100"]), answer(folder.path(), "cnn", &[]));
    refused(folder.path(), "net eval human --opponent-rating 1100", 2, "--rating");
    refused(folder.path(), "net eval human --rating 0", 2, "--rating");
}

/// A network in the form of Maia-3's public exports plays like people of a rating.
#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_maia_3_is_conditioned_on_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let file = PathBuf::from(std::env::var_os("TABIYA_DATA").unwrap()).join("nets/onnx/maia3-contract.onnx");
    let file = file.display().to_string();
    assert_eq!(json(folder.path(), &["net", "info", &file, "--json"])["contract"], "maia-3");
    let player =
        |rating: u16| format!("net={file},search=policy,option.PlayerRating={rating},name=p{rating}");
    success(folder.path(), &format!("match {} {} --games 4 --max-moves 20", player(800), player(2400)));
    let expected = "found the contract maia-3, expected an input of planes";
    refused(folder.path(), &["net", "planes", &file], 1, expected);
    let expected = "found maia-3, whose input has a form of its own, expected an input of planes";
    refused(folder.path(), &["net", "validate", &file, "store"], 1, expected);
    let reference = read_json(&PathBuf::from(file.replace(".onnx", ".reference.json")));
    for case in &reference["cases"].as_array().unwrap()[..5] {
        let position = case["position"].as_str().unwrap();
        let fen = position.strip_prefix("fen ").map_or_else(Vec::new, |fen| vec!["--fen", fen]);
        let [own, other] = ["elo_self", "elo_oppo"].map(|key| case[key].to_string());
        let ratings = ["--rating", &own, "--opponent-rating", &other];
        let found = answer(folder.path(), &file, &[&ratings[..], &fen].concat());
        for entry in found["policy"].as_array().unwrap() {
            let expected = case["policy"][entry["uci"].as_str().unwrap()].as_f64().unwrap();
            assert!((entry["prior"].as_f64().unwrap() - expected).abs() < 1e-4, "{position}: {entry}");
        }
    }
}

#[test]
fn mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("text.pb"), "2\n0.5 0.25\n").unwrap();
    std::fs::write(folder.join("broken.pb.gz"), b"\x1f\x8b\x08\x00broken").unwrap();
    std::fs::write(folder.join("net.onnx"), b"\x08\x07").unwrap();
    std::fs::write(folder.join("other.json"), "{\"net\": 3}").unwrap();
    for name in ["there.onnx", "there.tabiya"] {
        std::fs::write(folder.join(name), "kept").unwrap();
    }
    for (arguments, expected) in [
        ("net info text.pb", "text.pb: a text weights file of version 2"),
        ("net info broken.pb.gz", "broken.pb.gz: damaged gzip stream"),
        ("uci --net broken.pb.gz", "broken.pb.gz: damaged gzip stream"),
        ("net eval net.onnx", "net.onnx: "),
        ("net bench mlxx", "expected a file or one of default, cnn, human, cogs188, "),
        ("net info other.json", "other.json: content: found bytes that begin with \"{\\\"net\\\": 3}\""),
        ("net eval none.pb.gz", "cannot read none.pb.gz: "),
        ("net eval cnn --fen '8/8/8/8/8/8/8/8 w - - 0 1'", "8/8/8/8/8/8/8/8"),
        ("net eval cnn --moves e2e4 e2e4", "--moves, number 2: "),
        ("net eval cnn --fen '7k/5KQ1/8/8/8/8/8/8 b - - 0 1'", "the game is over"),
        ("net convert cnn out.bin", "out.bin: found the ending \"bin\", expected .tabiya or .onnx"),
        ("net calibrate cnn store out.onnx", "found the ending \"onnx\", expected .tabiya"),
        ("net convert cnn there.onnx", "there.onnx: exists already; --force replaces it"),
        ("net calibrate cnn store there.tabiya", "there.tabiya: exists already; --force"),
        ("net convert cnn no/folder/out.onnx", "cannot write no/folder/out.onnx: "),
        ("net verify cnn --reference other.json", "other.json: not a file of reference outputs"),
    ] {
        refused(folder, arguments, 1, expected);
    }
    assert_eq!(std::fs::read_to_string(folder.join("there.onnx")).unwrap(), "kept");
    success(folder, "net convert cnn there.onnx --force");
    refused(folder, "net bench cnn --threads 60000", 2, "60000");
}

#[test]
fn the_network_inside_an_engine_becomes_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    engine::engine(folder, "fish", &[], "");
    let extract = "net extract ./fish stores/fish.nnue";
    refused(folder, extract, 1, "./fish: fish wrote no network to stores/");
    std::fs::write(folder.join("stores/fish.exported"), "mine").unwrap();
    std::fs::write(folder.join("fish.network"), "no network").unwrap();
    refused(folder, extract, 1, "the network of fish: byte 0: version: found");
    assert!(!folder.join("stores/fish.nnue").exists());

    let network = network::nnue::synthetic::file(1);
    std::fs::write(folder.join("fish.network"), &network).unwrap();
    success(folder, extract);
    assert!(std::fs::read(folder.join("stores/fish.nnue")).unwrap() == network);
    assert_eq!(std::fs::read_to_string(folder.join("stores/fish.exported")).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(folder.join("stores")).unwrap().count(), 2);
    refused(folder, extract, 1, "stores/fish.nnue: exists already; --force replaces it");
    refused(folder, "net extract ./no-fish other.nnue", 1, "./no-fish: ");
    refused(folder, "net extract ./fish fish.net", 1, "expected .nnue");
}

#[test]
fn the_examples_of_the_help_work() {
    let folder = tempfile::tempdir().unwrap();
    let help = success(folder.path(), "net eval --help");
    let fen = help.split("--fen '").nth(1).unwrap().split('\'').next().unwrap();
    json(folder.path(), &format!("net eval cnn --json --fen '{fen}'"));
}

/// A network without a policy listed every move with the same share, and one without a value told a certain draw.
#[test]
fn what_a_network_lacks_is_not_made_up() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let values = json(folder, "net eval knights-el --json");
    assert!(values["policy"].is_null() && values["wdl"]["win"].is_number(), "{values}");
    let moves = json(folder, "net eval knights-sl --json");
    assert!(moves["wdl"].is_null() && moves["policy"].as_array().unwrap().len() == 20, "{moves}");
    let shown = |network: &str| success(folder, &["net", "eval", network]);
    assert!(shown("knights-el").contains("no policy") && !shown("knights-el").contains("e2e4"));
    assert!(shown("knights-sl").contains("no value") && shown("knights-sl").contains("e2e4"));
}

/// A single number has no share of draws: mlx was shown with "draw 0.0 %", and knights-el, which learned pawns, without them.
#[test]
fn a_value_of_one_number_is_shown_as_the_network_gives_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let queen_up = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let value = |network: &str| json(folder, &["net", "eval", network, "--fen", queen_up, "--json"]);
    let shown = |network: &str| success(folder, &["net", "eval", network, "--fen", queen_up]);
    let pawns = value("knights-el");
    assert_eq!(pawns["value"]["unit"], "pawns");
    assert!((2.0..=15.0).contains(&pawns["value"]["number"].as_f64().unwrap()), "{pawns}");
    assert!(shown("knights-el").contains(" pawns\nin a search: win "));
    let result = value("mlx");
    assert_eq!(result["value"]["unit"], "expected_result");
    let number = result["value"]["number"].as_f64().unwrap();
    let (win, loss) = (result["wdl"]["win"].as_f64().unwrap(), result["wdl"]["loss"].as_f64().unwrap());
    assert!((number - (win - loss)).abs() < 1e-6, "{result}");
    assert!(shown("mlx").contains("(1 is a win, -1 a loss)") && !shown("mlx").contains("draw"));
    let whole = value("cnn");
    assert!(whole["value"].is_null() && whole["wdl"]["draw"].is_number(), "{whole}");
    assert!(shown("cnn").contains("for the side to move: win "));
}

#[test]
fn a_network_is_listed_layer_by_layer() {
    let folder = tempfile::tempdir().unwrap();
    for network in ["mlx", "default", "knights-el"] {
        let about = json(folder.path(), &format!("net info {network} --json"));
        let layers = about["layers"].as_array().unwrap();
        let sum: u64 = layers.iter().map(|layer| layer["parameters"].as_u64().unwrap()).sum();
        assert_eq!(Some(sum), about["parameters"].as_u64(), "{network}");
        let shown = success(folder.path(), &["net", "info", network]);
        assert!(layers.iter().all(|layer| shown.contains(layer["name"].as_str().unwrap())), "{shown}");
        assert_eq!(about["heads"]["policy"], network != "knights-el");
    }
}

#[test]
fn metrics_of_a_network_are_listed_or_missing() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |network: &str| success(folder.path(), &["net", "info", network]);
    // Its training in PyTorch recorded no metrics in the file.
    assert!(shown("mlx").contains("\nheld out: not recorded\n"));
    let measured = shown("knights-el");
    assert!(measured.contains("\nheld out:\n  calibration_error = 0."), "{measured}");
    assert!(measured.contains("\n  unseen_positions = 7821\n"), "{measured}");
    assert!(!measured.contains("policy_loss") && !measured.contains("top1"), "it has no policy: {measured}");
}

#[test]
fn positions_planes_and_trees_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let drawn = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    let draw = "net eval cnn --svg board.svg --nodes 40 --tree tree.svg";
    success(folder, draw);
    assert!(drawn("board.svg").contains("<polygon") && drawn("tree.svg").contains("40 nodes"));
    // A drawing is replaced by another one; tests/outputs.rs tries other files.
    success(folder, draw);
    success(folder, "net planes aichess --svg planes.svg");
    assert!(drawn("planes.svg").contains("White's pawns"));
    let shown = success(folder, "net planes aichess");
    assert!(shown.contains("White's pawns") && !shown.contains("channel"), "{shown}");
    refused(folder, "net planes aichess --svg planes.png", 1, "expected .svg");
}

/// An endless file is refused because of its beginning; earlier it took all memory.
#[test]
#[cfg(unix)]
fn a_file_without_end_is_no_network() {
    let folder = tempfile::tempdir().unwrap();
    let output = limited(folder.path(), "ulimit -v 4000000", "net info /dev/zero");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("/dev/zero: content: found"), "{message}");
}

fn real_net(name: &str) -> (PathBuf, PathBuf) {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    let nets = PathBuf::from(data).join("nets");
    (nets.join(format!("{name}.pb.gz")), nets.join(format!("{name}.lc0.json")))
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_networks_of_lc0_hold_and_convert_without_loss() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["maia-1100", "maia-1500", "maia-1900"] {
        let (network, reference) = real_net(name);
        let (network, reference) = (network.to_str().unwrap(), reference.to_str().unwrap());
        let verified = json(folder, &["net", "verify", network, "--reference", reference, "--json"]);
        assert_eq!((&verified["holds"], &verified["judged"]), (&true.into(), &"reported".into()));
        assert_eq!(verified["cases"].as_array().unwrap().len(), 60);
        for group in verified["groups"].as_array().unwrap() {
            assert!(group["positions"].as_u64().unwrap() >= 15, "{group}");
            assert!(group["reported"]["policy"].as_f64().unwrap() < 5e-4, "{group}");
            assert!(group["reported"]["value"].as_f64().unwrap() < 1e-3, "{group}");
        }

        let converted = format!("{name}.tabiya");
        success(folder, &["net", "convert", network, &converted]);
        for position in [&["--moves", "e2e4", "e7e5", "g1f3"][..], &["--fen", AFTER_THREE], &[]] {
            assert_eq!(answer(folder, &converted, position), answer(folder, network, position));
        }
        let info = json(folder, &["net", "info", &converted, "--json"]);
        let source = &info["provenance"]["source"];
        assert_eq!(source["file"], format!("{name}.pb.gz"));
        assert_eq!(source["lc0"]["training_steps"], 400_000);
        assert_eq!(info["provenance"], json(folder, &["net", "info", network, "--json"])["provenance"]);
    }
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_maia_sees_the_moves_before_the_position() {
    let folder = tempfile::tempdir().unwrap();
    let (network, _) = real_net("maia-1900");
    let network = network.to_str().unwrap();
    let with = answer(folder.path(), network, &["--moves", "e2e4", "e7e5", "g1f3"]);
    let without = answer(folder.path(), network, &["--fen", AFTER_THREE]);
    assert_eq!(with["position"], without["position"]);
    assert_eq!(with["policy"][0]["uci"], "b8c6");
    assert_ne!(with["wdl"], without["wdl"]);
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_maia_plays_as_a_uci_engine() {
    let (network, _) = real_net("maia-1900");
    let mut engine = command(Path::new("."), &["uci", "--net", network.to_str().unwrap()]);
    let mut engine = engine.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = engine.stdin.take().unwrap();
    input.write_all(b"position startpos moves e2e4\ngo nodes 20\n").unwrap();
    let lines = BufReader::new(engine.stdout.take().unwrap()).lines();
    let best = lines.map(Result::unwrap).find(|line| line.starts_with("bestmove ")).unwrap();
    input.write_all(b"quit\n").unwrap();
    assert!(engine.wait().unwrap().success());
    let chess_move = best.split_whitespace().nth(1).unwrap();
    assert!(["c7c5", "e7e5", "e7e6", "c7c6", "d7d5"].contains(&chess_move), "{best}");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_another_network_or_reference_does_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (network, reference) = real_net("maia-1900");
    let network = network.to_str().unwrap();
    let text = std::fs::read_to_string(&reference).unwrap();
    let mut perturbed: Value = serde_json::from_str(&text).unwrap();
    let policy = perturbed["cases"][7]["policy"].as_object_mut().unwrap();
    let likeliest = policy.values_mut().max_by(|a, b| a.as_f64().unwrap().total_cmp(&b.as_f64().unwrap()));
    let likeliest = likeliest.unwrap();
    *likeliest = (likeliest.as_f64().unwrap() - 0.001).into();
    let value = &mut perturbed["cases"][50]["wl_d"][0];
    *value = (value.as_f64().unwrap() + 0.002).into();
    std::fs::write(folder.join("perturbed.json"), perturbed.to_string()).unwrap();
    let output = tabiya(folder, &["net", "verify", network, "--reference", "perturbed.json", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let verified: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verified["holds"], false);
    let output = tabiya(folder, &["net", "verify", network, "--reference", "perturbed.json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("does not hold in 2 of 60 positions"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with('!')).count(), 2);

    let (other, _) = real_net("maia-1100");
    let arguments =
        ["net", "verify", other.to_str().unwrap(), "--reference", reference.to_str().unwrap(), "--json"];
    assert_eq!(tabiya(folder, &arguments).status.code(), Some(1));
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_a_truncated_network_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bytes = std::fs::read(real_net("maia-1900").0).unwrap();
    for length in [1000, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(folder.join("short.pb.gz"), &bytes[..length]).unwrap();
        let message = refusal(folder, "net info short.pb.gz", 1);
        assert!(message.contains("lc0 network short.pb.gz: damaged gzip stream"), "{length}: {message}");
    }
    let renamed = folder.join("renamed.tabiya");
    std::fs::write(&renamed, &bytes).unwrap();
    assert_eq!(json(folder, "net info renamed.tabiya --json")["spec"]["channels"], 64);
}
