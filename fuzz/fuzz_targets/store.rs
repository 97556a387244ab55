//! A sample store whose manifest or samples are damaged.
#![no_main]

use std::{path::PathBuf, sync::LazyLock};

use dataset::{BuildConfig, Split, Store, NoObserver, build};
use libfuzzer_sys::fuzz_target;
use tabiya_fuzz::{Damage, damaged};
use tempfile::TempDir;

/// A valid store, and its files with their contents.
struct Valid {
    folder: TempDir,
    files: Vec<(PathBuf, Vec<u8>)>,
}

static VALID: LazyLock<Valid> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a temporary folder");
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/games/hand-made.pgn");
    let mut config = BuildConfig::new(folder.path().join("store"), [games]);
    config.validation_share = 0.5;
    build(&config, &mut NoObserver).expect("the games of the tests make a store");
    let mut files: Vec<PathBuf> =
        config.output.read_dir().expect("a store").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let files = files.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("a file"))).collect();
    Valid { folder, files }
});

fuzz_target!(|input: (u8, Damage)| {
    let (chosen, damage) = input;
    let (path, content) = &VALID.files[usize::from(chosen) % VALID.files.len()];
    std::fs::write(path, damaged(content, &damage)).expect("the store can be written to");
    if let Ok(store) = Store::open(&VALID.folder.path().join("store")) {
        for split in [Split::Train, Split::Validation] {
            // An error in one row group says nothing about the next.
            let _ = store
                .row_groups(split)
                .map(|samples| samples.map_or(0, |samples| samples.len()))
                .sum::<usize>();
        }
    }
    std::fs::write(path, content).expect("the store can be written to");
});
