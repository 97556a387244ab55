//! Move generation against published perft numbers.
//!
//! Numbers: chessprogramming.org, "Perft Results" (start, Kiwipete and positions 3-6); talkchess.com, topic 55274
//! (Chess960 with X-FEN castling rights).

use chess::{CastlingMode, Game, MOST_MOVES, divide, perft};

fn count(fen: &str, mode: CastlingMode, depth: u32) -> u64 {
    perft(Game::from_fen(fen, mode).unwrap().position(), depth)
}

#[test]
fn orthodox_positions() {
    for (fen, depth, expected) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
    ] {
        assert_eq!(count(fen, CastlingMode::Standard, depth), expected, "{fen}");
    }
}

#[test]
fn the_position_with_most_moves() {
    let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    assert_eq!(count(fen, CastlingMode::Standard, 1), MOST_MOVES as u64);
}

#[test]
fn chess960_positions() {
    for (fen, depth, expected) in [
        ("r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1", 4, 285_754),
        ("r1k2r1q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K2R1Q w KQkq - 0 1", 4, 541_480),
        ("4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1", 4, 405_636),
    ] {
        assert_eq!(count(fen, CastlingMode::Chess960, depth), expected, "{fen}");
    }
}

#[test]
fn divide_adds_up_to_perft() {
    for game in chess::laws::sample_games(31, 40) {
        for depth in 1..=2 {
            let parts = divide(game.position(), depth);
            assert_eq!(parts.len(), game.legal_moves().len());
            let sum: u64 = parts.iter().map(|(_, leaves)| leaves).sum();
            assert_eq!(sum, perft(game.position(), depth), "{}", game.fen());
        }
        assert_eq!(perft(game.position(), 0), 1);
        assert!(divide(game.position(), 0).is_empty());
    }
}
