//! How much of a network's speed is left in a search: nodes a second of one thread against the evaluations a second of the
//! same network in batches of the same size, in three positions, and what a second thread adds.
//!
//! `cargo bench --bench network_search -- [NETWORK] [NODES]`. Seconds are those that the processor gave to the threads, where
//! the system tells them, so that other programs count little; raw evaluations and searches take turns.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a measurement prints its table")]

#[path = "support/processor.rs"]
mod processor;

use std::{path::Path, sync::Arc};

use chess::{CastlingMode, EvaluationRequest, Evaluator, Game, Limits, Move, Search, StopSignal};
use network::{CpuNetwork, CpuOptions, Weights};
use processor::{process_seconds, thread_seconds};
use search::{Puct, options::parse};

const POSITIONS: [(&str, &str); 3] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("middlegame", "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9"),
    ("Kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
];
const ROUNDS: usize = 5;

fn main() {
    // Cargo adds `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let path = arguments.next().unwrap_or_else(|| "nets/default.tabiya".into());
    let nodes: u64 = arguments.next().map_or(2000, |text| text.parse().unwrap());
    let weights = Weights::read(Path::new(&path)).unwrap();
    let network = Arc::new(CpuNetwork::from_weights(&weights, CpuOptions::default()).unwrap());
    let batch = network.preferred_batch();
    println!("{}, batch {batch}, {nodes} nodes, median of {ROUNDS} rounds", network.describe());
    println!("position      raw/s  nodes/s  evaluations/s  nodes/raw  evaluations/raw  two threads/one");
    for (name, fen) in POSITIONS {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        let mut rounds: Vec<[f64; 5]> = (0..ROUNDS).map(|_| round(&network, &game, nodes)).collect();
        rounds.sort_by(|left, right| left[3].total_cmp(&right[3]));
        let [raw, visits, evaluations, share, threads] = rounds[ROUNDS / 2];
        println!(
            "{name:<11} {raw:>7.0} {visits:>8.0} {evaluations:>14.0} {share:>10.3} {:>16.3} {threads:>16.2}",
            evaluations / raw
        );
    }
}

/// Raw evaluations a second, nodes and evaluations a second of a search, nodes in units of raw evaluations, and what two
/// threads do in the time of one.
fn round(network: &Arc<CpuNetwork>, game: &Game, nodes: u64) -> [f64; 5] {
    let raw = raw(network.as_ref(), game, nodes / 2);
    let (visits, evaluations, seconds) = search(network, game, nodes, 1);
    let (visits_of_two, _, seconds_of_two) = search(network, game, nodes, 2);
    // Two threads that do not hinder each other spend as many seconds of the processor as one, each half of them.
    let speed = visits / seconds;
    let speed_of_two = 2.0 * visits_of_two / seconds_of_two;
    [raw, speed, evaluations / seconds, speed / raw, speed_of_two / speed]
}

/// Evaluations a second of the positions after two moves, in batches of the preferred size.
fn raw(network: &dyn Evaluator, game: &Game, count: u64) -> f64 {
    let positions: Vec<(Game, Vec<Move>)> = after_two(game);
    let requests: Vec<EvaluationRequest<'_>> =
        positions.iter().map(|(game, legal_moves)| EvaluationRequest { game, legal_moves }).collect();
    let mut done = 0;
    let start = thread_seconds();
    while done < count {
        for batch in requests.chunks_exact(network.preferred_batch()) {
            network.evaluate(batch).unwrap();
            done += batch.len() as u64;
        }
    }
    done as f64 / (thread_seconds() - start)
}

fn after_two(game: &Game) -> Vec<(Game, Vec<Move>)> {
    let mut found = Vec::new();
    for first in game.legal_moves() {
        let mut after = game.clone();
        after.play_unchecked(first);
        for second in after.legal_moves().into_iter().take(8) {
            let mut after = after.clone();
            after.play_unchecked(second);
            let moves: Vec<Move> = after.legal_moves().into_iter().collect();
            if !moves.is_empty() {
                found.push((after, moves));
            }
        }
    }
    found
}

/// Visits, evaluations and seconds of the processor of a search from nothing.
fn search(network: &Arc<CpuNetwork>, game: &Game, nodes: u64, threads: u64) -> (f64, f64, f64) {
    let options = parse(&format!("Threads={threads} Hash=64")).expect("known options");
    let mut puct = Puct::new(Arc::<CpuNetwork>::clone(network), &options);
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let start = process_seconds();
    let decision = puct.run(game, &limits, &StopSignal::default(), &mut |_| {}).unwrap();
    let seconds = process_seconds() - start;
    (decision.info.nodes as f64, decision.info.evaluations as f64, seconds)
}
