//! Rules of play: the parts that options add to the search itself.

use std::{collections::HashMap, sync::Arc};

use chess::{
    Evaluation, EvaluationRequest, Game, MaterialEvaluator, Search, SearchOptions, StopSignal,
    UniformEvaluator, Wdl,
};
use search::search_kind;

use crate::support::{Scripted, game, nodes, options, play, uci};

fn make(name: &str, settings: &str) -> Box<dyn Search> {
    search_kind(name).expect("a known search").build(Arc::new(MaterialEvaluator), &options(settings), None)
}

fn best(search: &mut dyn Search, game: &Game, limit: u64) -> String {
    uci(search.run(game, &nodes(limit), &StopSignal::default(), &mut |_| {}).expect("a decision").best)
}

const DRAWS: usize = 3000;

/// Priors fall with the place of the move, so that ranks are known.
fn falling(request: &EvaluationRequest<'_>) -> Evaluation {
    let count = request.legal_moves.len();
    let whole = (count * (count + 1) / 2) as f32;
    let priors = (0..count).map(|place| (count - place) as f32 / whole).collect();
    Evaluation { wdl: Wdl::DRAW, priors, moves_left: None }
}

/// Frequency with which the moves of the four highest priors are played in the position.
fn shares(game: &Game) -> Vec<f64> {
    let policy = search_kind("policy").expect("a known search");
    let mut search = policy.build(Arc::new(Scripted(falling)), &options("OpeningVariety=true"), None);
    let moves = game.legal_moves();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for _ in 0..DRAWS {
        let found = best(search.as_mut(), game, 1);
        let rank = moves.iter().position(|&one| uci(one) == found).expect("legal");
        *counts.entry(rank).or_default() += 1;
    }
    (0..4).map(|rank| counts.get(&rank).copied().unwrap_or(0) as f64 / DRAWS as f64).collect()
}

fn agree(found: &[f64], expected: [f64; 4]) {
    for (found, expected) in found.iter().zip(expected) {
        let error = (expected * (1.0 - expected) / DRAWS as f64).sqrt();
        assert!((found - expected).abs() <= 4.0 * error, "{found} {expected}");
    }
}

fn after_moves(full_moves: usize) -> Game {
    let mut game = Game::default();
    for line in ["g1f3 g8f6", "f3g1 f6g8"].iter().cycle().take(full_moves) {
        play(&mut game, line);
    }
    game
}

#[test]
fn the_opening_varies_by_the_table_and_less_with_every_move() {
    agree(&shares(&after_moves(0)), [0.65, 0.2, 0.1, 0.05]);
    agree(&shares(&after_moves(3)), [0.65, 0.2, 0.15, 0.0]);
    agree(&shares(&after_moves(6)), [0.65, 0.35, 0.0, 0.0]);
    agree(&shares(&after_moves(7)), [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn s5_k6_variety_asks_for_no_more_moves_than_there_are() {
    // One legal move, then two.
    for (fen, moves) in [("7k/8/8/8/8/8/1r6/K7 w - - 0 1", 1), ("7k/8/8/8/8/8/8/Kr6 w - - 0 1", 2)] {
        let game = game(fen);
        assert_eq!(game.legal_moves().len(), moves, "{fen}");
        agree(&shares(&game), if moves == 1 { [1.0, 0.0, 0.0, 0.0] } else { [0.65, 0.35, 0.0, 0.0] });
    }
}

#[test]
fn s5_k7_every_game_begins_with_the_whole_table() {
    let policy = search_kind("policy").expect("a known search");
    let mut search = policy.build(Arc::new(Scripted(falling)), &options("OpeningVariety=true"), None);
    for number in 0..50 {
        best(search.as_mut(), &after_moves(number), 1);
    }
    search.new_game();
    let start = Game::default();
    let first = uci(start.legal_moves()[0]);
    let varied = (0..200).filter(|_| best(search.as_mut(), &start, 1) != first).count();
    assert!((40..=100).contains(&varied), "{varied} of 200, expected about 70");
}

#[test]
fn a_search_with_equal_seeds_varies_alike() {
    let game = Game::default();
    let mut lines = Vec::new();
    for _ in 0..2 {
        let mut search = make("value", "OpeningVariety=true EmulatedElo=1200");
        search.new_game();
        search.reseed(7);
        lines.push((0..20).map(|_| best(search.as_mut(), &game, 100)).collect::<Vec<_>>());
    }
    assert_eq!(lines[0], lines[1]);
    let different: std::collections::HashSet<_> = lines[0].iter().collect();
    assert!(different.len() > 2, "{lines:?}");
}

/// The policy of the uniform evaluator does not know a mate when it sees one.
#[test]
fn s5_k3_a_mate_comes_first() {
    let mate = game("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
    let policy = search_kind("policy").expect("a known search");
    let mut plain = policy.build(Arc::new(UniformEvaluator), &SearchOptions::default(), None);
    let mut ruled =
        policy.build(Arc::new(UniformEvaluator), &options("MateFirst=true OpeningVariety=true"), None);
    assert_ne!(best(plain.as_mut(), &mate, 1), "a1a8");
    assert!((0..30).all(|_| best(ruled.as_mut(), &mate, 1) == "a1a8"));
}

#[test]
fn s2_k5_a_position_seen_before_counts_as_a_draw_where_that_is_asked() {
    // A queen up, White has been here: going back is not a win, with the rule.
    let mut game = game("6k1/5ppp/8/8/8/8/3Q1PPP/6K1 w - - 10 30");
    play(&mut game, "d2d1 g8f8 d1d2 f8g8");
    let values = |settings: &str| {
        let decision = make("value", settings)
            .run(&game, &nodes(1000), &StopSignal::default(), &mut |_| {})
            .expect("a decision");
        let back = decision.info.root_moves.iter().find(|one| uci(one.chess_move) == "d2d1").expect("legal");
        (uci(decision.best), back.wdl.expect("a value"))
    };
    let (_, without) = values("");
    assert!(without.win > 0.9, "{without:?}");
    let (best, with) = values("SecondOccurrence=true");
    assert_eq!(with, Wdl::DRAW);
    assert_ne!(best, "d2d1");
}

#[test]
fn s2_k6_the_opponents_mate_is_seen_unless_that_is_switched_off() {
    // Taking the rook lets the back rank be mated.
    let trap = game("3r2k1/5ppp/8/8/8/8/r4PPP/R5K1 w - - 0 1");
    assert_eq!(best(make("value", "OpponentMate=false").as_mut(), &trap, 1000), "a1a2");
    assert_ne!(best(make("value", "").as_mut(), &trap, 1000), "a1a2");
}

#[test]
fn captures_are_worth_more_where_they_get_a_bonus() {
    // After the capture Black, without a pawn, stands a little better by this evaluator.
    let dislikes = |request: &EvaluationRequest<'_>| {
        let board = chess::Position::board(request.game.position());
        let taken = (board.pawns() & board.black()).is_empty();
        let win = if taken { 0.05 } else { 0.0 };
        let priors = vec![1.0 / request.legal_moves.len() as f32; request.legal_moves.len()];
        Evaluation { wdl: Wdl { win, draw: 1.0 - win, loss: 0.0 }, priors, moves_left: None }
    };
    let prey = game("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1");
    let value = search_kind("value").expect("a known search");
    let search = |settings: &str| value.build(Arc::new(Scripted(dislikes)), &options(settings), None);
    assert_ne!(best(search("").as_mut(), &prey, 1000), "e4d5");
    assert_ne!(best(search("CaptureBonus=0.04").as_mut(), &prey, 1000), "e4d5");
    assert_eq!(best(search("CaptureBonus=0.06").as_mut(), &prey, 1000), "e4d5");
}

#[test]
fn plain_puct_gives_its_visits_by_the_evaluators_own_priors() {
    let decision = make("plain-puct", "CPuct=1.5")
        .run(&game("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"), &nodes(200), &StopSignal::default(), &mut |_| {})
        .expect("a decision");
    let equal = 1.0 / decision.info.root_moves.len() as f32;
    assert!(
        decision.info.root_moves.iter().all(|one| (one.prior - equal).abs() < 0.01),
        "no hint moved them"
    );
    assert_eq!(uci(decision.best), "e4d5");
}
