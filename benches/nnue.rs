//! Quality of Stockfish's network as a teacher: its judgement of positions, and its evaluation without any search, beside
//! an engine's analysis of the same positions.
//!
//! `cargo bench --bench nnue -- NETWORK POSITIONS [COUNT]`; the network is what `stockfish` writes on `export_net`, the positions are
//! JSON lines as Lichess publishes its evaluations. One thread.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a measurement prints its table")]

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    sync::Arc,
    time::Instant,
};

use chess::{CastlingMode, Chess, Game, Move, Position as _, Score};
use dataset::evaluation_to_wdl;
use network::nnue::{Judge, Nnue, UNITS_PER_PAWN};
use serde_json::Value;

/// A position, its value by the analysis, and the best move there.
struct Analysed {
    position: Chess,
    score: Score,
    best: Move,
}

/// Sums for a correlation and a root of the mean square.
#[derive(Default)]
struct Agreement {
    count: f64,
    sums: [f64; 5],
    squares: f64,
}

impl Agreement {
    fn add(&mut self, found: Score, expected: Score) {
        let of = |score| f64::from(evaluation_to_wdl(score).expected_score());
        let (x, y) = (of(found), of(expected));
        self.count += 1.0;
        for (sum, term) in self.sums.iter_mut().zip([x, y, x * x, y * y, x * y]) {
            *sum += term;
        }
        self.squares += (x - y) * (x - y);
    }

    fn in_words(&self) -> String {
        let [x, y, xx, yy, xy] = self.sums.map(|sum| sum / self.count);
        let r = (xy - x * y) / ((xx - x * x) * (yy - y * y)).sqrt();
        format!("r {r:.4}, rms {:.4}", (self.squares / self.count).sqrt())
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let (Some(network), Some(positions)) = (arguments.next(), arguments.next()) else {
        println!("usage: cargo bench --bench nnue -- NETWORK POSITIONS [COUNT]");
        return;
    };
    let count: usize = arguments.next().map_or(8000, |text| text.parse().unwrap());
    let analysed = read(Path::new(&positions), count);
    let nnue = Arc::new(Nnue::read(Path::new(&network)).unwrap());
    println!("{network}, {} kernels, {} positions", nnue.kernels(), analysed.len());
    let mut judge = Judge::new(nnue);

    let (mut agreement, start) = (Agreement::default(), Instant::now());
    for one in &analysed {
        let value = judge.evaluation(&one.position) * 100 / UNITS_PER_PAWN;
        agreement.add(Score::Centipawns(value), one.score);
    }
    let rate = analysed.len() as f64 / start.elapsed().as_secs_f64();
    println!("evaluation alone: {}, {rate:.0} positions/s", agreement.in_words());

    let (mut agreement, start) = (Agreement::default(), Instant::now());
    let (mut places, mut cross_entropy) = (Vec::new(), 0.0);
    for one in &analysed {
        let moves: Vec<Move> = one.position.legal_moves().into_iter().collect();
        let judgement = judge.judge(&one.position, &moves);
        agreement.add(judgement.score, one.score);
        let share = judgement.shares[moves.iter().position(|legal| *legal == one.best).unwrap()];
        places.push(judgement.shares.iter().filter(|other| **other > share).count());
        cross_entropy -= f64::from(share.max(1e-4).ln());
    }
    let (rate, all) = (analysed.len() as f64 / start.elapsed().as_secs_f64(), analysed.len() as f64);
    let within = |moves| 100.0 * places.iter().filter(|place| **place < moves).count() as f64 / all;
    println!(
        "judgement: {}, best move first {:.1} %, among five {:.1} %, cross entropy {:.3}, {rate:.0} positions/s",
        agreement.in_words(),
        within(1),
        within(5),
        cross_entropy / all
    );
}

/// The first `count` positions with an analysis that are not over.
fn read(path: &Path, count: usize) -> Vec<Analysed> {
    let file = std::fs::File::open(path).unwrap();
    let lines = BufReader::new(zstd::Decoder::new(file).unwrap()).lines();
    lines.filter_map(|line| analysed(&serde_json::from_str(&line.unwrap()).unwrap())).take(count).collect()
}

fn analysed(line: &Value) -> Option<Analysed> {
    let fen = format!("{} 0 20", line["fen"].as_str()?);
    let game = Game::from_fen(&fen, CastlingMode::Standard).ok()?;
    let first = &line["evals"][0]["pvs"][0];
    let white = if game.turn().is_white() { 1 } else { -1 };
    let number = |key: &str| first[key].as_i64().map(|number| white * number as i32);
    let score = number("cp").map(Score::Centipawns).or(number("mate").map(Score::Mate))?;
    let text = first["line"].as_str()?.split(' ').next()?;
    let best = chess::parse_uci_move(game.position(), text).ok()?;
    Some(Analysed { position: game.position().clone(), score, best })
}
