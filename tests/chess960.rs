//! Games of Chess960 from files: played, written and read back as what they are. Such games were once played as orthodox chess, and engines
//! lost them by castling.
#![cfg(unix)]

use crate::engine;

use crate::program;

use std::path::Path;

use dataset::source::PgnSource;

fn games(path: &Path) -> Vec<dataset::record::GameRecord> {
    PgnSource::open(path).unwrap().map(|game| game.unwrap().unwrap()).collect()
}

#[test]
fn openings_of_chess960_are_played_and_written_as_chess960() {
    let folder = tempfile::tempdir().unwrap();
    let fen = "nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - 0 1";
    let castled = "1. e3 e6 2. Be2 Be7 3. O-O-O O-O-O *";
    let go = "echo \"$position\" >> positions; case $position in *c8b8) echo bestmove f2f4;; *moves*) echo bestmove f7f5;; *) echo bestmove f2f4;; esac";
    engine::engine(folder.path(), "castler", &["option name UCI_Chess960 type check default false"], go);
    // By its tag, by its position alone, and as a line of EPD.
    for (name, text, castles) in [
        ("a.pgn", format!("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{castled}\n"), true),
        ("b.pgn", format!("[FEN \"{fen}\"]\n\n{castled}\n"), true),
        ("c.epd", format!("{fen}\n"), false),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
        let rules = "--games 2 --max-moves 5 --pgn out.pgn --openings";
        program::success(folder.path(), &format!("match uci=./castler,nodes=1 first {rules} {name}"));
        let sent = std::fs::read_to_string(folder.path().join("castler.options")).unwrap();
        assert!(sent.contains("UCI_Chess960 value true"), "{sent}");
        let positions = std::fs::read_to_string(folder.path().join("positions")).unwrap();
        assert!(positions.contains("e7e6 d1e2 d8e7 c1b1 c8b8") || !castles, "{positions}");
        let read = games(&folder.path().join("out.pgn"));
        assert!(read.len() == 2 && read.iter().all(|game| game.castling_mode.is_chess960()), "{read:?}");
        for left in ["castler.options", "positions", "out.pgn"] {
            std::fs::remove_file(folder.path().join(left)).unwrap();
        }
    }
}
