//! Real endgame tables, whole and damaged. Needs the folder named by `TABIYA_DATA`, with `syzygy/`.

use std::{fs, path::PathBuf};

use chess::{CastlingMode, Game, TableResult, Tablebases};

fn folder() -> PathBuf {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the data folder");
    PathBuf::from(data).join("syzygy")
}

fn game(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).unwrap()
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_tables_know_results_and_moves() {
    let (tables, problems) = Tablebases::open(&folder().display().to_string());
    assert_eq!(problems, Vec::<String>::new());
    assert!(tables.files() > 50 && tables.max_pieces() >= 4);
    for (fen, expected) in [
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", Some(TableResult::Draw)),
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Some(TableResult::Win)),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", Some(TableResult::Loss)),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 1 1", None),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None),
    ] {
        assert_eq!(tables.probe(game(fen).position()), expected, "{fen}");
    }
    for (fen, expected) in [
        ("8/8/8/4k3/8/8/8/K2Q4 w - - 3 60", Some(TableResult::Win)),
        ("8/8/8/4k3/8/8/8/K2Q4 w - - 99 60", Some(TableResult::Draw)),
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", Some(TableResult::Draw)),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None),
    ] {
        let results = tables.results(&game(fen));
        let best = results.as_ref().map(|results| results.iter().map(|(_, result)| *result).max().unwrap());
        assert_eq!(best, expected, "{fen}");
        assert_eq!(results.map(|results| results.len()), best.map(|_| game(fen).legal_moves().len()));
    }
    for (fen, expected) in [
        ("8/8/8/4k3/8/8/8/K2Q4 w - - 3 60", Some(TableResult::Win)),
        ("8/8/8/4k3/8/8/8/K2Q4 b - - 3 60", Some(TableResult::Loss)),
        ("8/8/8/4k3/8/8/8/K2Q4 w - - 96 60", Some(TableResult::Draw)),
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 96 60", Some(TableResult::Draw)),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", Some(TableResult::Loss)),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 5 1", None),
    ] {
        assert_eq!(tables.certain_result(&game(fen)), expected, "{fen}");
    }
    let mut repeated = game("8/8/8/4k3/8/8/8/K2Q4 w - - 3 60");
    for uci in ["d1d2", "e5e6", "d2d1", "e6e5"] {
        repeated.play_uci(uci).unwrap();
    }
    assert_eq!(tables.certain_result(&repeated), None, "a third time would draw");
    // Promoting at once is the fastest.
    let best = tables.best_moves(&game("8/4P3/8/8/8/k7/8/4K3 w - - 0 1")).unwrap();
    assert!(best.iter().all(|chess_move| chess_move.is_promotion()), "{best:?}");
    assert_eq!(tables.best_moves(&Game::default()), None);
    assert_eq!(tables.take_problems(), Vec::<String>::new());
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_damaged_and_missing_tables_are_named_and_played_around() {
    let copy = tempfile::tempdir().unwrap();
    for name in ["KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw", "KPvK.rtbw", "KBvK.rtbw"] {
        fs::copy(folder().join(name), copy.path().join(name)).unwrap();
    }
    // One truncated, one with a wrong magic number, one damaged inside.
    fs::write(copy.path().join("KRvK.rtbw"), b"short").unwrap();
    let mut bytes = fs::read(copy.path().join("KBvK.rtbw")).unwrap();
    bytes[0] ^= 0xff;
    fs::write(copy.path().join("KBvK.rtbw"), &bytes).unwrap();
    let (tables, problems) = Tablebases::open(&copy.path().display().to_string());
    assert_eq!(tables.files(), 3);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().any(|text| text.contains("KRvK.rtbw")), "{problems:?}");
    assert!(problems.iter().any(|text| text.contains("KBvK.rtbw") && text.contains("begins with")));

    // Pawns promote to pieces without a table, and there are no DTZ files.
    assert_eq!(tables.best_moves(&game("8/4P3/8/8/8/k7/8/4K3 w - - 0 1")), None);
    assert!(tables.take_problems().iter().any(|text| text.contains("KRvK")));
    assert_eq!(tables.take_problems(), Vec::<String>::new(), "told once");
    assert_eq!(tables.probe(game("8/8/8/8/8/k7/8/4K2Q w - - 0 1").position()), Some(TableResult::Win));
}
