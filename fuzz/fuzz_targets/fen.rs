//! Any text read as FEN.
#![no_main]

use chess::laws::parsers;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| parsers::check_fen(text));
