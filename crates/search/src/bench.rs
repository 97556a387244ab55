//! The benchmark of the search: its count of nodes is its signature, the same on every machine until the search's behaviour
//! changes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use chess::{
    CastlingMode, Decision, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Fnv1a, Game, Limits,
    Search, SearchError, SearchOptions, StopSignal, Wdl,
    evaluator::material_balance,
    split_mix::{mix, spread},
};

use crate::{GeneralOptions, Puct, hints::PolicyTemperatureOptions};

/// Nodes of each position for which the signature is defined.
pub const DEFAULT_NODES: u64 = 10_000;

/// Upper end of the range of nodes: minutes of search rather than hours.
pub const LARGEST_NODES: u64 = 10_000_000;

/// Openings, middle games with and without tactics, endings, a mate, a fortress, castling, promotions, and a position near
/// the fifty-move limit.
const POSITIONS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 1 6",
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
    "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1",
    "r4rk1/1bp1qpp1/pp1p1n1p/4p3/4P1n1/P1NP1NP1/1PP1QPBP/R1B2RK1 b - - 0 14",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/1p1k4/p1p5/P1P1K3/1P6/8/8 w - - 4 50",
    "8/8/8/5k2/8/8/4QK2/8 w - - 90 100",
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    "4k2r/6pp/5p2/8/1B3n2/2P5/PP3PPP/4R1K1 b k - 0 28",
];

/// The signature, which ends the message of a commit to the search, and the speed.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    /// Checksum of the root visits of all searches.
    pub signature: u32,
    /// Visits of all searches together.
    pub visits: u64,
    /// Positions evaluated in all searches together.
    pub evaluations: u64,
    /// Wall-clock time of all searches together.
    pub elapsed: Duration,
}

/// Reason why a benchmark has no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants hold")]
pub enum BenchmarkError {
    #[error("the benchmark was stopped")]
    Stopped,
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl Benchmark {
    /// Visits per second.
    pub fn nodes_per_second(&self) -> f64 {
        self.visits as f64 / self.elapsed.as_secs_f64()
    }

    /// The figures, one per line; the last line is the signature as commit messages end with it.
    pub fn lines(&self) -> Vec<String> {
        vec![
            format!("Nodes:       {}", self.visits),
            format!("Evaluations: {}", self.evaluations),
            format!("Nodes/s:     {:.0}", self.nodes_per_second()),
            format!("Bench: {}", self.signature),
        ]
    }
}

/// Searches every position of the benchmark with this many nodes, an arithmetic evaluator and one thread.
///
/// # Errors
/// [`BenchmarkError::Stopped`] if the signal comes before the end.
pub fn bench(nodes: u64, stop: &StopSignal) -> Result<Benchmark, BenchmarkError> {
    let evaluator = Arc::new(ReferenceEvaluator::default());
    let mut puct = Puct::new(Arc::<ReferenceEvaluator>::clone(&evaluator), &options());
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut checksum = Checksum::default();
    let mut visits = 0;
    let start = Instant::now();
    for fen in POSITIONS {
        let mut game = position(fen);
        puct.new_game();
        // The second search of each position continues the first one's tree.
        for _ in 0..2 {
            if game.legal_moves().is_empty() {
                break;
            }
            let decision = puct.run(&game, &limits, stop, &mut |_| {})?;
            if stop.is_stopped() {
                return Err(BenchmarkError::Stopped);
            }
            visits += decision.info.nodes;
            checksum.add_decision(&decision);
            game.play_unchecked(decision.best);
        }
    }
    let elapsed = start.elapsed();
    let evaluations = evaluator.evaluations.load(Ordering::Relaxed);
    checksum.add(evaluations);
    Ok(Benchmark { signature: checksum.get(), visits, evaluations, elapsed })
}

/// The only function in the search whose last bit may differ between machines is the power function of the policy temperature;
/// at a temperature of 1 it is not called.
fn options() -> SearchOptions {
    let mut options = SearchOptions::default();
    PolicyTemperatureOptions { temperature: 1.0 }.write(&mut options);
    GeneralOptions { hash: 64, ..GeneralOptions::read(&options) }.write(&mut options);
    options
}

fn position(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).expect("the positions of the benchmark are legal")
}

/// FNV-1a over 64-bit words, folded to 32 bits.
#[derive(Default)]
struct Checksum(Fnv1a);

impl Checksum {
    fn add(&mut self, word: u64) {
        self.0.add(&word.to_le_bytes());
    }

    fn add_decision(&mut self, decision: &Decision) {
        self.add(u64::from(decision.info.selective_depth));
        for root_move in &decision.info.root_moves {
            self.add(root_move.visits);
            self.add(u64::from(root_move.chess_move.to() as u8));
        }
    }

    fn get(&self) -> u32 {
        let hash = self.0.get();
        (hash ^ (hash >> 32)) as u32
    }
}

/// Material for the value and a hash for the priors, computed with operations that IEEE 754 rounds the same everywhere.
///
/// A prior is computed from the key of the position and the move's index in the request. This breaks law 1 of
/// [`Evaluator`] (priors depend on the order of moves) and law 6 (and on the colours). The search requests
/// moves only in the generator's order, so the signature is the same on every machine. Priors by move would
/// change the signature and break the comparison with earlier commits.
#[derive(Default)]
struct ReferenceEvaluator {
    evaluations: AtomicU64,
}

impl Evaluator for ReferenceEvaluator {
    fn describe(&self) -> String {
        "arithmetic reference of the benchmark".into()
    }

    fn history(&self) -> usize {
        1
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.evaluations.fetch_add(batch.len() as u64, Ordering::Relaxed);
        Ok(batch.iter().map(reference_evaluation).collect())
    }
}

/// Values increase with the material, so that some lines are better than others, and priors differ by a
/// factor of about 20 at most. The numbers are arbitrary, chosen for an uneven tree; changing them changes
/// the signature.
fn reference_evaluation(request: &EvaluationRequest<'_>) -> Evaluation {
    let key = request.game.key();
    let advantage = material_balance(request.game.position()) as f32 + noise(key) - 0.5;
    let value = advantage / (advantage.abs() + 3.0);
    let draw = 0.5 * (1.0 - value.abs());
    let weights: Vec<f32> = (1..=request.legal_moves.len() as u64)
        .map(|number| {
            let weight = noise(key.wrapping_add(spread(number)));
            0.05 + weight * weight * weight
        })
        .collect();
    let total: f32 = weights.iter().sum();
    Evaluation {
        wdl: Wdl { win: (1.0 - draw + value) * 0.5, draw, loss: (1.0 - draw - value) * 0.5 },
        priors: weights.into_iter().map(|weight| weight / total).collect(),
        moves_left: None,
    }
}

/// A pseudo-random number from 0 to 1.
fn noise(seed: u64) -> f32 {
    (mix(seed) >> 40) as f32 / (1_u64 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_same_every_time_and_changes_with_the_search() {
        let [first, second, longer] =
            [500, 500, 501].map(|nodes| bench(nodes, &StopSignal::default()).unwrap());
        assert_eq!((first.signature, first.visits), (second.signature, second.visits));
        assert_ne!(first.signature, longer.signature);
        assert!(first.evaluations < first.visits, "some visits end at known results");
    }
}
