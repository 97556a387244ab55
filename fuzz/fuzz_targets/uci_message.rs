//! Any lines read as UCI messages, in both directions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::laws;

fuzz_target!(|text: &str| text.lines().for_each(laws::check_message));
