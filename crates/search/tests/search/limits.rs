//! Limits of a search; no assertion depends on the clock except as a lower bound.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use chess::{
    Clock, EvaluationRequest, Evaluator, EvaluatorError, Game, Limits, MaterialEvaluator, Score, Search,
    SearchError, SearchInfo, StopSignal, UniformEvaluator,
};
use search::{
    Puct,
    time::{TimeOptions, allocate, spendable},
};

use crate::support::{Watched, game, legal, nodes, options, puct, run, uci, visits_below_root};

#[test]
fn node_limits_are_exact_whatever_the_batch() {
    for mini_batch_size in [1, 3, 32] {
        for limit in [1, 2, 3, 50, 1001] {
            let options = options(&format!("MiniBatchSize={mini_batch_size}"));
            let mut search = Puct::new(Arc::new(MaterialEvaluator), &options);
            let decision = run(&mut search, &Game::default(), &nodes(limit));
            assert_eq!(decision.info.nodes, limit);
            assert_eq!(visits_below_root(&decision), limit - 1);
        }
    }
}

#[test]
fn node_limits_are_exact_in_solved_positions() {
    // Every line ends within a few moves: most visits need no evaluation. With two lines asked for no mate ends the search.
    let options = options("MultiPV=2");
    for fen in [
        "8/8/8/8/8/1qk5/8/1K6 w - - 0 1",
        "7k/8/5K2/8/8/8/8/R7 w - - 0 1",
        "8/8/4k3/8/8/3QK3/8/8 w - - 98 90",
    ] {
        let mut search = Puct::new(Arc::new(UniformEvaluator), &options);
        let decision = run(&mut search, &game(fen), &nodes(25_000));
        assert_eq!((decision.info.nodes, visits_below_root(&decision)), (25_000, 24_999), "{fen}");
    }
}

/// A stop signal that is given while the evaluator works for the n-th time, and the calls it got after that.
fn stopped_at_call(call: usize, limits: &Limits) -> (usize, u64) {
    let stop = StopSignal::default();
    let calls = Arc::new(AtomicUsize::new(0));
    let (signal, counter) = (stop.clone(), Arc::clone(&calls));
    let watch = move |_: &[EvaluationRequest<'_>]| {
        if counter.fetch_add(1, Ordering::Relaxed) + 1 == call {
            signal.stop();
        }
    };
    let options = options("MiniBatchSize=4");
    let mut search = Puct::new(Arc::new(Watched { inner: UniformEvaluator, watch }), &options);
    let start = Game::default();
    let decision = search.run(&start, limits, &stop, &mut |_| {}).expect("a decision");
    assert!(start.legal_moves().contains(&decision.best));
    (calls.load(Ordering::Relaxed), decision.info.nodes)
}

#[test]
fn after_stop_the_evaluator_is_not_asked_again() {
    let infinite = Limits { infinite: true, ..Limits::default() };
    let ponder = Limits { ponder: true, nodes: Some(1), ..Limits::default() };
    for limits in [infinite, ponder, Limits::default(), nodes(1_000_000)] {
        for call in [1, 2, 100] {
            assert_eq!(stopped_at_call(call, &limits).0, call, "{limits:?}");
        }
    }
}

#[test]
fn a_search_stopped_before_its_first_visit_answers_with_a_legal_move_and_no_evaluation() {
    let watch = |_: &[EvaluationRequest<'_>]| panic!("the evaluator was asked");
    let mut search = puct(Watched { inner: UniformEvaluator, watch });
    let stop = StopSignal::default();
    stop.stop();
    let start = Game::default();
    let wanted = vec![legal(&start, "h2h4")];
    let limits = Limits { search_moves: wanted.clone(), infinite: true, ..Limits::default() };
    let decision = search.run(&start, &limits, &stop, &mut |_| {}).expect("a decision");
    assert_eq!((decision.best, decision.info.nodes), (wanted[0], 0));
    assert_eq!(decision.info.variations.len(), 1);
}

#[test]
fn ponder_ignores_the_limits_until_the_hit() {
    // The hit comes with the 50th evaluation; the limit of 10 nodes then holds at once.
    let stop = StopSignal::default();
    let signal = stop.clone();
    let calls = AtomicUsize::new(0);
    let watch = move |_: &[EvaluationRequest<'_>]| {
        if calls.fetch_add(1, Ordering::Relaxed) == 49 {
            signal.ponder_hit();
        }
    };
    let mut search = puct(Watched { inner: UniformEvaluator, watch });
    let limits = Limits { ponder: true, nodes: Some(10), ..Limits::default() };
    let decision = search.run(&Game::default(), &limits, &stop, &mut |_| {}).expect("a decision");
    assert_eq!(decision.info.nodes, 50);
}

#[test]
fn move_time_is_used_in_full_but_for_the_overhead() {
    let time = Duration::from_millis(30);
    let spendable = spendable(time, &TimeOptions::default());
    assert!(spendable < time);
    let limits = Limits { move_time: Some(time), ..Limits::default() };
    // One legal move, a proven mate and an ordinary position.
    for fen in [
        "7k/8/8/8/8/8/1r6/K7 w - - 0 1",
        "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    ] {
        let decision = run(&mut puct(UniformEvaluator), &game(fen), &limits);
        assert!(decision.info.elapsed >= spendable, "{:?}", decision.info.elapsed);
    }
}

#[test]
fn under_a_clock_the_only_move_and_a_proof_are_played_at_once() {
    let hour = Duration::from_hours(1);
    let limits = Limits { clock: Some(Clock { remaining: hour, ..Clock::default() }), ..Limits::default() };
    let only = run(&mut puct(UniformEvaluator), &game("7k/8/8/8/8/8/1r6/K7 w - - 0 1"), &limits);
    assert_eq!((uci(only.best).as_str(), only.info.nodes), ("a1b2", 1));
    let mate = run(&mut puct(UniformEvaluator), &game("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), &limits);
    assert_eq!((mate.info.variations[0].score, mate.info.nodes), (Score::Mate(1), 2));
}

#[test]
fn an_empty_clock_still_evaluates_the_root() {
    let limits = Limits { clock: Some(Clock::default()), ..Limits::default() };
    let decision = run(&mut puct(MaterialEvaluator), &Game::default(), &limits);
    assert_eq!(decision.info.nodes, 1);
}

#[test]
fn without_smart_pruning_a_settled_choice_still_gets_its_time() {
    let clock = Clock { remaining: Duration::from_secs(2), ..Clock::default() };
    let limits = Limits { clock: Some(clock), ..Limits::default() };
    let options = options("SmartPruning=0.0");
    let mut patient = Puct::new(Arc::new(UniformEvaluator), &options);
    let decision = run(&mut patient, &Game::default(), &limits);
    assert!(decision.info.elapsed >= allocate(&clock, 1, &TimeOptions::default()).optimum);
}

#[test]
fn depth_is_the_length_of_the_principal_variation() {
    for depth in [1, 3, 6] {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let decision = run(&mut puct(MaterialEvaluator), &Game::default(), &limits);
        assert_eq!(decision.info.variations[0].moves.len() as u32, depth);
    }
    // No line of this length exists: the search sees that and ends.
    let limits = Limits { depth: Some(40), ..Limits::default() };
    run(&mut puct(MaterialEvaluator), &game("8/8/4k3/8/8/3QK3/8/8 w - - 97 90"), &limits);
}

#[test]
fn search_moves_restricts_the_root_and_nothing_else() {
    let start = Game::default();
    let wanted = vec![legal(&start, "a2a3"), legal(&start, "h2h4")];
    let mut search = puct(UniformEvaluator);
    run(&mut search, &start, &nodes(500));
    let limits = Limits { search_moves: wanted.clone(), ..nodes(200) };
    let decision = run(&mut search, &start, &limits);
    assert_eq!(visits_below_root(&decision), 199, "no tree is reused");
    assert_eq!(decision.info.root_moves.len(), 2);
    assert!(decision.info.root_moves.iter().all(|root_move| wanted.contains(&root_move.chess_move)));
    // The restricted tree serves no other search.
    assert_eq!(run(&mut search, &start, &nodes(50)).info.root_moves.len(), 20);
}

#[test]
fn a_full_tree_forgets_what_it_visited_least_and_goes_on() {
    let mut search = Puct::new(Arc::new(MaterialEvaluator), &options("Hash=1"));
    let mut start = Game::default();
    for _ in 0..3 {
        let decision = run(&mut search, &start, &nodes(20_000));
        // A MiB holds about 2,500 nodes.
        assert_eq!(decision.info.nodes, 20_000);
        assert!((300..=1000).contains(&decision.info.hash_full), "{}", decision.info.hash_full);
        start.play(decision.best).expect("legal");
    }
}

#[test]
fn a_full_tree_goes_on_reporting_until_stop() {
    let stop = StopSignal::default();
    let mut search =
        Puct::new(Arc::new(UniformEvaluator), &options("Hash=1 MaterialNodes=0 ReportInterval=10"));
    let limits = Limits { infinite: true, ..Limits::default() };
    // It stops when a report tells of many times the nodes that fit.
    let signal = stop.clone();
    let mut report = |info: &SearchInfo| {
        if info.nodes > 20_000 {
            signal.stop();
        }
    };
    let decision = search.run(&Game::default(), &limits, &stop, &mut report).expect("a decision");
    assert!(decision.info.nodes > 20_000 && decision.info.hash_full > 0);
}

type Answer = fn(&[EvaluationRequest<'_>]) -> Result<Vec<chess::Evaluation>, EvaluatorError>;

/// Evaluator that answers `.0` batches correctly and the rest with `.1`.
struct Broken(Mutex<usize>, Answer);

impl Evaluator for Broken {
    fn describe(&self) -> String {
        "broken".to_owned()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<chess::Evaluation>, EvaluatorError> {
        let mut left = self.0.lock().expect("no panic while locked");
        if *left == 0 {
            (self.1)(batch)
        } else {
            *left -= 1;
            UniformEvaluator.evaluate(batch)
        }
    }
}

#[test]
fn a_broken_evaluator_is_an_error_that_names_it_and_the_search_survives() {
    let wrong: [Answer; 4] = [
        |batch| {
            Err(EvaluatorError { evaluator: "broken".into(), batch: batch.len(), reason: "unplugged".into() })
        },
        |_| Ok(Vec::new()),
        |batch| {
            let mut answers = UniformEvaluator.evaluate(batch)?;
            answers[0].priors.pop();
            Ok(answers)
        },
        |batch| {
            let mut answers = UniformEvaluator.evaluate(batch)?;
            answers[0].wdl.win = f32::NAN;
            Ok(answers)
        },
    ];
    for failure in wrong {
        let options = options("MiniBatchSize=8");
        let broken = Arc::new(Broken(Mutex::new(40), failure));
        let mut search = Puct::new(Arc::<Broken>::clone(&broken), &options);
        let answer = search.run(&Game::default(), &nodes(10_000), &StopSignal::default(), &mut |_| {});
        let Err(SearchError::Evaluator(error)) = answer else { panic!("{answer:?}") };
        assert!(error.to_string().contains("broken"), "{error}");
        // The tree was left in the middle of a batch; the next search does not build on it.
        *broken.0.lock().expect("no panic while locked") = usize::MAX;
        let decision = run(&mut search, &Game::default(), &nodes(100));
        assert_eq!(visits_below_root(&decision), 99);
    }
}
