//! How much of a network's speed is left in self-play: positions a second that the games of one thread evaluate, against raw
//! evaluations of the same network in batches of as many positions.
//!
//! `cargo bench --bench selfplay -- [NETWORK] [GAMES AT ONCE] [NODES]`. Seconds are those that the processor gave, where the system
//! tells them; raw evaluations and games take turns.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a measurement prints its table")]

#[path = "support/processor.rs"]
mod processor;

use std::{path::Path, sync::Arc};

use chess::{EvaluationRequest, Evaluator, Game, Move, RootMove, Search, StopSignal};
use network::{CpuNetwork, CpuOptions, Weights};
use processor::{process_seconds, thread_seconds};
use search::{Puct, options::parse};
use selfplay::{
    Effort, Engines, NetworkName, PlaySettings, ReplayStore, Storage, Worker, engine::visit_counts,
    replay::RunState, worker::Round,
};

const ROUNDS: usize = 3;

struct Bench(Arc<CpuNetwork>);

impl Engines for Bench {
    fn evaluator(&self, _: &NetworkName, _: Option<&[u8]>) -> Result<Arc<dyn Evaluator>, String> {
        Ok(Arc::<CpuNetwork>::clone(&self.0))
    }

    fn search(&self, evaluator: Arc<dyn Evaluator>, _: Effort) -> Box<dyn Search> {
        let options = "Hash=1 TreeReuse=false MaterialNodes=0 GumbelMoves=16";
        Box::new(Puct::new(evaluator, &parse(options).expect("known options")))
    }

    fn policy(&self, moves: &[RootMove]) -> Vec<(Move, u32)> {
        visit_counts(moves)
    }

    fn opening(&self, _: u64) -> Game {
        Game::default()
    }
}

fn main() {
    // Cargo adds `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let path = arguments.next().unwrap_or_else(|| "nets/default.tabiya".into());
    let width: usize = arguments.next().map_or(32, |text| text.parse().unwrap());
    let nodes: u64 = arguments.next().map_or(64, |text| text.parse().unwrap());
    let weights = Weights::read(Path::new(&path)).unwrap();
    let network = Arc::new(CpuNetwork::from_weights(&weights, CpuOptions::default()).unwrap());
    println!("{}, {width} games at once, {nodes} nodes a move", network.describe());
    println!("raw/s  self-play/s  share  positions a batch  games an hour of one thread");
    for seed in 0..ROUNDS as u64 {
        let raw = raw(network.as_ref(), width);
        let (played, seconds) = play(&network, (width, nodes), seed);
        let speed = played.batches.positions as f64 / seconds;
        println!(
            "{raw:>5.0} {speed:>12.0} {:>6.3} {:>18.1} {:>28.0}",
            speed / raw,
            played.batches.positions as f64 / played.batches.batches as f64,
            f64::from(played.games) * 3600.0 / seconds,
        );
    }
}

/// Evaluations a second of positions of one random game, in batches of `width`.
fn raw(network: &dyn Evaluator, width: usize) -> f64 {
    const BATCHES: usize = 100;
    let mut game = Game::default();
    let positions: Vec<(Game, Vec<Move>)> = (0..width)
        .map(|number| {
            let moves = game.legal_moves().to_vec();
            let position = game.clone();
            game.play_unchecked(moves[number * 7 % moves.len()]);
            (position, moves)
        })
        .filter(|(_, moves)| !moves.is_empty())
        .collect();
    let requests: Vec<EvaluationRequest<'_>> =
        positions.iter().map(|(game, legal_moves)| EvaluationRequest { game, legal_moves }).collect();
    let start = thread_seconds();
    for _ in 0..BATCHES {
        network.evaluate(&requests).unwrap();
    }
    (BATCHES * requests.len()) as f64 / (thread_seconds() - start)
}

/// A generation of games, twice as many as are played at once, and the seconds of the processor that they took.
fn play(network: &Arc<CpuNetwork>, (width, nodes): (usize, u64), seed: u64) -> (Round, f64) {
    let folder = tempfile::tempdir().unwrap();
    let storage = Storage::open(folder.path().to_str().unwrap()).unwrap();
    let replay =
        ReplayStore::create(storage, "bench", "title = \"bench\"", &files::Inputs::default()).unwrap();
    let settings = format!("nodes = {nodes}\nmost_plies = 60\ngames_at_once = {width}\nseed = {seed}");
    let settings: PlaySettings = toml::from_str(&settings).unwrap();
    let (engines, games) = (Bench(Arc::clone(network)), 2 * width as u32);
    let worker = Worker {
        replay: &replay,
        name: "bench".into(),
        program: "bench".into(),
        settings: &settings,
        games,
        threads: 1,
        engines: &engines,
    };
    let state = RunState { generation: 0, network: NetworkName(0) };
    let start = process_seconds();
    let round = worker.play_generation(&state, &StopSignal::default(), &|_| ()).unwrap();
    (round, process_seconds() - start)
}
