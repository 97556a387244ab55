//! Any bytes read as an ONNX file, alone or in a weights file of lc0's, and damaged exports of this program.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use network::{Weights, onnx::OnnxNetwork};
use tabiya_fuzz::{Damage, damaged};

static NETWORK: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let weights = Weights::initial(&network::synthetic::tiny_spec(), 1).expect("a valid specification");
    network::onnx::to_bytes(&weights).expect("a network of planes")
});

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    // An error is the expected answer; a panic or an endless allocation is a finding.
    let _ = OnnxNetwork::from_bytes(bytes, "fuzz");
    let _ = OnnxNetwork::from_bytes(&damaged(&NETWORK, &damage), "fuzz");
    // A file of lc0's around a graph, by its magic number.
    let _ = OnnxNetwork::from_bytes(&[&[0x0d, 0xc0, 0x01, 0x00, 0x00], bytes].concat(), "fuzz");
});
