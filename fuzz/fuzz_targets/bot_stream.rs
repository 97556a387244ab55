//! Any bytes as a stream of the bot's server, and any text as its configuration.
#![no_main]

use bot::laws;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    laws::check_stream(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        laws::check_config(text);
    }
});
