//! Any text read as EPD.
#![no_main]

use chess::laws::parsers;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| parsers::check_epd(text));
