//! The chess functions against the rules.

use crate::games;
use crate::stores;

use std::collections::HashMap;

use chess::{
    Chess, Color, Position, Score, print_san, print_uci_move,
    shakmaty::{EnPassantMode, fen::Fen},
};
use dataset::{EvaluationCurve, Sample, Split, Stage, packed_position::castling_mode};
use query::FUNCTIONS;
use rand::SeedableRng as _;
use serde_json::{Value, json};

use stores::{ask, refused, samples, session, store_of};

/// One query that calls every function of positions and moves.
const EVERYTHING: &str = "
    SELECT game, ply, fen(position, ply) AS fen, fen(position) AS fen_at_start, side_to_move(position) AS side,
        fifty_moves(position) AS fifty_moves, position_key(position) AS key, piece_count(position) AS pieces,
        piece_count(position, 'P') AS white_pawns, piece_count(position, 'nb') AS black_minors, piece_count(position, 'Kk') AS kings,
        material(position) AS material, material_balance(position) AS balance, phase(position, ply) AS phase,
        in_check(position) AS in_check, legal_moves(position) AS legal, legal_move_count(position) AS legal_count,
        san(position, best_move) AS san, uci(position, best_move) AS uci,
        win_probability(centipawns, mate) AS win, expected_score(centipawns, mate, 'lichess') AS lichess,
        win_probability(centipawns, mate, 'stockfish', position, ply) AS stockfish,
        from_fen(fen(position)) = position AS round_trip, hash(game, ply, best_move) AS hash, split_of(game, 0.4) AS split
    FROM positions";

/// Material of a side: pawn 1, knight and bishop 3, rook 5, queen 9.
fn material(position: &Chess, color: Color) -> i64 {
    let side = position.board().material_side(color);
    let [pawns, minors] = [side.pawn, side.knight + side.bishop].map(i64::from);
    pawns + 3 * minors + 5 * i64::from(side.rook) + 9 * i64::from(side.queen)
}

fn phase(position: &Chess, ply: u16) -> &'static str {
    let pieces = |color| material(position, color) - i64::from(position.board().material_side(color).pawn);
    match pieces(Color::White) + pieces(Color::Black) {
        ..=26 => "endgame",
        _ if ply < 20 => "opening",
        _ => "middlegame",
    }
}

/// The upper bits of the hash of 24 bytes.
fn hash(sample: &Sample) -> u64 {
    let numbers = [sample.game.unwrap(), sample.ply.into(), sample.best_move.0.into()];
    xxhash_rust::xxh3::xxh3_64(&numbers.map(u64::to_le_bytes).concat()) / 2
}

/// The row of [`EVERYTHING`] by the rules, without the probabilities.
fn expected(sample: &Sample) -> Value {
    let position = sample.chess().unwrap();
    let (mover, mode) = (position.turn(), castling_mode(&position));
    let best = sample.best_move.unpack(&position).unwrap();
    let fen = Fen::from_position(&position, EnPassantMode::Legal).to_string();
    let start = sample.position.at_ply(0).unwrap();
    let board = position.board();
    let legal: Vec<String> =
        position.legal_moves().into_iter().map(|legal| print_uci_move(legal, mode)).collect();
    json!({
        "game": sample.game, "ply": sample.ply, "fen": fen,
        "fen_at_start": Fen::from_position(&start, EnPassantMode::Legal).to_string(),
        "side": if mover.is_white() { "white" } else { "black" },
        "fifty_moves": position.halfmoves(), "key": sample.position.key(),
        "pieces": board.occupied().count(),
        "white_pawns": (board.pawns() & board.white()).count(),
        "black_minors": ((board.knights() | board.bishops()) & board.black()).count(), "kings": 2,
        "material": material(&position, Color::White) + material(&position, Color::Black),
        "balance": material(&position, mover) - material(&position, !mover),
        "phase": phase(&position, sample.ply), "in_check": position.is_check(),
        "legal_count": legal.len(), "legal": legal,
        "san": print_san(&position, best), "uci": print_uci_move(best, mode),
        "round_trip": true, "hash": hash(sample), "split": Split::of(sample.game.unwrap(), 0.4).name(),
    })
}

fn assert_probability(found: &Value, expected: f32) {
    let found = found.as_f64().unwrap();
    assert!((found - f64::from(expected)).abs() < 1e-6, "{found} against {expected}");
}

#[test]
fn functions_of_positions_say_what_the_rules_say() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), "store", &games::random_games(30, 160, true));
    let mut rows: HashMap<(u64, u64), Value> = ask(&session(std::slice::from_ref(&store)), EVERYTHING)
        .into_iter()
        .map(|row| ((row["game"].as_u64().unwrap(), row["ply"].as_u64().unwrap()), row))
        .collect();
    let samples = samples(&store);
    assert_eq!(rows.len(), samples.len());
    for (_, sample) in &samples {
        let mut row = rows.remove(&(sample.game.unwrap(), sample.ply.into())).unwrap();
        let (score, ply) = (sample.evaluation.unwrap(), sample.ply);
        let stage = Stage { ply, material: sample.position.material() };
        let mut take = |name: &str| row.as_object_mut().unwrap().remove(name).unwrap();
        assert_probability(&take("win"), EvaluationCurve::default().wdl(score, Stage::START).win);
        assert_probability(
            &take("lichess"),
            EvaluationCurve::Lichess.wdl(score, Stage::START).expected_score(),
        );
        assert_probability(&take("stockfish"), EvaluationCurve::Stockfish.wdl(score, stage).win);
        assert_eq!(row, expected(sample));
    }
}

#[test]
fn every_function_is_in_the_query_above_and_gives_null_for_null() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(&[store_of(folder.path(), "store", &games::random_games(2, 10, true))]);
    for function in FUNCTIONS {
        let name = function.name();
        assert!(EVERYTHING.contains(&format!("{name}(")), "{name} is not tested");
        let arguments = function.usage.split_once('(').unwrap().1.split(['[', ')']).next().unwrap();
        let null = |name: &str| if name.trim() == "position" { "from_fen(NULL)" } else { "NULL" };
        let nulls = arguments.split(',').filter(|name| !name.trim().is_empty()).map(null);
        let call = format!("{name}({})", nulls.collect::<Vec<_>>().join(", "));
        let row = &ask(&session, &format!("SELECT {call} AS found"))[0];
        assert_eq!(row["found"], Value::Null, "{call}");
    }
}

#[test]
fn constants_of_a_query_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(&[store_of(folder.path(), "store", &games::random_games(2, 10, true))]);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let row = &ask(&session, &format!("SELECT fen(from_fen('{start}'), 41) AS fen"))[0];
    assert_eq!(row["fen"], format!("{start} 0 21"));
    let cases = [
        ("SELECT from_fen('8/8/8/8/8/8/8/8 w - -')", "from_fen: "),
        ("SELECT from_fen('castles')", "expected four to six"),
        ("SELECT piece_count(position, 'x') FROM positions", "found 'x', expected letters of PNBRQKpnbrqk"),
        ("SELECT fen(position, -1) FROM positions", "the ply -1 is out of range"),
        ("SELECT fen(position, 70000) FROM positions", "the ply 70000 is out of range"),
        ("SELECT san(position, 0) FROM positions", "0 is not a legal move"),
        ("SELECT san(position, 65536) FROM positions", "the move 65536 is out of range"),
        ("SELECT win_probability(1, 1)", "both centipawns 1 and mate 1"),
        ("SELECT win_probability(1, NULL, 'flat')", "the curve \"flat\""),
        ("SELECT win_probability(1, NULL, 'stockfish')", "expected position and ply"),
        (
            "SELECT win_probability(1, NULL, '{ kind = \"tanh\", scale = 0 }')",
            "scale: found 0, expected 1 to 10000",
        ),
        ("SELECT fen('e4')", "fen"),
        ("SELECT split_of(game, 1.5) FROM positions", "found the share 1.5, expected 0 to 1"),
    ];
    for (sql, expected) in cases {
        let message = refused(&session, sql);
        assert!(message.contains(expected), "{sql}: {message}");
    }
    let row =
        &ask(&session, "SELECT win_probability(100, NULL, '{ kind = \"tanh\", scale = 100 }') AS win")[0];
    let tanh = EvaluationCurve::Tanh { scale: 100.0 };
    assert_probability(&row["win"], tanh.wdl(Score::Centipawns(100), Stage::START).win);
}

#[test]
fn positions_come_back_from_their_fen() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(&[store_of(folder.path(), "store", &games::random_games(2, 10, true))]);
    let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(4);
    let mut position = Chess::default();
    for _ in 0..60 {
        let Some(chess_move) = games::random_move(&position, &mut random) else { break };
        position.play_unchecked(chess_move);
        let fen = Fen::from_position(&position, EnPassantMode::Legal).to_string();
        let ply = 2 * (position.fullmoves().get() - 1);
        let row = &ask(&session, &format!("SELECT fen(from_fen('{fen}'), {ply}) AS fen"))[0];
        assert_eq!(row["fen"], fen);
    }
}
