//! Several threads on one tree.

use std::sync::Arc;

use chess::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, MaterialEvaluator, Score, Search,
    SearchOptions, StopSignal, laws,
};
use search::Puct;

use crate::support::{game, nodes, options, run, uci, visits_below_root};

/// With a batch size of 0 the evaluator is asked about single positions.
fn threads(threads: u64, batch: u64) -> SearchOptions {
    options(&format!("Threads={threads} MiniBatchSize={batch}"))
}

#[test]
fn no_visit_is_lost_or_made_too_many() {
    for (number, mut game) in laws::sample_games(21, 20).into_iter().enumerate() {
        let mut search = Puct::new(
            Arc::new(MaterialEvaluator),
            &threads(2 + number as u64 % 3, number as u64 / 3 % 2 * 4),
        );
        for limit in [1, 2, 40, 3000] {
            if game.legal_moves().is_empty() {
                break;
            }
            search.new_game();
            let decision = run(&mut search, &game, &nodes(limit));
            assert_eq!(decision.info.nodes, limit, "{}", game.fen());
            assert_eq!(visits_below_root(&decision), limit - 1, "{}", game.fen());
            // The second search continues in the tree of the first.
            game.play(decision.best).expect("legal");
        }
    }
}

#[test]
fn mates_are_proven_together() {
    for (fen, score) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", Score::Mate(1)),
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", Score::Mate(2)),
    ] {
        for batch in [0, 4] {
            let mut search = Puct::new(Arc::new(MaterialEvaluator), &threads(4, batch));
            let decision = run(&mut search, &game(fen), &nodes(20_000));
            assert_eq!(decision.info.variations[0].score, score, "{fen}");
        }
    }
}

#[test]
fn one_thread_and_four_think_alike() {
    let start = game("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    for (count, batch) in [(1, 4), (4, 4), (1, 0), (4, 0)] {
        let mut search = Puct::new(Arc::new(MaterialEvaluator), &threads(count, batch));
        let decision = run(&mut search, &start, &nodes(4000));
        assert_eq!(uci(decision.best), "e4d5", "{count} threads");
    }
}

#[test]
fn little_memory_bounds_the_tree_of_many_threads() {
    let options = options("Threads=4 MiniBatchSize=4 Hash=1");
    let mut search = Puct::new(Arc::new(MaterialEvaluator), &options);
    let decision = run(&mut search, &Game::default(), &nodes(30_000));
    assert_eq!((decision.info.nodes, visits_below_root(&decision)), (30_000, 29_999));
    // What the threads had in stock went back in the end. A search that ends after pruning has half of the rest.
    assert!((200..=1000).contains(&decision.info.hash_full), "{}", decision.info.hash_full);
}

/// Works for a while, then fails.
struct Failing(std::sync::atomic::AtomicU64);

impl Evaluator for Failing {
    fn describe(&self) -> String {
        "failing".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        if self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 100 {
            let reason = "out of order".into();
            return Err(EvaluatorError { evaluator: self.describe(), batch: batch.len(), reason });
        }
        MaterialEvaluator.evaluate(batch)
    }
}

#[test]
fn the_failure_of_one_thread_is_the_failure_of_the_search() {
    let mut search = Puct::new(Arc::new(Failing(0.into())), &threads(3, 4));
    let answer = search.run(&Game::default(), &nodes(100_000), &StopSignal::default(), &mut |_| {});
    assert!(answer.err().is_some_and(|error| error.to_string().contains("out of order")));
}
