//! Tests with small networks: valid, invalid and damaged.

mod attention;

use proptest::prelude::{ProptestConfig, any, prop, proptest};
use prost::Message as _;

use super::*;
use crate::{
    planes::{
        lc0::{
            message::{Format, Net, NetworkFormat, SqueezeExciteUnit, Weights},
            synthetic::{CHANNELS, classical, float32, modern},
        },
        wire::MOST_PARTS,
    },
    spec::ValueKind,
};

fn parse(bytes: &[u8], file: &str) -> Result<Lc0Network, Lc0Error> {
    Lc0Network::from_bytes(bytes, file, Heads::default())
}

/// A squeeze-and-excitation of as many units, all zeros.
fn squeeze_excite(units: usize) -> SqueezeExciteUnit {
    SqueezeExciteUnit {
        w1: float32(&vec![0.0; CHANNELS * units]),
        b1: float32(&vec![0.0; units]),
        w2: float32(&vec![0.0; 2 * CHANNELS * units]),
        b2: float32(&[0.0; 2 * CHANNELS]),
    }
}

fn refused(net: &Net) -> String {
    parse(&net.encode_to_vec(), "x.pb").unwrap_err().to_string()
}

#[test]
fn both_generations_are_read_compressed_or_not() {
    for (file, value) in [(modern(), ValueKind::Wdl), (classical(), ValueKind::Scalar)] {
        let plain = parse(&file.bytes(), "x.pb").unwrap();
        assert_eq!(plain.spec.value.kind, value);
        let packed = parse(&file.gzipped(), "x.pb.gz").unwrap();
        assert_eq!((packed.spec, packed.matrices), (plain.spec, plain.matrices));
        assert_eq!(packed.description, plain.description);
        let expected = Description {
            license: Some("none".into()),
            minimum_version: Some((0, 33, 0)),
            training_steps: Some(7),
            policy_accuracy: Some(52.5),
            lc0_parameters: Some("--visits=1".into()),
            ..Description::default()
        };
        assert_eq!(plain.description, expected);
    }
}

#[test]
fn an_uncompressed_file_is_known_by_its_first_bytes() {
    let bytes = classical().bytes();
    assert!(is_network(&bytes, "anything"));
    assert!(is_network(b"2\n", "old.pb") && is_network(b"", "x.pb.gz") && !is_network(b"", "x.gz"));
    // A safetensors file whose header is 0x01c00d bytes long.
    assert!(!is_network(b"\x0d\xc0\x01\x00\x00\x00\x00\x00{\"", "x.tabiya"));
}

#[test]
fn a_missing_format_means_classical() {
    let mut file = classical();
    file.message.format = Some(Format { weights_encoding: Some(1), network_format: None });
    let read = parse(&file.bytes(), "x").unwrap();
    let declared = parse(&classical().bytes(), "x").unwrap();
    assert_eq!((read.spec, read.matrices), (declared.spec, declared.matrices));
}

#[test]
fn unsupported_networks_are_refused_by_name() {
    let with = |change: &dyn Fn(&mut NetworkFormat)| {
        let mut net = modern().message;
        change(net.format.as_mut().unwrap().network_format.as_mut().unwrap());
        refused(&net)
    };
    for (message, name) in [
        (with(&|format| format.network = Some(134)), "number 134"),
        (with(&|format| format.policy = Some(4)), "number 4"),
        (with(&|format| format.value = Some(3)), "VALUE_PARAM"),
        (with(&|format| format.input = Some(132)), "number 132"),
        (with(&|format| format.input = Some(-1)), "number -1"),
        (with(&|format| format.moves_left = Some(2)), "number 2"),
        (with(&|format| format.default_activation = Some(2)), "number 2"),
    ] {
        assert!(message.contains(&format!("{name} is not supported; supported: ")), "{message}");
    }
    let mut onnx = modern().message;
    onnx.format.as_mut().unwrap().network_format.as_mut().unwrap().network = Some(5);
    assert!(refused(&onnx).contains("NETWORK_ONNX"));
    let mut old = modern().message;
    old.min_version = None;
    old.format.as_mut().unwrap().weights_encoding = Some(0);
    assert!(refused(&old).contains("weights encoding UNKNOWN"));
}

#[test]
fn wrong_layers_are_refused_by_name() {
    let with = |change: &dyn Fn(&mut Weights)| {
        let mut net = modern().message;
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
    let mixed = with(&|weights| weights.residual[1].se = Some(Box::new(squeeze_excite(1))));
    assert_eq!(
        mixed,
        "lc0 network x.pb: layer residual[1].se.b1 has 1 numbers; expected 2, as in the blocks before it"
    );
    let empty = with(&|weights| weights.input = Some(Box::default()));
    assert!(empty.contains("layer input.weights is missing"), "{empty}");
}

#[test]
fn other_files_are_refused() {
    let message = |bytes: &[u8]| parse(bytes, "x").unwrap_err().to_string();
    assert!(message(b"").contains("magic number 0x0; expected 0x1c0"));
    assert!(message(b"2\n0.1 0.2\n").contains("text weights file of version 2"));
    assert!(message(b"\x1f\x8b\x08\x00broken").contains("damaged gzip stream after 0 uncompressed bytes"));
    assert!(message(&[0xff; 40]).contains("not a valid weights message"));
    let mut net = modern().message;
    net.magic = Some(7);
    assert!(refused(&net).contains("magic number 0x7"));
    net.magic = Some(0x1c0);
    net.weights = None;
    assert!(refused(&net).contains("layer weights is missing"));
}

/// Half a megabyte of gzip would become several gigabytes of empty blocks.
#[test]
fn a_file_of_empty_messages_is_refused_before_it_is_decoded() {
    let mut net = classical().message;
    net.weights = None;
    let blocks = [0x12_u8, 0x00].repeat(MOST_PARTS);
    let mut bytes = net.encode_to_vec();
    prost::encoding::encode_key(10, prost::encoding::WireType::LengthDelimited, &mut bytes);
    prost::encoding::encode_varint(blocks.len() as u64, &mut bytes);
    bytes.extend(blocks);
    let message = parse(&bytes, "x.pb").unwrap_err().to_string();
    assert_eq!(message, "lc0 network x.pb: more than 1048576 messages and texts, the most that are read");
}

#[test]
fn every_truncation_is_refused() {
    let file = classical();
    let bytes = file.bytes();
    for length in (0..bytes.len()).step_by(997).chain([bytes.len() - 1]) {
        parse(&bytes[..length], "x").unwrap_err();
    }
    let compressed = file.gzipped();
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
        let mut bytes = modern().bytes();
        for (place, byte) in places {
            let place = place as usize % bytes.len();
            bytes[place] = byte;
        }
        let _ = parse(&bytes, "x");
    }
}
