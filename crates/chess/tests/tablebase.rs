//! Real endgame tables, whole and damaged. Needs the folder named by `TABIYA_DATA`, with `syzygy/`.

use std::{fs, path::PathBuf};

use chess::{CastlingMode, Game, MoveReason, TableGap, TableOutcome, TableResult, Tablebases, print_san};

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

/// Outcome, distance and reason of a move.
type Told = (TableOutcome, Option<u32>, Option<MoveReason>);

/// The moves of a position in SAN, best first, as the tables judge them.
fn judged(tables: &Tablebases, fen: &str) -> Vec<(String, Told)> {
    let game = game(fen);
    let moves = tables.moves(game.position()).unwrap();
    assert_eq!(moves.len(), game.legal_moves().len(), "{fen}");
    let best = tables.best_moves(&game).unwrap();
    assert!(best.contains(&moves[0].chess_move), "{fen}");
    for (chess_move, result) in tables.results(&game).unwrap() {
        let found = moves.iter().find(|one| one.chess_move == chess_move).unwrap();
        assert_eq!(found.outcome.result(), result, "{fen} {chess_move:?}");
    }
    moves
        .iter()
        .map(|one| (print_san(game.position(), one.chess_move), (one.outcome, one.distance, one.reason)))
        .collect()
}

/// Distances as python-chess 1.11.2 finds them in the same tables.
#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_every_move_has_its_outcome_distance_and_reason() {
    use MoveReason::{Checkmate, FiftyMoves, InsufficientMaterial, Promotion, Stalemate};
    use TableOutcome::{CursedWin, Draw, Loss, Win};
    let (tables, _) = Tablebases::open(&folder().display().to_string());
    let pawn = judged(&tables, "8/4P3/8/8/8/k7/8/4K3 w - - 0 1");
    let told: Vec<Told> = pawn.iter().map(|(_, told)| *told).collect();
    assert_eq!(told[..2], [(Win, Some(1), Some(Promotion)); 2], "{pawn:?}");
    assert_eq!(told[2..7], [(Win, Some(3), None); 5], "{pawn:?}");
    assert_eq!(told[7..], [(Draw, None, Some(InsufficientMaterial)); 2], "{pawn:?}");

    let losing = judged(&tables, "8/8/8/8/4k3/8/4pK2/8 w - - 0 1");
    assert_eq!(losing[0], ("Kxe2".into(), (Draw, None, Some(InsufficientMaterial))));
    assert_eq!(losing[1], ("Ke1".into(), (Loss, Some(6), None)));
    assert!(losing[2..].iter().all(|(_, told)| *told == (Loss, Some(2), None)), "{losing:?}");

    let mating = judged(&tables, "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1");
    assert_eq!(mating[0].1, (Win, Some(1), Some(Checkmate)));
    let stalemating = judged(&tables, "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1");
    assert!(stalemating.contains(&("Kg6".into(), (Draw, None, Some(Stalemate)))), "{stalemating:?}");

    // The longest endgame of four pieces: in time with a fresh counter, and too late with one that stands at 60.
    for (halfmoves, outcome, reason) in [(0, Win, None), (60, CursedWin, Some(FiftyMoves))] {
        let mate = judged(&tables, &format!("8/8/8/4k3/8/8/8/KBN5 w - - {halfmoves} 90"));
        assert_eq!(mate[0].1, (outcome, Some(58), reason), "{mate:?}");
        assert_eq!(mate.iter().filter(|(_, told)| told.0 == Draw).count(), 2, "{mate:?}");
    }

    let gap = |fen: &str| tables.moves(game(fen).position()).unwrap_err();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(gap(start), TableGap::Pieces { pieces: 32, most: tables.max_pieces() });
    assert_eq!(gap("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), TableGap::Castling);
    let mated = game("7k/5KQ1/8/8/8/8/8/8 b - - 0 1");
    assert!(tables.moves(mated.position()).unwrap().is_empty());
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
    let gap = tables.moves(game("8/4P3/8/8/8/k7/8/4K3 w - - 0 1").position()).unwrap_err();
    assert!(matches!(&gap, TableGap::Table(text) if text.contains("not found")), "{gap}");
    assert_eq!(tables.probe(game("8/8/8/8/8/k7/8/4K2Q w - - 0 1").position()), Some(TableResult::Win));
}
