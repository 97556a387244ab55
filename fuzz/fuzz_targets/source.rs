//! Any bytes read as a file of games or positions, plain or compressed; the content decides which reader gets them.
#![no_main]

use std::sync::LazyLock;

use dataset::source;
use libfuzzer_sys::fuzz_target;
use tempfile::NamedTempFile;

static FILE: LazyLock<NamedTempFile> = LazyLock::new(|| NamedTempFile::new().expect("a temporary file"));

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(FILE.path(), bytes).expect("the temporary file can be written");
    if let Ok(mut source) = source::open(FILE.path()) {
        // Bad games are items of their own; an error is the last item.
        let errors = source.by_ref().filter(Result::is_err).count();
        assert!(errors <= 1, "{errors} errors that each end the source");
        let _ = (source.progress(), source.digest());
    }
});
