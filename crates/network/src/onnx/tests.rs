//! Compares graphs written by this program with its own computation, and others with the outputs of the
//! programs that made them.

mod hostile;

use std::{path::PathBuf, sync::Arc};

use chess::{Evaluator, Game, Move, PlayerRatings, laws};
use prost::Message as _;
use serde::Deserialize;

use super::*;
use crate::{
    CpuOptions, NetworkError, Spec,
    planes::{
        lc0::{message::OnnxModel, outputs::ReferenceOutputs, synthetic},
        onnx_graph,
    },
    weights::layers_tests::{games, random_weights},
};

fn evaluate(evaluator: &dyn Evaluator, game: &Game) -> chess::Evaluation {
    let legal_moves: Vec<Move> = game.legal_moves().into_iter().collect();
    evaluator.evaluate(&[chess::EvaluationRequest { game, legal_moves: &legal_moves }]).unwrap().remove(0)
}

/// On processors with a tile unit, the default is bf16, which differs from a graph by more than rounding in f32.
const EXACT: CpuOptions = CpuOptions { isa: None, precision: Some(crate::Precision::F32) };

fn own(spec: &str) -> (Arc<dyn Evaluator>, OnnxNetwork) {
    let weights = random_weights(Spec::from_toml(spec).unwrap(), 7);
    let network = OnnxNetwork::from_bytes(&to_bytes(&weights).unwrap(), "own.onnx").unwrap();
    (crate::from_weights(&weights, EXACT).unwrap(), network)
}

/// Every head, and values of White and of the side that moved last.
#[test]
fn exported_networks_play_as_the_weights_do() {
    for spec in [
        "blocks = 2\nchannels = 16\nmoves_left = { channels = 4, hidden = 8 }",
        "blocks = 1\nchannels = 16\nvalue = { kind = \"scalar\" }\nmoves = \"from-to-4096\"\n\
         policy = { kind = \"dense\", channels = 4 }",
        "input = \"aichess-13\"\nmoves = \"aichess-1968\"\nblocks = 1\nchannels = 16\n\
         policy = { kind = \"dense\", channels = 4 }",
        "input = \"catfish-12\"\nblocks = 1\nchannels = 16\npolicy = { kind = \"none\" }",
    ] {
        let (ours, theirs) = own(spec);
        assert_eq!((theirs.contract(), theirs.heads()), ("tabiya", ours.heads()), "{spec}");
        for game in games() {
            let (ours, theirs) = (evaluate(&*ours, &game), evaluate(&theirs, &game));
            assert!((ours.wdl.win - theirs.wdl.win).abs() < 1e-4, "{spec}: {ours:?} {theirs:?}");
            assert!(ours.priors.iter().zip(&theirs.priors).all(|(one, other)| (one - other).abs() < 1e-4));
            assert_eq!(ours.moves_left.is_some(), theirs.moves_left.is_some(), "{spec}");
        }
    }
}

#[test]
fn a_graph_obeys_the_laws_of_evaluators() {
    let (_, network) = own("blocks = 1\nchannels = 16");
    let games = laws::sample_games(3, 20);
    laws::evaluator::check(&network, &games, 1e-5);
    laws::evaluator::sees_sides_alike(&network, &games, 1e-5);
}

/// A message of a protocol buffer, appended to a file, adds to a repeated field: `metadata_props` is field 14.
fn with_metadata(mut bytes: Vec<u8>, entries: &[(&str, &str)]) -> Vec<u8> {
    for (key, value) in entries {
        let field = |number: u8, text: &[u8]| [&[number << 3 | 2, text.len() as u8][..], text].concat();
        bytes.extend(field(14, &[field(1, key.as_bytes()), field(2, value.as_bytes())].concat()));
    }
    bytes
}

/// The file with other names of the same length.
fn renamed(mut bytes: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
    }
    bytes
}

fn refused(bytes: &[u8]) -> String {
    match OnnxNetwork::from_bytes(bytes, "x.onnx") {
        Err(error @ NetworkError::Format { .. }) => error.to_string(),
        Err(error) => panic!("{error:?}"),
        Ok(network) => panic!("{network}"),
    }
}

#[test]
fn what_fits_no_contract_is_refused_with_what_it_has() {
    let weights = random_weights(Spec::from_toml("blocks = 1\nchannels = 16").unwrap(), 1);
    let bytes = to_bytes(&weights).unwrap();
    // Another encoding than the graph's.
    let message = refused(&with_metadata(bytes.clone(), &[("input", "lc0-112")]));
    assert!(
        message.contains("contract tabiya") && message.contains("expected [batch, 112, 8, 8]"),
        "{message}"
    );
    let unknown = refused(&with_metadata(bytes.clone(), &[("input", "none")]));
    assert!(unknown.contains("\"none\"") || unknown.contains("none"), "{unknown}");
    for length in [0, 1, 10, bytes.len() / 2, bytes.len() - 1] {
        let message = refused(&bytes[..length]);
        assert!(message.starts_with("x.onnx: "), "{message}");
    }
    assert!(refused(b"no network").contains("expected an ONNX file"));
    let other = refused(&renamed(bytes, "planes", "board_"));
    for part in [
        "found inputs board_ [batch, 20, 8, 8]; outputs policy [batch, 1858]",
        "maia-3 (inputs tokens",
        "tabiya.input",
    ] {
        assert!(other.contains(part), "{other}");
    }
}

/// Any graph plays if its metadata name the encodings.
#[test]
fn metadata_make_any_graph_a_player() {
    // The names of the outputs are this program's, so the value has to be called `value`.
    let weights = random_weights(
        Spec::from_toml("blocks = 1\nchannels = 16\nvalue = { kind = \"scalar\" }").unwrap(),
        3,
    );
    let own = to_bytes(&weights).unwrap();
    let bytes = renamed(own.clone(), "planes", "board_");
    let keys = [("tabiya.input", "tabiya"), ("tabiya.moves", "lc0-1858")];
    let network = OnnxNetwork::from_bytes(&with_metadata(bytes.clone(), &keys), "x.onnx").unwrap();
    assert_eq!((network.contract(), network.heads()), ("named", chess::Heads { policy: true, value: false }));
    assert_eq!(network.input().map(chess::encoding::InputEncoding::name), Some("tabiya"));
    let theirs = OnnxNetwork::from_bytes(&own, "own.onnx").unwrap();
    for game in games() {
        assert_eq!(evaluate(&network, &game).priors, evaluate(&theirs, &game).priors);
        assert_eq!(evaluate(&network, &game).wdl, chess::Wdl::DRAW);
    }
    let missing = refused(&with_metadata(bytes.clone(), &keys[..1]));
    assert!(missing.contains("tabiya.moves is missing in the metadata"), "{missing}");
    let unknown = refused(&with_metadata(bytes, &[("tabiya.input", "nothing"), keys[1]]));
    assert!(unknown.contains("tabiya.input: ") && unknown.contains("nothing"), "{unknown}");
}

/// Weights, inputs and outputs of 16 bits are widened, also in a file of lc0's; other formats of 16 bits are refused.
#[test]
fn weights_may_have_sixteen_bits() {
    // `TensorProto.DataType`.
    let (half, brain) = (10, 16);
    let spec = "input = \"lc0-112\"\nblocks = 1\nchannels = 16";
    let weights = random_weights(Spec::from_toml(spec).unwrap(), 11);
    let narrowed = |data_type: i32| {
        let mut model = onnx_graph::Model::decode(to_bytes(&weights).unwrap().as_slice()).unwrap();
        let graph = model.graph.as_mut().unwrap();
        for port in graph.input.iter_mut().chain(&mut graph.output) {
            port.r#type.as_mut().unwrap().tensor_type.as_mut().unwrap().elem_type = data_type;
        }
        for tensor in &mut graph.initializer {
            if tensor.data_type != onnx_graph::Tensor::FLOAT {
                continue;
            }
            let mut raw = Vec::new();
            for bytes in tensor.raw_data.as_chunks::<4>().0 {
                let (word, kept) = halved(f32::from_le_bytes(*bytes));
                if data_type == onnx_graph::Tensor::FLOAT {
                    raw.extend(kept.to_le_bytes());
                } else {
                    raw.extend(word.to_le_bytes());
                }
            }
            tensor.data_type = data_type;
            tensor.raw_data = raw.into();
        }
        model.encode_to_vec()
    };
    let read = |data_type| OnnxNetwork::from_bytes(&narrowed(data_type), "x.onnx").unwrap();
    let names = ["planes", "policy", "wdl", ""];
    let in_lc0s = OnnxNetwork::from_bytes(&embedded(narrowed(half), half, names), "x.pb.gz").unwrap();
    let wide = read(onnx_graph::Tensor::FLOAT);
    for narrow in [read(half), in_lc0s] {
        for game in games() {
            let (found, expected) = (evaluate(&narrow, &game), evaluate(&wide, &game));
            assert!((found.wdl.win - expected.wdl.win).abs() < 1e-5, "{found:?} {expected:?}");
            let mut pairs = found.priors.iter().zip(&expected.priors);
            assert!(pairs.all(|(one, other)| (one - other).abs() < 1e-5));
        }
    }
    let message = refused(&narrowed(brain));
    assert!(message.contains("BFLOAT16") && message.contains("in FLOAT or FLOAT16"), "{message}");
    let message = OnnxNetwork::from_bytes(&embedded(narrowed(brain), brain, names), "x.pb.gz").err().unwrap();
    let expected = "BFLOAT16 is not supported; supported: FLOAT, FLOAT16";
    assert!(message.to_string().contains(expected), "{message}");
}

/// A number without what 16 bits (IEEE 754 binary16) cannot hold, in them and in 32 bits.
fn halved(value: f32) -> (u16, f32) {
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 255) as i32 - 127;
    if exponent < -14 {
        return (0, 0.0);
    }
    let word = bits >> 16 & 0x8000 | ((exponent + 15) as u32) << 10 | bits >> 13 & 0x3ff;
    (word as u16, f32::from_bits(bits & !0x1fff))
}

#[derive(Deserialize)]
struct MaiaCase {
    position: String,
    elo_self: u16,
    elo_oppo: u16,
    policy: std::collections::BTreeMap<String, f32>,
    win_draw_loss: [f32; 3],
}

#[derive(Deserialize)]
struct MaiaCases {
    cases: Vec<MaiaCase>,
}

fn data(name: &str) -> PathBuf {
    let folder = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    PathBuf::from(folder).join("nets").join(name)
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_maia_3_answers_as_in_pytorch() {
    let network = OnnxNetwork::read(&data("onnx/maia3-contract.onnx")).unwrap();
    assert_eq!(network.contract(), "maia-3");
    assert!(network.shows_ratings() && network.input().is_none());
    let text = std::fs::read_to_string(data("onnx/maia3-contract.reference.json")).unwrap();
    let MaiaCases { cases } = serde_json::from_str(&text).unwrap();
    assert_eq!(cases.len(), 45);
    for MaiaCase { position, elo_self, elo_oppo, policy, win_draw_loss } in cases {
        let fen = position.strip_prefix("fen ").unwrap_or(&position);
        let game = if fen == "startpos" {
            Game::default()
        } else {
            Game::from_fen(fen, chess::CastlingMode::Standard).unwrap()
        };
        let own = |is_own: bool| Some(if is_own { elo_self } else { elo_oppo });
        let white = game.turn().is_white();
        let game = game.with_ratings(PlayerRatings { white: own(white), black: own(!white) });
        let found = evaluate(&network, &game);
        let moves = game.legal_moves();
        assert_eq!(moves.len(), policy.len(), "{position}");
        for (chess_move, prior) in moves.into_iter().zip(&found.priors) {
            let text = chess::print_uci_move(chess_move, chess::CastlingMode::Standard);
            assert!((prior - policy[&text]).abs() < 1e-4, "{position} {text}: {prior}, {}", policy[&text]);
        }
        let found = [found.wdl.win, found.wdl.draw, found.wdl.loss];
        assert!(found.iter().zip(win_draw_loss).all(|(one, other)| (one - other).abs() < 1e-4), "{position}");
    }
}

/// lc0 prints policies in steps of 1e-4 and values through approximations.
#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_a_graph_of_lc0s_converter_answers_as_lc0_does() {
    let network = OnnxNetwork::read(&data("onnx/lc0-attention-small.onnx")).unwrap();
    assert_eq!(network.contract(), "lc0");
    expect_answers_of_lc0(&network);
}

fn expect_answers_of_lc0(network: &OnnxNetwork) {
    let file = "attention/attention-small.lc0.json";
    let reference = ReferenceOutputs::from_bytes(&std::fs::read(data(file)).unwrap(), file).unwrap();
    let cases = reference.compare(network).unwrap();
    assert!(cases.iter().any(|case| case.history) && cases.iter().any(|case| !case.history));
    for case in &cases {
        assert!(case.reported.policy <= 5e-4 && case.reported.value <= 1e-3, "{case:?}");
    }
}

/// A weights file of lc0's around a graph, with the type of its numbers and the names of its input and outputs.
fn embedded(model: Vec<u8>, data_type: i32, names: [&str; 4]) -> Vec<u8> {
    let mut file = synthetic::modern();
    let format = file.message.format.as_mut().unwrap().network_format.as_mut().unwrap();
    format.network = Some(5);
    let [planes, policy, wdl, moves_left] = names.map(|name| (!name.is_empty()).then(|| name.into()));
    file.message.onnx_model = Some(Box::new(OnnxModel {
        model: Some(model),
        data_type: Some(data_type),
        input_planes: planes,
        output_policy: policy,
        output_wdl: wdl,
        output_mlh: moves_left,
        ..OnnxModel::default()
    }));
    file.gzipped()
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_a_graph_in_a_file_of_lc0s_answers_as_lc0_does() {
    let model = std::fs::read(data("onnx/lc0-attention-small.onnx")).unwrap();
    let names = ["/input/planes", "/output/policy", "/output/wdl", "/output/mlh"];
    let network =
        OnnxNetwork::from_bytes(&embedded(model, onnx_graph::Tensor::FLOAT, names), "x.pb.gz").unwrap();
    assert_eq!(network.contract(), "lc0");
    expect_answers_of_lc0(&network);
}

/// The graph of a network with lc0's planes as input, whose inputs and outputs have other names than those of
/// lc0's converter.
#[test]
fn a_graph_in_a_file_of_lc0s_has_the_names_that_the_file_says() {
    let spec = "input = \"lc0-112\"\nblocks = 1\nchannels = 16";
    let weights = random_weights(Spec::from_toml(spec).unwrap(), 5);
    let ours = crate::from_weights(&weights, EXACT).unwrap();
    let file = |names| embedded(to_bytes(&weights).unwrap(), onnx_graph::Tensor::FLOAT, names);
    let network = OnnxNetwork::from_bytes(&file(["planes", "policy", "wdl", ""]), "x.pb.gz").unwrap();
    for game in games() {
        let (ours, theirs) = (evaluate(&*ours, &game), evaluate(&network, &game));
        assert!((ours.wdl.win - theirs.wdl.win).abs() < 1e-4, "{ours:?} {theirs:?}");
        assert!(ours.priors.iter().zip(&theirs.priors).all(|(one, other)| (one - other).abs() < 1e-4));
    }
    let message = refused(&file(["planes", "policy", "wdl", "mlh"]));
    assert!(message.contains("mlh: found nothing in the graph"), "{message}");
}
