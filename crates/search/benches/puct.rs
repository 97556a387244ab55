//! Speed of the search itself, with an evaluator that costs nothing. For single positions (batch 0) and for batches it
//! measures the nodes per second and the share of that time that the rules take (playing the move, generating its
//! replies), which no search can avoid. It also measures the time per node of the material search.
//!
//! Run with `cargo bench -p search`.

use std::{
    hint::black_box,
    io::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use chess::{CastlingMode, Game, Limits, Search, StopSignal, UniformEvaluator};
use search::{Puct, options::parse};

const POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];
const NODES: u64 = 300_000;
/// Nodes of the search that a material search advises: as few as still allow the material search all its nodes.
const ADVISED_NODES: u64 = 801;
const MATERIAL_NODES: u64 = 100_000;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for batch in [0, 1, 8] {
        let (mut searched, mut rules) = (Duration::ZERO, Duration::ZERO);
        for fen in POSITIONS {
            let game = Game::from_fen(fen, CastlingMode::Standard).expect("a legal position");
            searched += time(|| search(&game, (NODES, 0), batch));
            rules += time(|| play_and_generate(&game));
        }
        let nodes = NODES as f64 * POSITIONS.len() as f64;
        writeln!(
            out,
            "batch {batch}: {:.0} nodes/s; the rules alone {:.0}/s: {:.2} times the search",
            nodes / searched.as_secs_f64(),
            nodes / rules.as_secs_f64(),
            searched.as_secs_f64() / rules.as_secs_f64(),
        )?;
    }
    let (mut with, mut without) = (Duration::ZERO, Duration::ZERO);
    for fen in POSITIONS {
        let game = Game::from_fen(fen, CastlingMode::Standard).expect("a legal position");
        with += time(|| search(&game, (ADVISED_NODES, MATERIAL_NODES), 1));
        without += time(|| search(&game, (ADVISED_NODES, 0), 1));
    }
    let nodes = MATERIAL_NODES as f64 * POSITIONS.len() as f64;
    let microseconds = with.saturating_sub(without).as_secs_f64() * 1e6 / nodes;
    writeln!(out, "material search: {microseconds:.2} microseconds a node")
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn search(game: &Game, (nodes, material_nodes): (u64, u64), batch: u64) {
    let options = parse(&format!("MiniBatchSize={batch} Hash=1024 MaterialNodes={material_nodes}"))
        .expect("known options");
    let mut puct = Puct::new(Arc::new(UniformEvaluator), &options);
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let decision = puct.run(game, &limits, &StopSignal::default(), &mut |_| {}).expect("a decision");
    black_box(decision);
}

/// One move played and its replies generated for every node, along lines of ten moves.
fn play_and_generate(start: &Game) {
    let mut game = start.clone();
    for node in 0..NODES as usize {
        let moves = game.legal_moves();
        if moves.is_empty() || game.ply() == start.ply() + 10 {
            while game.ply() > start.ply() {
                game.undo();
            }
            continue;
        }
        game.play_unchecked(moves[node % moves.len()]);
        black_box(&game);
    }
}
