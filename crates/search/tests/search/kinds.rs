//! The searches other than PUCT, each on its own purpose.

use std::{collections::HashMap, sync::Arc};

use chess::{
    Decision, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Limits, MaterialEvaluator,
    Score, Search, SearchOptions, StopSignal, UniformEvaluator, Wdl,
};
use search::search_kind;

use crate::support::{game, nodes, options, uci};

fn make(name: &str, evaluator: impl Evaluator + 'static, options: &SearchOptions) -> Box<dyn Search> {
    let kind = search_kind(name).expect("a known search");
    kind.build(Arc::new(evaluator), options, None)
}

fn decide(search: &mut dyn Search, game: &Game, limit: u64) -> Decision {
    search.run(game, &nodes(limit), &StopSignal::default(), &mut |_| {}).expect("a decision")
}

/// Prior 0.5 for the first legal move, 0.3 for the second, the rest shared.
struct Ladder;

impl Evaluator for Ladder {
    fn describe(&self) -> String {
        "ladder".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let answer = |request: &EvaluationRequest<'_>| {
            let rest = 0.2 / (request.legal_moves.len() - 2) as f32;
            let mut priors = vec![rest; request.legal_moves.len()];
            (priors[0], priors[1]) = (0.5, 0.3);
            Evaluation { wdl: Wdl::DRAW, priors, moves_left: None }
        };
        Ok(batch.iter().map(answer).collect())
    }
}

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    let error = search_kind("minimax").expect_err("no such search");
    assert!(
        error.to_string().contains("expected one of auto, puct, plain-puct, policy, value, mcts"),
        "{error}"
    );
}

const DRAWS: usize = 4000;

#[test]
fn the_policy_plays_its_favourite_or_draws_by_its_priors() {
    let start = Game::default();
    let moves = start.legal_moves();
    let best = decide(make("policy", Ladder, &SearchOptions::default()).as_mut(), &start, 1);
    assert_eq!((best.best, best.info.evaluations), (moves[0], 1));

    let options = options("Temperature=1.0 TopK=2");
    let mut search = make("policy", Ladder, &options);
    let mut counts: HashMap<_, usize> = HashMap::new();
    for _ in 0..DRAWS {
        *counts.entry(decide(search.as_mut(), &start, 1).best).or_default() += 1;
    }
    assert_eq!(counts.len(), 2, "only the two best");
    // 0.5 of 0.8; four standard deviations of a binomial.
    let (share, expected) = (counts[&moves[0]] as f64 / DRAWS as f64, 0.625);
    assert!((share - expected).abs() < 4.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt(), "{share}");
}

#[test]
fn the_temperature_of_the_policy_ends_with_the_opening() {
    let options = options("Temperature=5.0 TemperaturePlies=2");
    let mut search = make("policy", Ladder, &options);
    let mut later = Game::default();
    for text in ["e2e4", "e7e5"] {
        later.play_uci(text).expect("legal");
    }
    let favourite = later.legal_moves()[0];
    assert!((0..50).all(|_| decide(search.as_mut(), &later, 1).best == favourite));
}

#[test]
fn one_ply_takes_what_hangs_mates_and_sees_a_mate_coming() {
    let mut search = make("value", MaterialEvaluator, &SearchOptions::default());
    let hanging = decide(search.as_mut(), &game("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"), 1000);
    assert_eq!(uci(hanging.best), "e4d5");
    let mate = decide(search.as_mut(), &game("6k1/5ppp/8/8/8/8/q4PPP/3R2K1 w - - 0 1"), 1000);
    assert_eq!((uci(mate.best).as_str(), mate.info.variations[0].score), ("d1d8", Score::Mate(1)));
    // Taking the rook lets the back rank be mated.
    let trap = game("3r2k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1");
    let careful = decide(search.as_mut(), &trap, 1000);
    for root_move in &careful.info.root_moves {
        let mut after = trap.clone();
        after.play(root_move.chess_move).expect("legal");
        let mated = after.legal_moves().into_iter().any(|reply| {
            let mut end = after.clone();
            end.play(reply).expect("legal");
            end.outcome().is_some_and(|outcome| outcome.winner.is_some())
        });
        assert_eq!(root_move.score == Some(Score::Mate(-1)), mated, "{}", uci(root_move.chess_move));
    }
    assert_ne!(careful.info.root_moves[0].score, Some(Score::Mate(-1)));
}

#[test]
fn one_ply_values_rule_draws_at_zero() {
    let mut search = make("value", MaterialEvaluator, &SearchOptions::default());
    // Qg6 is stalemate, and White is a queen up.
    let decision = decide(search.as_mut(), &game("7k/8/8/6Q1/8/8/8/K7 w - - 0 1"), 1000);
    let stalemate = decision.info.root_moves.iter().find(|root_move| uci(root_move.chess_move) == "g5g6");
    assert_eq!(stalemate.and_then(|root_move| root_move.wdl), Some(Wdl::DRAW));
    assert_ne!(uci(decision.best), "g5g6");
}

#[test]
fn rollouts_find_a_mate_and_count_a_draw_as_half() {
    for name in ["mcts", "policy-rollouts"] {
        let options = options("RolloutPlies=20");
        let mut search = make(name, UniformEvaluator, &options);
        let mate = game("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
        assert_eq!(uci(decide(search.as_mut(), &mate, 3000).best), "a1a8", "{name}");
        // Bare kings: nobody can win, whatever is played.
        let drawn = decide(search.as_mut(), &game("7k/8/8/8/8/8/8/K7 w - - 0 1"), 50);
        assert_eq!(drawn.info.root_moves[0].wdl, Some(Wdl::DRAW), "{name}");
    }
}

#[test]
fn every_move_is_visited_once_before_the_formula_chooses() {
    let start = Game::default();
    let visits = |settings: &str| -> Vec<u64> {
        let mut search = make("policy-rollouts", UniformEvaluator, &options(settings));
        decide(search.as_mut(), &start, 20).info.root_moves.iter().map(|root_move| root_move.visits).collect()
    };
    assert_eq!(visits("RolloutPlies=2 ExpandByPrior=true"), [1; 20]);
    assert_eq!(visits("RolloutPlies=2").iter().sum::<u64>(), 20);
}

const ROLLOUTS: [&str; 2] = ["mcts", "policy-rollouts"];

#[test]
fn a_full_tree_of_rollouts_forgets_and_goes_on() {
    // A MiB is full after some 700 playouts.
    let options = options("Hash=1 RolloutPlies=0");
    for name in ROLLOUTS {
        let mut search = make(name, UniformEvaluator, &options);
        let decision = decide(search.as_mut(), &Game::default(), 5000);
        let visits: u64 = decision.info.root_moves.iter().map(|root_move| root_move.visits).sum();
        assert_eq!((decision.info.nodes, visits), (5000, 5000), "{name}");
    }
}

#[test]
fn rollouts_report_while_they_run_and_end_at_their_depth() {
    for name in ROLLOUTS {
        let mut search = make(name, UniformEvaluator, &options("ReportInterval=10"));
        let stop = StopSignal::default();
        search.run(&Game::default(), &Limits::default(), &stop, &mut |_| stop.stop()).unwrap();
        let limits = Limits { depth: Some(3), ..Limits::default() };
        let decision = search.run(&Game::default(), &limits, &StopSignal::default(), &mut |_| {}).unwrap();
        assert_eq!(decision.info.variations[0].moves.len(), 3, "{name}");
        let mate = game("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1");
        let limits = Limits { depth: Some(100), ..Limits::default() };
        let decision = search.run(&mate, &limits, &StopSignal::default(), &mut |_| {}).unwrap();
        assert_eq!(uci(decision.best), "a1a8", "{name}: the best line ends before the depth is reached");
    }
}

/// Prefers the first legal move where the mover is rated above 2000, else the last.
struct Imitator;

impl Evaluator for Imitator {
    fn describe(&self) -> String {
        "imitator".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let answer = |request: &EvaluationRequest<'_>| {
            let strong = request.game.ratings().of(request.game.turn()).is_some_and(|rating| rating > 2000);
            let mut priors = vec![0.0; request.legal_moves.len()];
            priors[if strong { 0 } else { request.legal_moves.len() - 1 }] = 1.0;
            Evaluation { wdl: Wdl::DRAW, priors, moves_left: None }
        };
        Ok(batch.iter().map(answer).collect())
    }
}

#[test]
fn every_kind_shows_the_network_the_rating_of_its_options_from_the_next_search_on() {
    let start = Game::default();
    let prior_of_first = |search: &mut dyn Search| {
        let decision = decide(search, &start, 30);
        let first = start.legal_moves()[0];
        decision.info.root_moves.iter().find(|root| root.chess_move == first).unwrap().prior
    };
    for name in ["puct", "policy", "policy-rollouts", "pvs", "alpha-beta"] {
        let mut search = make(name, Imitator, &SearchOptions::default());
        let unrated = prior_of_first(search.as_mut());
        search.set_options(&options("PlayerRating=2400"));
        let strong = prior_of_first(search.as_mut());
        assert!(strong > unrated + 0.1, "{name}: {strong} at 2400, {unrated} without a rating");
        search.set_options(&options("PlayerRating=1100"));
        assert_eq!(prior_of_first(search.as_mut()), unrated, "{name}: 1100");
    }
}

#[test]
fn every_kind_beats_nobody_to_the_move() {
    let forced = game("7k/5Q2/8/8/8/8/8/K7 b - - 0 1");
    assert!(forced.legal_moves().is_empty(), "stalemate: there is nothing to search");
    for kind in search::SEARCHES {
        let mut search = kind.build(Arc::new(UniformEvaluator), &SearchOptions::default(), None);
        assert!(
            search.run(&forced, &nodes(10), &StopSignal::default(), &mut |_| {}).is_err(),
            "{}",
            kind.name
        );
    }
}
