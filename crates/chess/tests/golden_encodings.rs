//! Golden planes: a change would invalidate existing stores and networks, so it needs a new encoding name.
//!
//! `TABIYA_UPDATE_GOLDEN=1 cargo test -p chess --test integration golden_encodings` renews the files.

use std::{fmt::Write as _, fs, path::PathBuf};

use chess::{
    CastlingMode, Game, PlayerRatings,
    encoding::{Plane, input::input_encoding, moves::move_encoding},
    print_uci_move,
};

/// A start and the moves played from it.
const GAMES: [(&str, &str); 10] = [
    (START, ""),
    (START, "e2e4"),
    (START, "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6"),
    (START, "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 e8g8 e4e5"),
    (START, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4"),
    (START, "e2e4 a7a6 e4e5 d7d5"),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "e1g1"),
    ("4k3/8/8/8/2pPp3/8/8/4K3 b - d3 0 2", ""),
    ("8/8/4k3/8/8/3QK3/8/8 w - - 88 90", "d3d4 e6f5 d4d3"),
    ("8/P6k/8/8/8/8/7p/K7 b - - 3 50", "h2h1q"),
];

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn tabiya_planes() {
    compare("tabiya");
}

#[test]
fn tabiya_attacks_planes() {
    compare("tabiya-attacks");
}

#[test]
fn tabiya_rated_planes() {
    compare("tabiya-rated");
}

#[test]
fn tabiya_rated_moves_planes() {
    compare("tabiya-rated-moves");
}

#[test]
fn lc0_112_planes() {
    compare("lc0-112");
}

#[test]
fn planes_of_other_programs() {
    for name in [
        "cogs188-14",
        "catfish-12-white",
        "catfish-12",
        "aichess-13",
        "mlx-14",
        "knights-6",
        "knights-6-10",
        "knights-6-2",
        "knights-1",
        "knights-1-2",
        "knights-3",
    ] {
        compare(name);
    }
}

#[test]
fn move_indices_of_other_programs() {
    for name in ["aichess-1968", "cogs188-4096", "mlx-4096", "knights-4096"] {
        let written: String = GAMES.iter().map(|(fen, moves)| describe_moves(name, fen, moves)).collect();
        compare_text(name, &written);
    }
}

fn compare(name: &str) {
    let written: String = GAMES.iter().map(|(fen, moves)| describe(name, fen, moves)).collect();
    compare_text(name, &written);
}

fn compare_text(name: &str, written: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/encodings/{name}.txt"));
    if std::env::var_os("TABIYA_UPDATE_GOLDEN").is_some() {
        fs::write(&path, written).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for (number, (found, expected)) in (1..).zip(written.lines().zip(golden.lines())) {
        assert_eq!(found, expected, "{} line {number}", path.display());
    }
    assert_eq!(written.lines().count(), golden.lines().count(), "{}", path.display());
}

/// A line for the game and one for each plane that is not empty: number, value, mask (bit 0 = a1, mover's view).
fn describe(name: &str, fen: &str, moves: &str) -> String {
    let game = played(fen, moves);
    let encoding = input_encoding(name).unwrap();
    let mut planes = vec![Plane::EMPTY; encoding.planes()];
    encoding.encode(&game, &mut planes);
    let mut text = format!("{fen} moves {moves}\n");
    for (number, plane) in planes.iter().enumerate().filter(|(_, plane)| plane.mask != 0) {
        writeln!(text, "{number} {} {:016x}", plane.value, plane.mask).unwrap();
    }
    text
}

/// A line for the game and one with the index of every legal move.
fn describe_moves(name: &str, fen: &str, moves: &str) -> String {
    let game = played(fen, moves);
    let encoding = move_encoding(name).unwrap();
    let mut indices: Vec<String> = (game.legal_moves().into_iter())
        .map(|one| {
            format!("{} {}", print_uci_move(one, game.castling_mode()), encoding.index(game.position(), one))
        })
        .collect();
    indices.sort();
    format!("{fen} moves {moves}\n{}\n", indices.join(", "))
}

fn played(fen: &str, moves: &str) -> Game {
    let ratings = PlayerRatings { white: Some(1850), black: None };
    let mut game = Game::from_fen(fen, CastlingMode::Standard).unwrap().with_ratings(ratings);
    for uci in moves.split_whitespace() {
        game.play_uci(uci).unwrap();
    }
    game
}
