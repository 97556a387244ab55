use std::sync::atomic::{AtomicUsize, Ordering};

use chess::{CastlingMode, MaterialEvaluator, UniformEvaluator, laws};

use super::*;

fn games() -> Vec<Game> {
    ["startpos", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "8/8/8/3k4/8/8/3P4/3K4 w - - 0 1"]
        .into_iter()
        .map(|fen| match fen {
            "startpos" => Game::default(),
            fen => Game::from_fen(fen, CastlingMode::Standard).unwrap(),
        })
        .collect()
}

#[test]
fn it_keeps_the_laws_of_evaluators() {
    let material = BatchingEvaluator::new(Arc::new(MaterialEvaluator));
    laws::evaluator::check(&material, &games(), 0.0);
    laws::evaluator::sees_sides_alike(&material, &games(), 0.0);
    laws::evaluator::counts_a_queen(&material);
    let uniform = BatchingEvaluator::new(Arc::new(UniformEvaluator));
    let _alone = uniform.join();
    laws::evaluator::check(&uniform, &games(), 0.0);
}

/// Notes the largest batch.
struct Widest(AtomicUsize);

impl Evaluator for Widest {
    fn describe(&self) -> String {
        "widest".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.0.fetch_max(batch.len(), Ordering::Relaxed);
        MaterialEvaluator.evaluate(batch)
    }
}

/// Padded batches were answered by sorted numbers of workers.
#[test]
fn s3_k10_every_batch_holds_a_position_of_each_game_that_plays_and_everybody_gets_his_own_answer() {
    const GAMES: usize = 8;
    const ROUNDS: u64 = 50;
    let widest = Arc::new(Widest(AtomicUsize::new(0)));
    let shared = BatchingEvaluator::new(Arc::clone(&widest) as Arc<dyn Evaluator>);
    let games = games();
    let begin = std::sync::Barrier::new(GAMES);
    std::thread::scope(|scope| {
        for number in 0..GAMES {
            let (game, shared, begin) = (&games[number % games.len()], &shared, &begin);
            scope.spawn(move || {
                let _playing = shared.join();
                begin.wait();
                let legal_moves = game.legal_moves();
                let request = EvaluationRequest { game, legal_moves: &legal_moves };
                for _ in 0..ROUNDS {
                    assert_eq!(
                        shared.evaluate(&[request]).unwrap(),
                        MaterialEvaluator.evaluate(&[request]).unwrap()
                    );
                }
            });
        }
    });
    assert_eq!(shared.counts(), BatchCounts { batches: ROUNDS, positions: ROUNDS * GAMES as u64 });
    assert_eq!(widest.0.load(Ordering::Relaxed), GAMES);
}

#[test]
fn a_game_that_ends_leaves_nobody_waiting() {
    let shared = BatchingEvaluator::new(Arc::new(UniformEvaluator));
    let game = Game::default();
    std::thread::scope(|scope| {
        for rounds in 1..20 {
            let (shared, game) = (&shared, &game);
            scope.spawn(move || {
                let _playing = shared.join();
                let legal_moves = game.legal_moves();
                for _ in 0..rounds {
                    shared.evaluate(&[EvaluationRequest { game, legal_moves: &legal_moves }]).unwrap();
                }
            });
        }
    });
    assert_eq!(shared.counts().positions, (1..20).sum::<u64>());
}

/// Always fails.
struct Broken;

impl Evaluator for Broken {
    fn describe(&self) -> String {
        "broken".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Err(EvaluatorError { evaluator: "broken".into(), batch: batch.len(), reason: "no device".into() })
    }
}

/// The errors of three games that ask at once.
fn errors(evaluator: impl Evaluator + 'static) -> Vec<EvaluatorError> {
    let shared = BatchingEvaluator::new(Arc::new(evaluator));
    let (game, begin) = (Game::default(), std::sync::Barrier::new(3));
    std::thread::scope(|scope| {
        let ask = || {
            let _playing = shared.join();
            begin.wait();
            let legal_moves = game.legal_moves();
            shared.evaluate(&[EvaluationRequest { game: &game, legal_moves: &legal_moves }]).unwrap_err()
        };
        let games: Vec<_> = (0..3).map(|_| scope.spawn(ask)).collect();
        games.into_iter().map(|game| game.join().unwrap()).collect()
    })
}

#[test]
fn everybody_hears_of_a_failure() {
    let errors = errors(Broken);
    assert_eq!(errors.len(), 3);
    for error in errors {
        assert_eq!(error.reason, "no device");
    }
}

/// Panics when it evaluates several positions.
struct Panicking;

impl Evaluator for Panicking {
    fn describe(&self) -> String {
        "panicking".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        assert!(batch.len() < 2, "no room");
        MaterialEvaluator.evaluate(batch)
    }
}

#[test]
fn a_panic_of_the_evaluator_is_an_error_of_every_game() {
    let errors = errors(Panicking);
    assert_eq!(errors.len(), 3);
    for error in errors {
        assert!(error.to_string().contains("panicked: no room"), "{error}");
    }
}
