//! Any bytes, and a damaged opening table, read as one.
#![no_main]

use std::sync::LazyLock;

use census::openings::{GameFilter, GameQuery, MakeOptions, Table, TableInput, make_table};
use chess::{Game, StopSignal};
use libfuzzer_sys::fuzz_target;
use tabiya_fuzz::{Damage, damaged};
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a temporary folder"));

/// The table of a few games.
static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/games/hand-made.pgn");
    let out = FOLDER.path().join("made.openings");
    let options = MakeOptions::named("fuzz");
    make_table(&[TableInput::of(games.as_ref())], &out, &options, &StopSignal::default(), &mut |_| ())
        .expect("a table of the games of the tests");
    std::fs::read(out).expect("the table")
});

fn check(bytes: &[u8]) {
    let path = FOLDER.path().join("read.openings");
    std::fs::write(&path, bytes).expect("the folder can be written to");
    let Ok(mut table) = Table::open(&path) else { return };
    let _ = table.info().is_stale();
    let mut game = Game::default();
    for uci in ["e2e4", "e7e5"] {
        let _ = table.moves(game.position());
        let filter = GameFilter { ratings: Some(1000..=2000), years: Some(1990..=2020) };
        let _ = table.filtered_moves(game.position(), &filter);
        let _ = table.games(game.position(), &GameQuery { most: 5, ..GameQuery::default() });
        game.play_uci(uci).expect("a legal move");
    }
}

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    check(&damaged(&TABLE, &damage));
    check(bytes);
});
