//! Any bytes, and a damaged network, read as weights.
#![no_main]

use libfuzzer_sys::fuzz_target;
use network::Weights;
use tabiya_fuzz::{Damage, damaged};

static NETWORK: &[u8] = include_bytes!("../../nets/default.tabiya");

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    let _ = Weights::from_bytes(bytes, "fuzz");
    let _ = Weights::from_bytes(&damaged(NETWORK, &damage), "fuzz");
});
