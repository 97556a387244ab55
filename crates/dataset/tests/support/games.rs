//! Random games as PGN, for tests and benchmarks that must not depend on real data.
#![allow(dead_code, reason = "each test and benchmark that includes this file uses a part of it")]

use std::fmt::Write as _;

use chess::{Chess, Position, shakmaty::san::SanPlus};
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A legal move of the position, all equally likely; `None` when the game is over.
pub(crate) fn random_move(position: &Chess, random: &mut Xoshiro256PlusPlus) -> Option<chess::Move> {
    let moves = position.legal_moves();
    (!moves.is_empty()).then(|| moves[random.random_range(0..moves.len())])
}

/// A game of at most `plies` random moves, with ratings, evaluations where `evaluated`, and a result.
pub(crate) fn random_pgn(seed: u64, plies: usize, evaluated: bool) -> String {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let result = ["1-0", "0-1", "1/2-1/2", "*"][random.random_range(0..4)];
    let mut text = format!(
        "[Event \"random {seed}\"]\n[Result \"{result}\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[TimeControl \"{}+{}\"]\n\n",
        random.random_range(1000..2800),
        random.random_range(1000..2800),
        random.random_range(1..10) * 60,
        random.random_range(0..3),
    );
    let mut position = Chess::default();
    let evaluation = |random: &mut Xoshiro256PlusPlus| match random.next_u32() % 8 {
        0 => format!("{{ [%eval #{}] }} ", random.random_range(-9..9) * 2 + 1),
        _ => format!("{{ [%eval {:.2}] }} ", f64::from(random.random_range(-900..900)) / 100.0),
    };
    if evaluated {
        text.push_str(&evaluation(&mut random));
    }
    for ply in 0..plies {
        let Some(chess_move) = random_move(&position, &mut random) else { break };
        if ply % 2 == 0 {
            let _ = write!(text, "{}. ", ply / 2 + 1);
        }
        let san = SanPlus::from_move_and_play_unchecked(&mut position, chess_move);
        let _ = write!(text, "{san} ");
        if evaluated {
            text.push_str(&evaluation(&mut random));
        }
    }
    text + result + "\n\n"
}

pub(crate) fn random_games(games: u64, plies: usize, evaluated: bool) -> String {
    (0..games).map(|seed| random_pgn(seed, plies, evaluated)).collect()
}
