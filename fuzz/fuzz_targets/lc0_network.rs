//! Any bytes read as an lc0 network: as they are, and after the magic number without which nothing else is looked at.
#![no_main]

use libfuzzer_sys::fuzz_target;
use network::lc0;

fuzz_target!(|bytes: &[u8]| {
    // An error is the expected answer; a panic or an endless allocation is a finding.
    let _ = lc0::parse(bytes, "fuzz");
    let _ = lc0::parse(&[&[0x0d, 0xc0, 0x01, 0x00, 0x00], bytes].concat(), "fuzz");
});
