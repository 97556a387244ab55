//! A damaged Parquet file of evaluated positions.
#![no_main]

use std::sync::LazyLock;

use dataset::source;
use libfuzzer_sys::fuzz_target;
use tabiya_fuzz::{Damage, damaged};
use tempfile::NamedTempFile;

static FILE: LazyLock<NamedTempFile> = LazyLock::new(|| {
    // libFuzzer's hook would abort at the library's panics, which the source answers with an error; other panics still end the
    // target.
    let _ = std::panic::take_hook();
    NamedTempFile::new().expect("a temporary file")
});

fuzz_target!(|damage: Damage| {
    let valid = include_bytes!("../../testdata/sources/evaluations.parquet");
    std::fs::write(FILE.path(), damaged(valid, &damage)).expect("the temporary file can be written");
    if let Ok(source) = source::open(FILE.path()) {
        let errors = source.filter(Result::is_err).count();
        assert!(errors <= 1, "{errors} errors that each end the source");
    }
});
