use std::{sync::atomic::AtomicBool, thread::ThreadId, time::Duration};

use chess::{
    CastlingMode, Evaluation, EvaluationRequest, EvaluatorError, MaterialEvaluator, Move, Score,
    UniformEvaluator, laws, print_uci_move,
};

use super::*;

mod plain;

fn game(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).unwrap()
}

fn run(search: &mut dyn Search, game: &Game, limits: &Limits) -> Decision {
    search.run(game, limits, &StopSignal::default(), &mut |_| {}).unwrap()
}

fn to_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn to_nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn material() -> Pvs {
    Pvs::new(Arc::new(MaterialEvaluator), &SearchOptions::default(), None)
}

fn uci(chess_move: Move) -> String {
    print_uci_move(chess_move, CastlingMode::Standard)
}

#[test]
fn tactics_are_found() {
    for (fen, best) in [
        // A smothered mate by a queen sacrifice; a back-rank mate by one; a mate in two with a quiet first move.
        ("r6k/6pp/7N/8/2Q5/8/8/7K w - - 0 1", "c4g8"),
        ("1r4k1/5ppp/8/8/4Q3/8/8/K3R3 w - - 0 1", "e4e8"),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6"),
        // A knight forks king and queen; a bishop skewers king and rook; a pawn queens by force.
        ("4k3/7p/q7/3N4/8/8/6PP/6K1 w - - 0 1", "d5c7"),
        ("r7/7p/2k5/8/8/8/7P/5BK1 w - - 0 1", "f1g2"),
        ("8/5k1P/8/8/8/8/r7/5K2 w - - 0 1", "h7h8q"),
    ] {
        let decision = run(&mut material(), &game(fen), &to_nodes(60_000));
        assert_eq!(uci(decision.best), best, "{fen}");
    }
}

#[test]
fn mates_are_counted_in_moves_and_end_the_search() {
    for (fen, mate) in [
        ("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
        ("r6k/6pp/7N/8/2Q5/8/8/7K w - - 0 1", 2),
    ] {
        let decision = run(&mut material(), &game(fen), &to_nodes(1_000_000));
        let info = decision.info;
        assert_eq!(info.variations[0].score, Score::Mate(mate), "{fen}");
        assert_eq!(info.variations[0].moves.len() as i32, 2 * mate - 1, "{fen}: the line ends with the mate");
        assert!(info.nodes < 200_000, "{fen}: {} nodes", info.nodes);
    }
}

/// The first mate that pruning lets through may be longer than the one that is asked for.
#[test]
fn a_wanted_mate_is_looked_for_behind_longer_ones() {
    let limits = Limits { mate: Some(2), ..Limits::default() };
    let decision = run(&mut material(), &game("7k/8/8/8/8/8/R7/1R5K w - - 0 1"), &limits);
    assert_eq!(decision.info.variations[0].score, Score::Mate(2));
    // There is none: the search ends by itself anyway.
    let limits = Limits { mate: Some(1), ..limits };
    let decision = run(&mut material(), &game("7k/8/8/8/8/8/R7/1R5K w - - 0 1"), &limits);
    assert_eq!(decision.info.variations[0].score, Score::Mate(2));
}

/// Before anything may be pruned the value is that of the exact search.
#[test]
fn one_half_move_deep_it_agrees_with_alpha_beta() {
    let mut compared = 0;
    for game in laws::sample_games(41, 200) {
        if game.outcome().is_some() || game.repetitions() > 0 || game.position().halfmoves() > 80 {
            continue;
        }
        let exact = &mut Pvs::plain(Arc::new(UniformEvaluator), &SearchOptions::default(), None);
        let expected = run(exact, &game, &to_depth(1)).info.variations[0].score;
        let pruned = &mut Pvs::new(Arc::new(UniformEvaluator), &SearchOptions::default(), None);
        let found = run(pruned, &game, &to_depth(1)).info.variations[0].score;
        let is_mate = |score| matches!(score, Score::Mate(_));
        assert_eq!(is_mate(found), is_mate(expected), "{}: {found:?}, {expected:?}", game.fen());
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_repetition_and_the_fiftieth_move_are_draws() {
    // White is lost but for a perpetual check.
    let perpetual = run(&mut material(), &game("6k1/6p1/8/7Q/8/8/rr6/7K w - - 0 1"), &to_nodes(50_000));
    assert_eq!(perpetual.info.variations[0].score, Score::Centipawns(0));
    let late = run(&mut material(), &game("8/8/4k3/8/8/3QK3/8/8 w - - 99 120"), &to_depth(3));
    assert_eq!(late.info.variations[0].score, Score::Centipawns(0));
}

#[test]
fn lines_are_reported_best_first_with_their_priors() {
    let mut options = SearchOptions::default();
    GeneralOptions { multi_pv: 3, ..GeneralOptions::read(&options) }.write(&mut options);
    let mut search = Pvs::new(Arc::new(MaterialEvaluator), &options, None);
    let info = run(&mut search, &game("4k3/8/8/3q1r2/4P3/8/8/4K3 w - - 0 1"), &to_depth(6)).info;
    assert_eq!(info.variations.len(), 3);
    assert_eq!(uci(info.variations[0].moves[0]), "e4d5");
    assert_eq!(uci(info.variations[1].moves[0]), "e4f5");
    let values: Vec<f32> = info.variations.iter().map(|line| line.wdl.value()).collect();
    assert!(values.is_sorted_by(|one, other| one >= other), "{values:?}");
    let total: f32 = info.root_moves.iter().map(|root_move| root_move.prior).sum();
    assert!((total - 1.0).abs() < 1e-3, "{total}");
}

#[test]
fn the_table_grows_no_larger_than_hash() {
    let mut options = SearchOptions::default();
    GeneralOptions { hash: 4, ..GeneralOptions::read(&options) }.write(&mut options);
    let mut search = Pvs::new(Arc::new(MaterialEvaluator), &options, None);
    run(&mut search, &Game::default(), &to_nodes(1_000_000));
    assert_eq!(search.table.len(), 1 << 18);
}

fn with_threads(evaluator: Arc<dyn Evaluator>, threads: u64) -> Pvs {
    let mut options = SearchOptions::default();
    GeneralOptions { threads, ..GeneralOptions::read(&options) }.write(&mut options);
    Pvs::new(evaluator, &options, None)
}

#[test]
fn threads_find_the_same_mates_and_share_the_limit() {
    let mut search = with_threads(Arc::new(MaterialEvaluator), 3);
    for (fen, best) in
        [("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6"), ("r6k/6pp/7N/8/2Q5/8/8/7K w - - 0 1", "c4g8")]
    {
        // Many more than a thread needs alone: what threads find in the table that they share depends on their order. The mate ends the search.
        let decision = run(&mut search, &game(fen), &to_nodes(4_000_000));
        assert_eq!(uci(decision.best), best, "{fen}");
        assert_eq!(decision.info.variations[0].score, Score::Mate(2), "{fen}");
    }
    let decision = run(&mut search, &Game::default(), &to_nodes(20_000));
    assert_eq!(decision.info.nodes, 20_000);
    let time = Limits { move_time: Some(Duration::from_millis(30)), ..Limits::default() };
    run(&mut search, &Game::default(), &time);
}

/// Material, whose first evaluation in the test's own thread, which leads the search, takes so long that the others come first.
struct Late {
    leader: ThreadId,
    is_late: AtomicBool,
}

impl Evaluator for Late {
    fn describe(&self) -> String {
        "material, later".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        if std::thread::current().id() == self.leader && !self.is_late.swap(true, Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
        }
        MaterialEvaluator.evaluate(batch)
    }
}

/// However late the leading thread runs, it has its share of the nodes, and the deepest thread decides.
#[test]
fn a_leading_thread_that_runs_last_loses_neither_depth_nor_mates() {
    let game = game("r6k/6pp/7N/8/2Q5/8/8/7K w - - 0 1");
    let alone = run(&mut material(), &game, &to_nodes(50_000));
    assert_eq!(alone.info.variations[0].score, Score::Mate(2), "a share is enough for one thread");
    let evaluator = Late { leader: std::thread::current().id(), is_late: AtomicBool::new(false) };
    // Many more than that: what threads find in the table that they share depends on their order. The mate ends the search.
    let decision = run(&mut with_threads(Arc::new(evaluator), 3), &game, &to_nodes(6_000_000));
    assert_eq!(uci(decision.best), "c4g8");
    assert_eq!(decision.info.variations[0].score, Score::Mate(2));
}

#[test]
fn under_a_clock_an_only_move_is_played_at_once() {
    let clock = chess::Clock { remaining: Duration::from_hours(1), ..chess::Clock::default() };
    let limits = Limits { clock: Some(clock), ..Limits::default() };
    let decision = run(&mut material(), &game("7k/8/8/8/8/8/5P1P/r5K1 w - - 0 1"), &limits);
    assert_eq!(decision.info.depth, 1, "{:?}", decision.info);
}

/// An evaluator that fails in the thread that leads and in those that help ends all of them.
#[test]
fn an_error_ends_all_threads() {
    let mut failing = with_threads(Arc::new(Batches { fails: true }), 3);
    let infinite = Limits { infinite: true, ..Limits::default() };
    let ended = failing.run(&Game::default(), &infinite, &StopSignal::default(), &mut |_| {});
    assert!(ended.is_err());
}

/// An evaluator of batches alone, which may fail.
struct Batches {
    fails: bool,
}

impl Evaluator for Batches {
    fn describe(&self) -> String {
        "batches".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        if self.fails {
            return Err(EvaluatorError {
                evaluator: self.describe(),
                batch: batch.len(),
                reason: "out of memory".into(),
            });
        }
        MaterialEvaluator.evaluate(batch)
    }
}

#[test]
fn an_evaluator_of_batches_finds_the_same_and_its_error_ends_the_search() {
    let game = game("r7/7p/2k5/8/8/8/7P/5BK1 w - - 0 1");
    let single = run(&mut material(), &game, &to_nodes(20_000));
    let mut batches = Pvs::new(Arc::new(Batches { fails: false }), &SearchOptions::default(), None);
    let found = run(&mut batches, &game, &to_nodes(20_000));
    assert_eq!((found.best, found.info.variations), (single.best, single.info.variations));
    let mut failing = Pvs::new(Arc::new(Batches { fails: true }), &SearchOptions::default(), None);
    let error = failing.run(&game, &to_nodes(10), &StopSignal::default(), &mut |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "batches failed to evaluate a batch of 1: out of memory");
}
