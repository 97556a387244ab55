//! Any bytes, and a damaged book, read as a Polyglot book.
#![no_main]

use chess::laws::parsers;
use libfuzzer_sys::fuzz_target;
use tabiya_fuzz::{Damage, damaged};

static BOOK: &[u8] = include_bytes!("../../testdata/books/hand-made.bin");

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    parsers::check_polyglot(bytes);
    parsers::check_polyglot(&damaged(BOOK, &damage));
});
