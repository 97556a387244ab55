//! Any bytes read as an lc0 network, as they are and after the magic number that is required before anything else is
//! read; and damaged networks.
#![no_main]

use std::sync::LazyLock;

use network::lc0::{Heads, Lc0Network, synthetic};
use libfuzzer_sys::fuzz_target;
use tabiya_fuzz::{Damage, damaged};

static NETWORK: LazyLock<Vec<u8>> = LazyLock::new(|| synthetic::modern().bytes());
static ATTENTION: LazyLock<Vec<u8>> = LazyLock::new(|| synthetic::attention().bytes());

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    // An error is the expected answer; a panic or an endless allocation is a finding.
    let _ = Lc0Network::from_bytes(bytes, "fuzz", Heads::default());
    let _ = Lc0Network::from_bytes(&[&[0x0d, 0xc0, 0x01, 0x00, 0x00], bytes].concat(), "fuzz", Heads::default());
    for network in [&NETWORK, &ATTENTION] {
        let _ = Lc0Network::from_bytes(&damaged(network, &damage), "fuzz", Heads::default());
    }
});
