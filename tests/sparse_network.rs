//! A sparse network of random weights in every command that takes a network.

use crate::program;

use network::{Provenance, Spec, Weights, architecture::Architecture};
use program::{json, refused, success, with_input};

const FEN: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// A folder with `sparse.tabiya`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = "kind = \"sparse\"\nfeatures = \"threats-kings\"\nwidth = 64\npolicy_features = \"threats\"\npolicy_width = 64";
    let architecture = Architecture::new(&Spec::from_toml(text).unwrap()).unwrap();
    let parameters = architecture.initial_parameters(1).unwrap();
    let provenance = Provenance { name: "random".into(), ..Provenance::default() };
    let weights = Weights::new(&architecture, &parameters, &Vec::new(), provenance);
    weights.write(&folder.path().join("sparse.tabiya")).unwrap();
    folder
}

#[test]
fn commands_that_evaluate_take_it() {
    let folder = folder();
    let info = success(folder.path(), "net info sparse.tabiya");
    assert!(info.starts_with("random: sparse-threats-kings-64+threats-64, "), "{info}");
    assert!(info.contains("kind = \"sparse\"") && info.contains("policy_features = \"threats\""), "{info}");
    let answer = json(folder.path(), &format!("net eval sparse.tabiya --fen '{FEN}' --json"));
    let priors = answer["policy"].as_array().unwrap();
    let sum: f64 = priors.iter().map(|one| one["prior"].as_f64().unwrap()).sum();
    assert!(priors.len() == 48 && (sum - 1.0).abs() < 1e-4, "{answer}");
    let bench = json(folder.path(), "net bench sparse.tabiya --seconds 0.01 --threads 1 --json");
    let row = &bench["measurements"][0];
    assert!(
        row["values_per_second"].as_f64().unwrap() > row["evaluations_per_second"].as_f64().unwrap(),
        "{bench}"
    );
    success(folder.path(), "net convert sparse.tabiya copy.tabiya");
    let [first, copy] =
        ["sparse", "copy"].map(|name| std::fs::read(folder.path().join(format!("{name}.tabiya"))));
    assert_eq!(first.unwrap(), copy.unwrap());
}

#[test]
fn it_plays() {
    let folder = folder();
    let commands = format!("uci\nisready\nposition fen {FEN}\ngo nodes 200\n");
    let output = with_input(folder.path(), "uci --net sparse.tabiya", commands);
    let answer = String::from_utf8(output.stdout).unwrap();
    let best = answer.lines().find_map(|line| line.strip_prefix("bestmove ")).unwrap_or_default();
    assert!(best.len() >= 4, "{answer}");
}

#[test]
fn commands_that_need_planes_say_so() {
    let folder = folder();
    let expected = "found a sparse network of the features `threats-kings`";
    refused(folder.path(), "net convert sparse.tabiya net.onnx", 1, expected);
    assert!(!folder.path().join("net.onnx").exists());
    let bytes = std::fs::read(folder.path().join("sparse.tabiya")).unwrap();
    std::fs::write(folder.path().join("short.tabiya"), &bytes[..bytes.len() / 2]).unwrap();
    refused(folder.path(), "net info short.tabiya", 1, "a complete tabiya-network file");
}
