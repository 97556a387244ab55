//! Networks on the processor as their users choose them: instruction sets, precisions, and the messages about them.

#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::process::{Command, Output};

use serde_json::Value;

fn tabiya(arguments: &[&str], isa: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.args(arguments).env_remove("TABIYA_ISA").stdin(std::process::Stdio::null());
    if let Some(isa) = isa {
        command.env("TABIYA_ISA", isa);
    }
    command.output().unwrap()
}

/// A network trained outside Tabiya, so its activations were not measured.
const UNCALIBRATED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/seeds/aichess.tabiya");

fn errors(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_instruction_set_that_cannot_be_had_is_an_error_and_never_replaced() {
    let error = errors(&tabiya(&["net", "eval", "cnn"], Some("avx1024")));
    assert!(
        error.contains("unknown instruction set \"avx1024\"; expected one of portable, avx2, avx512, amx"),
        "{error}"
    );
    for isa in ["avx2", "avx512", "amx"] {
        let output = tabiya(&["net", "eval", "cnn"], Some(isa));
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
    let output = tabiya(&["uci", "--net", "cnn", "--precision", "bf16"], Some("portable"));
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("info string Tabiya") && text.contains("bf16 on cpu (portable"), "{text}");
}

#[test]
fn eight_bits_need_a_calibration() {
    let error = errors(&tabiya(&["uci", "--net", UNCALIBRATED, "--precision", "int8"], Some("portable")));
    assert!(error.contains("no calibration"), "{error}");
    let output = tabiya(&["uci", "--net", "cnn", "--precision", "int8"], Some("portable"));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("int8 on cpu (portable"), "the network is calibrated: {said}");
    let output = tabiya(&["uci", "--precision", "fp8"], None);
    assert_eq!(output.status.code(), Some(2), "an unknown precision is a mistake in the command");
}

#[test]
fn bench_reports_each_precision_threads_and_batch() {
    let arguments = ["net", "bench", "cnn", "--seconds", "0", "--batch", "1,3", "--threads", "1", "--json"];
    let output = tabiya(&arguments, Some("portable"));
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["isa"], "portable");
    let rows = report["measurements"].as_array().unwrap();
    assert_eq!(rows.len(), 6, "f32, bf16 and int8, two batches each: {report}");
    assert!(rows.iter().all(|row| row["evaluations_per_second"].as_f64().unwrap() > 0.0), "{report}");
}

fn succeeds(arguments: &[&str]) -> String {
    let output = tabiya(arguments, None);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_calibrated_network_plays_in_eight_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (store, network) = (path("store"), path("calibrated.tabiya"));
    succeeds(&["data", "build", &store, "--history", "5", "testdata/games/hand-made.pgn"]);
    let said = succeeds(&["net", "calibrate", UNCALIBRATED, &store, &network, "--positions", "20"]);
    assert!(said.contains("ranges of 23 activations on 20 positions"), "{said}");
    let said = tabiya(&["uci", "--net", &network, "--precision", "int8"], Some("portable"));
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
    succeeds(&["data", "build", "--history", "8", &store, games.to_str().unwrap()]);
    succeeds(&["net", "calibrate", maia.to_str().unwrap(), &store, &network, "--positions", "512"]);
    let report = succeeds(&["net", "compare", &network, &store, "--positions", "600", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
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
