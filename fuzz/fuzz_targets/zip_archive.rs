//! A damaged zip archive, with damage in its contents as well: readers get its files or an error.
#![no_main]

use std::{io::Write as _, sync::LazyLock};

use dataset::source::{self, Location};
use libfuzzer_sys::fuzz_target;
use tabiya_fuzz::{Damage, damaged};
use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a temporary folder"));

/// Games and positions, one compressed and one uncompressed.
static ARCHIVE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, options, text) in [
        ("games/one.pgn", SimpleFileOptions::default(), "[Event \"x\"]\n\n1. e4 e5 2. Nf3 *\n"),
        ("two.epd", stored, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;\n"),
    ] {
        archive
            .start_file(name, options)
            .and_then(|()| Ok(archive.write_all(text.as_bytes())?))
            .expect("memory");
    }
    archive.finish().expect("memory").into_inner()
});

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    for content in [&damaged(&ARCHIVE, &damage)[..], bytes] {
        let path = FOLDER.path().join("a.zip");
        std::fs::write(&path, content).expect("the folder can be written to");
        let Ok(files) = Location::all(&path) else { continue };
        for file in files.iter().take(4) {
            if let Ok(records) = source::open_at(file) {
                let _ = records.take(64).filter(Result::is_ok).count();
            }
        }
    }
});
