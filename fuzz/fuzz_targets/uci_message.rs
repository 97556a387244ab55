//! Any text read as a message of UCI, in both directions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::laws;

fuzz_target!(|text: &str| laws::check_message(text));
