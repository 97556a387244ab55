//! Small networks written in lc0's format, whole, wrong and broken.

use std::io::Write as _;

use chess::{EvaluationRequest, Evaluator, Game};
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::{ProptestConfig, any, prop, proptest};
use prost::Message as _;

use super::message::{
    ConvBlock, EngineVersion, Format, Layer, Net, NetworkFormat, Presence, Residual, SqueezeExciteUnit,
    TrainingParams, Weights,
};
use super::*;
use crate::{CpuNetwork, CpuOptions};
use kernels::{Activation, Block, Convolution, Dense, Head, Plan, Policy, Precision, SqueezeExcite};

const CHANNELS: usize = 3;

/// Numbers that look random and are the same in every run.
struct Numbers(u32);

impl Numbers {
    fn take(&mut self, count: usize) -> Vec<f32> {
        let mut next = || {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 >> 16) as f32 / 32_768.0 - 1.0
        };
        (0..count).map(|_| next() * 0.5).collect()
    }

    /// A layer and the numbers in it.
    fn layer(&mut self, count: usize) -> (Option<Box<Layer>>, Vec<f32>) {
        let values = self.take(count);
        (float32(&values), values)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "every field of a message is an option")]
fn float32(values: &[f32]) -> Option<Box<Layer>> {
    let params = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Some(Box::new(Layer { params: Some(params), encoding: Some(4), ..Layer::default() }))
}

fn convolution(
    numbers: &mut Numbers,
    kernel: usize,
    inputs: usize,
    outputs: usize,
) -> (Option<Box<ConvBlock>>, Convolution) {
    let (weights, plain) = numbers.layer(outputs * inputs * kernel * kernel);
    let (biases, bias) = numbers.layer(outputs);
    let block = ConvBlock { weights, biases, ..ConvBlock::default() };
    let taps = kernel * kernel;
    let mut weights = vec![0.0; plain.len()];
    for (place, weight) in plain.into_iter().enumerate() {
        let (output, input, tap) = (place / taps / inputs, place / taps % inputs, place % taps);
        weights[(tap * inputs + input) * outputs + output] = weight;
    }
    (Some(Box::new(block)), Convolution { kernel, inputs, outputs, weights, bias })
}

type LayerPair = (Option<Box<Layer>>, Option<Box<Layer>>);

fn dense(numbers: &mut Numbers, inputs: usize, outputs: usize) -> (LayerPair, Dense) {
    let (weights, plain) = numbers.layer(outputs * inputs);
    let (biases, bias) = numbers.layer(outputs);
    let mut matrix = vec![0.0; plain.len()];
    for (place, weight) in plain.into_iter().enumerate() {
        matrix[place % inputs * outputs + place / inputs] = weight;
    }
    ((weights, biases), Dense { inputs, outputs, weights: matrix, bias })
}

fn block(numbers: &mut Numbers, activation: Activation, squeeze_excite: bool) -> (Residual, Block) {
    let (conv1, first) = convolution(numbers, 3, CHANNELS, CHANNELS);
    let (conv2, second) = convolution(numbers, 3, CHANNELS, CHANNELS);
    let mut message = Residual { conv1, conv2, se: None };
    let mut unit = None;
    if squeeze_excite {
        let ((w1, b1), squeeze) = dense(numbers, CHANNELS, 2);
        let ((w2, b2), excite) = dense(numbers, 2, 2 * CHANNELS);
        message.se = Some(Box::new(SqueezeExciteUnit { w1, b1, w2, b2 }));
        unit = Some(SqueezeExcite { squeeze, excite, activation });
    }
    (message, Block { first, second, squeeze_excite: unit, activation })
}

fn net(format: NetworkFormat, weights: Weights) -> Net {
    Net {
        magic: Some(0x1c0),
        license: Some("none".into()),
        min_version: Some(EngineVersion { major: None, minor: Some(33), patch: None }),
        format: Some(Format { weights_encoding: Some(1), network_format: Some(format) }),
        weights: Some(Box::new(weights)),
        ..Net::default()
    }
}

/// Squeeze-excite in one of two blocks, convolutional policy, win/draw/loss, moves left, Mish.
fn modern() -> (Net, Plan) {
    let mut numbers = Numbers(1);
    let activation = Activation::Mish;
    let (input, stem) = convolution(&mut numbers, 3, 112, CHANNELS);
    let blocks = [true, false].map(|squeeze_excite| block(&mut numbers, activation, squeeze_excite));
    let (residual, blocks) = blocks.into_iter().unzip();
    let (policy1, first) = convolution(&mut numbers, 3, CHANNELS, 4);
    let (policy, second) = convolution(&mut numbers, 3, 4, 80);
    let (value, value_convolution) = convolution(&mut numbers, 1, CHANNELS, 2);
    let ((ip1_val_w, ip1_val_b), value_hidden) = dense(&mut numbers, 128, 5);
    let ((ip2_val_w, ip2_val_b), value_output) = dense(&mut numbers, 5, 3);
    let (moves_left, moves_convolution) = convolution(&mut numbers, 1, CHANNELS, 1);
    let ((ip1_mov_w, ip1_mov_b), moves_hidden) = dense(&mut numbers, 64, 4);
    let (ip2_mov_w, ip2_mov_b) = (float32(&[1.0; 4]), float32(&[7.5]));
    let moves_output = Dense { inputs: 4, outputs: 1, weights: vec![1.0; 4], bias: vec![7.5] };
    let pooled = |convolution, hidden, output| Head { convolution, hidden, activation, output };
    let layers = Plan {
        stem,
        activation,
        blocks,
        policy: Policy::Planes { first, activation, second },
        value: pooled(value_convolution, value_hidden, value_output),
        moves_left: Some(pooled(moves_convolution, moves_hidden, moves_output)),
    };
    let format = NetworkFormat {
        input: Some(1),
        network: Some(4),
        policy: Some(2),
        value: Some(2),
        moves_left: Some(1),
        default_activation: Some(1),
    };
    let weights = Weights {
        input,
        residual,
        policy1,
        policy,
        value,
        ip1_val_w,
        ip1_val_b,
        ip2_val_w,
        ip2_val_b,
        moves_left,
        ip1_mov_w,
        ip1_mov_b,
        ip2_mov_w,
        ip2_mov_b,
        ..Weights::default()
    };
    (net(format, weights), layers)
}

/// As of 2018: no head formats, dense policy, scalar value, ReLU.
fn classical() -> (Net, Plan) {
    let mut numbers = Numbers(2);
    let activation = Activation::Relu;
    let (input, stem) = convolution(&mut numbers, 3, 112, CHANNELS);
    let (residual, only) = block(&mut numbers, activation, false);
    let (policy, policy_convolution) = convolution(&mut numbers, 1, CHANNELS, 2);
    let ((ip_pol_w, ip_pol_b), policy_dense) = dense(&mut numbers, 128, 1858);
    let (value, value_convolution) = convolution(&mut numbers, 1, CHANNELS, 1);
    let ((ip1_val_w, ip1_val_b), hidden) = dense(&mut numbers, 64, 5);
    let ((ip2_val_w, ip2_val_b), output) = dense(&mut numbers, 5, 1);
    let layers = Plan {
        stem,
        activation,
        blocks: vec![only],
        policy: Policy::Dense { convolution: policy_convolution, activation, dense: policy_dense },
        value: Head { convolution: value_convolution, hidden, activation, output },
        moves_left: None,
    };
    let weights = Weights {
        input,
        residual: vec![residual],
        policy,
        ip_pol_w,
        ip_pol_b,
        value,
        ip1_val_w,
        ip1_val_b,
        ip2_val_w,
        ip2_val_b,
        ..Weights::default()
    };
    let format = NetworkFormat { input: Some(1), network: Some(1), ..NetworkFormat::default() };
    (net(format, weights), layers)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn refused(net: &Net) -> String {
    parse(&net.encode_to_vec(), "x.pb").unwrap_err().to_string()
}

#[test]
fn both_generations_are_read_layer_for_layer() {
    for (net, layers) in [modern(), classical()] {
        let bytes = net.encode_to_vec();
        let plain = parse(&bytes, "x.pb").unwrap();
        assert_eq!(plain.network.plan, layers);
        assert_eq!(parse(&gzip(&bytes), "x.pb.gz").unwrap().network.plan, layers);
        assert_eq!(plain.description.license.as_deref(), Some("none"));
        assert_eq!(plain.description.minimum_version, Some((0, 33, 0)));
    }
}

/// In full precision, so that equal networks give equal answers to the last bit.
fn compiled(network: &crate::PlainTower) -> CpuNetwork {
    let options = CpuOptions { precision: Some(Precision::F32), ..CpuOptions::default() };
    CpuNetwork::new(network, None, options).unwrap()
}

#[test]
fn a_read_network_evaluates() {
    let game = Game::default();
    let legal = game.legal_moves();
    let request = [EvaluationRequest { game: &game, legal_moves: &legal }];
    let evaluate = |(net, _): (Net, Plan)| {
        compiled(&parse(&net.encode_to_vec(), "x").unwrap().network).evaluate(&request).unwrap()
    };
    let modern = evaluate(modern());
    assert!((modern[0].priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    assert!((modern[0].wdl.win + modern[0].wdl.draw + modern[0].wdl.loss - 1.0).abs() < 1e-5);
    assert!(modern[0].moves_left.is_some_and(|plies| plies > 0.0));
    let classical = evaluate(classical());
    assert_eq!(classical[0].wdl.draw, 0.0);
    assert_eq!(classical[0].moves_left, None);
}

#[test]
fn both_generations_become_our_weights_file_without_loss() {
    let mut games = crate::synthetic::positions(12, 5);
    games.push(Game::default());
    let moves: Vec<_> = games.iter().map(Game::legal_moves).collect();
    let requests: Vec<_> =
        games.iter().zip(&moves).map(|(game, legal_moves)| EvaluationRequest { game, legal_moves }).collect();
    for (mut net, _) in [modern(), classical()] {
        net.training_params = Some(TrainingParams {
            training_steps: Some(7),
            accuracy: Some(52.5),
            lc0_params: Some("--visits=1".into()),
            ..TrainingParams::default()
        });
        let bytes = gzip(&net.encode_to_vec());
        let read = parse(&bytes, "folder/x.pb.gz").unwrap();
        let ours = crate::Weights::from_bytes(&bytes, "folder/x.pb.gz").unwrap();
        let ours = crate::Weights::from_bytes(&ours.to_bytes().unwrap(), "x.tabiya").unwrap();
        let (theirs, answers) = (
            compiled(&read.network).evaluate(&requests),
            compiled(&ours.tower().unwrap()).evaluate(&requests),
        );
        assert_eq!(answers.unwrap(), theirs.unwrap(), "to the last bit");
        assert_eq!((ours.provenance.name.as_str(), ours.provenance.steps), ("x", 7));
        let source = ours.provenance.source.unwrap();
        assert_eq!((source.file.as_str(), source.hash.len()), ("x.pb.gz", 32));
        assert_eq!(source.lc0, read.description);
        assert_eq!(source.lc0.policy_accuracy, Some(52.5));
        assert_eq!(source.lc0.lc0_parameters.as_deref(), Some("--visits=1"));
    }
}

#[test]
fn an_uncompressed_file_is_known_by_its_first_bytes() {
    let bytes = classical().0.encode_to_vec();
    assert!(is_network(&bytes, "anything"));
    assert!(is_network(b"2\n", "old.pb") && is_network(b"", "x.pb.gz") && !is_network(b"", "x.gz"));
    // A safetensors file whose header is 0x01c00d bytes long.
    assert!(!is_network(b"\x0d\xc0\x01\x00\x00\x00\x00\x00{\"", "x.tabiya"));
}

#[test]
fn a_missing_format_means_classical() {
    let (mut net, layers) = classical();
    net.format = Some(Format { weights_encoding: Some(1), network_format: None });
    assert_eq!(parse(&net.encode_to_vec(), "x").unwrap().network.plan, layers);
}

#[test]
fn unsupported_networks_are_refused_by_name() {
    let with = |change: &dyn Fn(&mut NetworkFormat)| {
        let (mut net, _) = modern();
        change(net.format.as_mut().unwrap().network_format.as_mut().unwrap());
        refused(&net)
    };
    for (message, name) in [
        (with(&|format| format.network = Some(6)), "NETWORK_ATTENTIONBODY_WITH_HEADFORMAT"),
        (with(&|format| format.network = Some(7)), "NETWORK_ATTENTIONBODY_WITH_MULTIHEADFORMAT"),
        (with(&|format| format.network = Some(134)), "number 134"),
        (with(&|format| format.policy = Some(3)), "POLICY_ATTENTION"),
        (with(&|format| format.value = Some(3)), "VALUE_PARAM"),
        (with(&|format| format.input = Some(3)), "INPUT_112_WITH_CANONICALIZATION"),
        (with(&|format| format.input = Some(-1)), "number -1"),
        (with(&|format| format.moves_left = Some(2)), "number 2"),
        (with(&|format| format.default_activation = Some(2)), "number 2"),
    ] {
        assert!(message.contains(&format!("{name} is not supported; supported: ")), "{message}");
    }
    let (mut disguised, _) = modern();
    disguised.weights.as_mut().unwrap().encoder = vec![Presence {}];
    assert!(refused(&disguised).contains("NETWORK_ATTENTIONBODY_WITH_HEADFORMAT"));
    let (mut onnx, _) = modern();
    onnx.onnx_model = Some(Presence {});
    assert!(refused(&onnx).contains("NETWORK_ONNX"));
    let (mut old, _) = modern();
    old.min_version = None;
    old.format.as_mut().unwrap().weights_encoding = Some(0);
    assert!(refused(&old).contains("weights encoding UNKNOWN"));
}

#[test]
fn wrong_layers_are_refused_by_name() {
    let with = |change: &dyn Fn(&mut Weights)| {
        let (mut net, _) = modern();
        change(net.weights.as_mut().unwrap());
        refused(&net)
    };
    let missing = with(&|weights| weights.residual[1].conv2 = None);
    assert_eq!(missing, "lc0 network x.pb: layer residual[1].conv2 is missing");
    let short = with(&|weights| weights.ip1_val_w = float32(&[0.0; 639]));
    assert_eq!(short, "lc0 network x.pb: layer ip1_val_w has 639 numbers; expected 640");
    let scalar = with(&|weights| {
        weights.ip2_val_w = float32(&[0.0; 5]);
        weights.ip2_val_b = float32(&[0.0]);
    });
    assert_eq!(scalar, "lc0 network x.pb: layer ip2_val_b has 1 numbers; expected 3");
    let narrow = with(&|weights| {
        weights.residual[0].conv1.as_mut().unwrap().biases = float32(&[0.0; 2]);
        weights.residual[0].conv1.as_mut().unwrap().weights = float32(&[0.0; 2 * CHANNELS * 9]);
    });
    assert_eq!(narrow, "lc0 network x.pb: layer residual[0].conv1.biases has 2 numbers; expected 3");
    let few_planes = with(&|weights| {
        weights.policy.as_mut().unwrap().biases = float32(&[0.0; 72]);
        weights.policy.as_mut().unwrap().weights = float32(&[0.0; 72 * 4 * 9]);
    });
    assert_eq!(few_planes, "lc0 network x.pb: layer policy.biases has 72 numbers; expected at least 73");
    let unit = with(&|weights| {
        let unit = weights.residual[0].se.as_mut().unwrap();
        unit.w2 = float32(&[0.0; 6]);
        unit.b2 = float32(&[0.0; 3]);
    });
    assert_eq!(unit, "lc0 network x.pb: layer residual[0].se.b2 has 3 numbers; expected 6");
    let empty = with(&|weights| weights.input = Some(Box::default()));
    assert!(empty.contains("layer input.weights is missing"), "{empty}");
}

#[test]
fn other_files_are_refused() {
    let message = |bytes: &[u8]| parse(bytes, "x").unwrap_err().to_string();
    assert!(message(b"").contains("magic number 0x0; expected 0x1c0"));
    assert!(message(b"2\n0.1 0.2\n").contains("text weights file of version 2"));
    assert!(message(b"\x1f\x8b\x08\x00broken").contains("damaged gzip stream after 0 uncompressed bytes"));
    assert!(message(&[0xff; 40]).contains("no valid weights message"));
    let (mut net, _) = modern();
    net.magic = Some(7);
    assert!(refused(&net).contains("magic number 0x7"));
    net.magic = Some(0x1c0);
    net.weights = None;
    assert!(refused(&net).contains("layer weights is missing"));
    let missing = read(std::path::Path::new("no/such/file.pb.gz")).unwrap_err().to_string();
    assert!(missing.starts_with("lc0 network no/such/file.pb.gz: cannot read"), "{missing}");
}

#[test]
fn every_truncation_is_refused() {
    let bytes = classical().0.encode_to_vec();
    for length in (0..bytes.len()).step_by(997).chain([bytes.len() - 1]) {
        parse(&bytes[..length], "x").unwrap_err();
    }
    let compressed = gzip(&bytes);
    for length in (0..compressed.len()).step_by(4999).chain([compressed.len() - 1]) {
        parse(&compressed[..length], "x").unwrap_err();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&bytes, "x");
        let mut with_magic = vec![0x0d, 0xc0, 0x01, 0x00, 0x00];
        with_magic.extend(&bytes);
        let _ = parse(&with_magic, "x");
    }

    #[test]
    fn damaged_networks_never_panic(places in prop::collection::vec((any::<u32>(), any::<u8>()), 1..6)) {
        let mut bytes = modern().0.encode_to_vec();
        for (place, byte) in places {
            let place = place as usize % bytes.len();
            bytes[place] = byte;
        }
        let _ = parse(&bytes, "x");
    }
}
