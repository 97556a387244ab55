//! A store of personal games whose settings, games or list are damaged.
#![no_main]

use std::{path::PathBuf, sync::LazyLock};

use chess::Color;
use dataset::{NoObserver, record::Record, source};
use libfuzzer_sys::fuzz_target;
use personal::PersonalStore;
use tabiya_fuzz::{Damage, damaged};
use tempfile::TempDir;

/// A valid store, and its files with their contents.
struct Valid {
    folder: TempDir,
    files: Vec<(PathBuf, Vec<u8>)>,
}

fn files(folder: PathBuf, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    let entries = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut entries: Vec<PathBuf> = entries.collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(path, found);
        } else {
            found.push((path.clone(), std::fs::read(&path).expect("a file")));
        }
    }
}

static VALID: LazyLock<Valid> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a temporary folder");
    let store = PersonalStore::open_or_make(folder.path()).expect("an empty folder becomes a store");
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/games/hand-made.pgn");
    for record in source::open(games.as_ref()).expect("the games of the tests").flatten() {
        if let Ok(Record::Game(game)) = record {
            let _ = store.add_game(&game, Color::White);
        }
    }
    let mut found = Vec::new();
    files(folder.path().to_owned(), &mut found);
    assert!(found.len() > 2, "settings and games");
    Valid { folder, files: found }
});

fuzz_target!(|input: (u8, Damage)| {
    let (chosen, damage) = input;
    let (path, content) = &VALID.files[usize::from(chosen) % VALID.files.len()];
    std::fs::write(path, damaged(content, &damage)).expect("the store can be written to");
    if let Ok(store) = PersonalStore::open(VALID.folder.path()) {
        let _ = (store.games(), store.count(), store.collects_from_page());
        let _ = store.samples(1, &mut NoObserver);
    }
    std::fs::write(path, content).expect("the store can be written to");
});
