//! Networks on the processor as their users choose them: instruction sets, precisions, and the messages about them.

use crate::program;

use std::{path::Path, process::Output};

use serde_json::Value;

use program::{command, json, refused, success};

/// The repository, in which the commands run.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn with_isa(isa: &str, arguments: &str) -> Output {
    command(root(), arguments).env("TABIYA_ISA", isa).output().unwrap()
}

/// A network trained outside Tabiya, so its activations were not measured.
const UNCALIBRATED: &str = "nets/seeds/aichess.tabiya";

fn errors(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_instruction_set_that_cannot_be_had_is_an_error_and_never_replaced() {
    let error = errors(&with_isa("avx1024", "net eval cnn"));
    assert!(
        error.contains("unknown instruction set \"avx1024\"; expected one of portable, avx2, avx512, amx"),
        "{error}"
    );
    for isa in ["avx2", "avx512", "amx"] {
        let output = with_isa(isa, "net eval cnn");
        if !output.status.success() {
            let error = errors(&output);
            assert!(
                error.contains(&format!("instruction set {isa} cannot be used on this machine")),
                "{error}"
            );
        }
    }
}

#[test]
fn the_engine_says_what_runs() {
    let output = with_isa("portable", "uci --net cnn --precision bf16");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("info string Tabiya") && text.contains("bf16 on cpu (portable"), "{text}");
}

#[test]
fn eight_bits_need_a_calibration() {
    let error = errors(&with_isa("portable", &format!("uci --net {UNCALIBRATED} --precision int8")));
    assert!(error.contains("no calibration"), "{error}");
    let output = with_isa("portable", "uci --net cnn --precision int8");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("int8 on cpu (portable"), "the network is calibrated: {said}");
    // An unknown precision is a mistake in the command.
    refused(root(), "uci --precision fp8", 2, "fp8");
}

#[test]
fn bench_reports_each_precision_threads_and_batch() {
    let output = with_isa("portable", "net bench cnn --seconds 0 --batch 1,3 --threads 1 --json");
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["isa"], "portable");
    let rows = report["measurements"].as_array().unwrap();
    assert_eq!(rows.len(), 6, "f32, bf16 and int8, two batches each: {report}");
    assert!(rows.iter().all(|row| row["evaluations_per_second"].as_f64().unwrap() > 0.0), "{report}");
}

#[test]
fn a_calibrated_network_plays_in_eight_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (store, network) = (path("store"), path("calibrated.tabiya"));
    success(root(), &["data", "build", &store, "--history", "5", "testdata/games/hand-made.pgn"]);
    let said = success(root(), &format!("net calibrate {UNCALIBRATED} '{store}' '{network}' --positions 20"));
    assert!(said.contains("ranges of 23 activations on 20 positions"), "{said}");
    let said = with_isa("portable", &format!("uci --net '{network}' --precision int8"));
    assert!(String::from_utf8_lossy(&said.stdout).contains("int8 on cpu (portable"), "{said:?}");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_coarser_precisions_keep_the_best_move() {
    let data = std::path::PathBuf::from(std::env::var_os("TABIYA_DATA").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (store, network) = (path("store"), path("maia.tabiya"));
    let games = data.join("games/lichess-by-level.pgn.zst");
    let maia = data.join("nets/maia-1900.pb.gz");
    success(root(), &["data", "build", "--history", "8", &store, games.to_str().unwrap()]);
    success(root(), &["net", "calibrate", maia.to_str().unwrap(), &store, &network, "--positions", "512"]);
    let report = json(root(), &["net", "compare", &network, &store, "--positions", "600", "--json"]);
    for row in report["precisions"].as_array().unwrap() {
        let found = &row["agreement"];
        assert!(found["positions"].as_u64().unwrap() >= 300, "{report}");
        // Two or three in a hundred below the values for thousands of positions: there are only a few hundred here.
        let least = match row["precision"].as_str().unwrap() {
            "f32" => 0.998,
            "bf16" => 0.97,
            _ => 0.93,
        };
        assert!(found["same_best_move"].as_f64().unwrap() >= least, "{report}");
    }
}
