//! Any bytes as Syzygy tables, probed in positions that they should cover.
#![no_main]

use std::sync::LazyLock;

use chess::{CastlingMode, Game, Tablebases};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// The first bytes of tables of results and of distances.
const MAGIC: [(&str, [u8; 4]); 2] =
    [("KQvK.rtbw", [0x71, 0xe8, 0x23, 0x5d]), ("KQvK.rtbz", [0xd7, 0x66, 0x0c, 0xa5])];

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a temporary folder"));

static GAMES: LazyLock<Vec<Game>> = LazyLock::new(|| {
    let fens =
        ["8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "8/8/8/3k4/8/8/8/KQ6 b - - 3 9", "k7/8/1q6/8/8/8/8/K7 w - - 0 1"];
    fens.map(|fen| Game::from_fen(fen, CastlingMode::Standard).expect("a position")).into()
});

fuzz_target!(|bytes: &[u8]| {
    for (name, magic) in MAGIC {
        let mut table = [&magic[..], bytes].concat();
        // Of any other length a table is refused before it is read.
        table.resize(table.len().next_multiple_of(64) + 16, 0);
        std::fs::write(FOLDER.path().join(name), table).expect("the folder can be written to");
    }
    let (tables, _) = Tablebases::open(&FOLDER.path().display().to_string());
    for game in GAMES.iter() {
        let _ = (tables.probe(game.position()), tables.results(game), tables.best_moves(game));
    }
    let _ = tables.take_problems();
});
