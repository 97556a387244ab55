//! Compares this crate's evaluation of the network that Stockfish exports with Stockfish's own.
#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use chess::{CastlingMode, Game};
use network::nnue::{Judge, Nnue, NnueError, UNITS_PER_PAWN};

/// Stockfish's complete output for these commands.
fn stockfish(folder: &Path, commands: &str) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut process = Command::new("stockfish")
        .env("PATH", format!("{path}:/usr/games"))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    write!(process.stdin.take().unwrap(), "{commands}\nquit\n").unwrap();
    String::from_utf8(process.wait_with_output().unwrap().stdout).unwrap()
}

/// Positions that are not in check and have no decisive material imbalance. With such an imbalance Stockfish 15.1 does
/// not use its network.
const POSITIONS: [&str; 9] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pppq1ppp/2n1bn2/3pp3/3PP3/2N1BN2/PPPQ1PPP/R3K2R w KQkq - 0 8",
    "r1bqk2r/pppp1ppp/2n2n2/4p3/1bB1P3/2N2N2/PPPP1PPP/R1BQK2R b KQkq - 6 5",
    "2kr3r/ppp2ppp/2n1bn2/2b5/4P3/2N1BN2/PPP2PPP/R3K2R b KQ - 3 12",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
];

#[test]
#[ignore = "needs Stockfish"]
fn stockfish_evaluates_its_network_to_the_same_hundredth_of_a_pawn() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let greeting = stockfish(folder, "uci\nexport_net exported.nnue");
    let nnue = match Nnue::read(&folder.join("exported.nnue")) {
        Ok(nnue) => Arc::new(nnue),
        // Other versions have networks with other shapes, which are refused.
        Err(NnueError::Format { .. }) if !greeting.contains("Stockfish 15.1") => return,
        Err(error) => panic!("{error}"),
    };
    let mut judge = Judge::new(nnue);
    for fen in POSITIONS {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        let own = judge.evaluation(game.position());
        let white = if game.turn().is_white() { own } else { -own };
        let answer = stockfish(folder, &format!("position fen {fen}\neval"));
        let line = answer.lines().find(|line| line.starts_with("Final evaluation")).unwrap();
        let pawns: f64 = line.split_whitespace().nth(2).unwrap().parse().unwrap();
        let found = f64::from(white) / f64::from(UNITS_PER_PAWN);
        assert!((found - pawns).abs() < 0.005 + 1e-9, "{fen}: {found}, Stockfish {pawns}");
    }
}
