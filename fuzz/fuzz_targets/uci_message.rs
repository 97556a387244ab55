//! Any text read as a message of UCI, in both directions.
#![no_main]

use chess::laws::parsers;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| parsers::check_uci_message(text));
