//! Tests exported networks with onnxruntime.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use chess::{
    Wdl,
    encoding::{Plane, input::write_channels},
};
use dataset::EvaluationCurve;
use serde_json::Value;

use super::*;
use crate::{
    Spec, layers,
    spec::ValueKind,
    tests::reference::ReferenceNetwork,
    weights::layers_tests::{games, random_weights},
};

/// Sums of some thousand products in a different order.
const TOLERANCE: f64 = 1e-4;

/// The outputs of onnxruntime for these positions.
fn onnxruntime(bytes: &[u8], planes: &[f32], boards: usize) -> Value {
    let python = std::env::var_os("TABIYA_PYTHON").expect("TABIYA_PYTHON names a Python interpreter");
    let folder = tempfile::tempdir().unwrap();
    let [model, input] = ["network.onnx", "planes.f32"].map(|name| folder.path().join(name));
    std::fs::write(&model, bytes).unwrap();
    let raw: Vec<u8> = planes.iter().flat_map(|value| value.to_le_bytes()).collect();
    std::fs::write(&input, raw).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run_onnx.py");
    let output = Command::new(&python)
        .args([&script, &model, &input])
        .arg(boards.to_string())
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", python.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn numbers(answer: &Value, name: &str, board: usize) -> Vec<f64> {
    let row = answer[name][board].as_array().unwrap_or_else(|| panic!("no output {name}"));
    row.iter().map(|value| value.as_f64().unwrap()).collect()
}

fn close(ours: &[f32], theirs: &[f64], what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((f64::from(*ours) - theirs).abs() <= TOLERANCE, "{what}: {ours}, onnxruntime {theirs}");
    }
}

fn check(weights: &Weights) {
    let network = ReferenceNetwork::new(weights).unwrap();
    let games = games();
    let mut dense = Vec::new();
    let mut outputs = Vec::new();
    for game in &games {
        let mut planes = vec![Plane::EMPTY; network.input().planes()];
        network.input().encode(game, &mut planes);
        let start = dense.len();
        dense.resize(start + network.input().channels() * 64, 0.0);
        write_channels(network.input(), &planes, &mut dense[start..]);
        outputs.push(network.forward(&planes));
    }
    let answer = onnxruntime(&to_bytes(weights).unwrap(), &dense, games.len());
    for (board, (game, output)) in games.iter().zip(&outputs).enumerate() {
        let what = |name: &str| format!("{}, {name} of {}", weights.provenance.name, game.fen());
        let present = |name: &str| answer.get(name).is_some();
        assert_eq!(present("policy"), weights.spec.has_policy(), "{}", what("policy"));
        if present("policy") {
            close(&output.policy, &numbers(&answer, "policy", board), &what("policy"));
        }
        let probabilities = |wdl: Wdl| [wdl.win, wdl.draw, wdl.loss];
        match weights.spec.value_kind() {
            ValueKind::None => assert!(!present("wdl") && !present("pawns")),
            ValueKind::Pawns { .. } => {
                let pawns = numbers(&answer, "pawns", board)[0] as f32;
                let wdl = EvaluationCurve::default().wdl_of_centipawns(100.0 * pawns, dataset::Stage::START);
                let exact = probabilities(wdl).map(f64::from);
                close(&probabilities(output.wdl), &exact, &what("pawns"));
            }
            ValueKind::Wdl | ValueKind::Scalar => {
                close(&probabilities(output.wdl), &numbers(&answer, "wdl", board), &what("wdl"));
            }
        }
        match output.moves_left {
            Some(plies) => close(&[plies], &numbers(&answer, "moves_left", board), &what("moves left")),
            None => assert!(answer.get("moves_left").is_none()),
        }
    }
    assert_eq!(answer["metadata"]["input"], weights.spec.planes().unwrap().input.as_str());
    assert_eq!(answer["metadata"]["moves"], weights.spec.planes().unwrap().moves.as_str());
}

#[test]
#[ignore = "needs TABIYA_PYTHON"]
fn python_onnxruntime_answers_as_the_bundled_network() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../nets/cnn.tabiya");
    check(&Weights::read(&path).unwrap());
}

#[test]
#[ignore = "needs TABIYA_PYTHON"]
fn python_onnxruntime_answers_alike_for_every_kind_of_layer() {
    for text in [
        "input = \"lc0-112\"\nblocks = 2\nchannels = 12\nactivation = \"mish\"\npolicy = { kind = \"convolution\" }\n\
         squeeze_excite = { ratio = 4, blocks = [1] }\nmoves_left = { channels = 2, hidden = 5 }",
        "moves = \"uci-1968\"\nstem = \"pointwise\"\nblocks = 1\nchannels = 12\nactivation = \"swish\"\n\
         squeeze_excite = { hidden = 5 }\nvalue = { kind = \"scalar\" }\npolicy = { kind = \"dense\", channels = 3 }",
        "moves = \"from-to-4096\"\nblocks = 0\nchannels = 12",
    ]
    .into_iter()
    .chain(layers::tests::SPECS)
    {
        check(&random_weights(Spec::from_toml(text).unwrap(), 3));
    }
}

#[test]
#[ignore = "needs TABIYA_DATA and TABIYA_PYTHON"]
fn real_data_python_onnxruntime_answers_as_maia() {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    check(&Weights::read(&PathBuf::from(data).join("nets/maia-1900.pb.gz")).unwrap());
}

#[test]
fn every_value_is_made_before_it_is_read_and_has_one_maker() {
    let spec = "blocks = 2\nchannels = 8\nactivation = \"mish\"\nsqueeze_excite = { ratio = 2 }\n\
                moves_left = { channels = 1, hidden = 2 }";
    let weights = random_weights(Spec::from_toml(spec).unwrap(), 1);
    let model = Model::decode(to_bytes(&weights).unwrap().as_slice()).unwrap();
    let graph = model.graph.unwrap();
    let mut known: Vec<&String> = graph.input.iter().map(|value| &value.name).collect();
    for constant in &graph.initializer {
        assert!(!known.contains(&&constant.name), "{}", constant.name);
        let bytes = constant.dims.iter().product::<i64>() * if constant.data_type == 1 { 4 } else { 8 };
        assert_eq!(bytes as usize, constant.raw_data.len(), "{}", constant.name);
        known.push(&constant.name);
    }
    for node in &graph.node {
        assert!(node.input.iter().all(|input| known.contains(&input)), "{}", node.name);
        assert!(!known.contains(&&node.output[0]), "{}", node.name);
        known.push(&node.output[0]);
    }
    let outputs: Vec<&str> = graph.output.iter().map(|value| value.name.as_str()).collect();
    assert_eq!(outputs, ["policy", "wdl", "moves_left"]);
    assert!(graph.output.iter().all(|output| known.contains(&&output.name)));
}
