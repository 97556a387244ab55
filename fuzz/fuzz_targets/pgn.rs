//! Any bytes read as a file of games: PGN, plain or compressed.
#![no_main]

use std::sync::LazyLock;

use dataset::source::PgnSource;
use libfuzzer_sys::fuzz_target;
use tempfile::NamedTempFile;

static FILE: LazyLock<NamedTempFile> = LazyLock::new(|| NamedTempFile::new().expect("a temporary file"));

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(FILE.path(), bytes).expect("the temporary file can be written");
    if let Ok(mut source) = PgnSource::open(FILE.path()) {
        // Bad games are items of their own; an error ends the file.
        assert!(source.by_ref().take_while(Result::is_ok).count() <= bytes.len().saturating_mul(1000));
        let _ = source.digest();
    }
});
