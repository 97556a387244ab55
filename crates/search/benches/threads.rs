//! Speed-up of two search threads over one, with an evaluator that takes as long as a small network.
//!
//! Run with `cargo bench -p search --bench threads`.

use std::{
    io::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use chess::{
    CastlingMode, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Limits, Search, StopSignal,
    UniformEvaluator,
};
use search::{Puct, options::parse};

const POSITIONS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
];
const NODES: u64 = 20_000;
/// About the time that a position of maia-1900 takes on one core.
const EVALUATION: Duration = Duration::from_micros(50);

/// Computes for a fixed time for each position.
struct Busy;

impl Evaluator for Busy {
    fn describe(&self) -> String {
        "busy".into()
    }

    fn history(&self) -> usize {
        8
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let end = Instant::now() + EVALUATION * batch.len() as u32;
        while Instant::now() < end {
            std::hint::spin_loop();
        }
        UniformEvaluator.evaluate(batch)
    }
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for batch in [1, 4] {
        let [one, two] = [1, 2].map(|threads| {
            POSITIONS.iter().map(|fen| speed(fen, batch, threads)).sum::<f64>() / POSITIONS.len() as f64
        });
        let bound = 1.0 / EVALUATION.as_secs_f64();
        writeln!(
            out,
            "batch {batch}: {one:.0} nodes/s, {:.3} of the evaluator alone; two threads {two:.0}, {:.2} times one",
            one / bound,
            two / one,
        )?;
    }
    Ok(())
}

/// Evaluations per second.
fn speed(fen: &str, batch: u64, threads: u64) -> f64 {
    let game = Game::from_fen(fen, CastlingMode::Standard).expect("a legal position");
    let options = parse(&format!("MiniBatchSize={batch} Threads={threads}")).expect("known options");
    let mut puct = Puct::new(Arc::new(Busy), &options);
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let start = Instant::now();
    let decision = puct.run(&game, &limits, &StopSignal::default(), &mut |_| {}).expect("a decision");
    decision.info.evaluations as f64 / start.elapsed().as_secs_f64()
}
