//! Repetitions and the fifty-move rule, from the game's history and inside the search.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use chess::{Evaluation, EvaluationRequest, Limits, MaterialEvaluator, Score, Search as _, StopSignal, Wdl};
use search::Puct;

use crate::support::{Scripted, Watched, game, nodes, options, play, puct, run, uci};

/// White is a queen up and has no quick mate. The position after 1.Qd1 has occurred twice when White is to move for the third time.
const SHUFFLE: &str = "d2d1 g8h8 d1d2 h8g8 d2d1 g8h8 d1d2 h8g8";
const QUEEN_UP: &str = "6k1/5pp1/7p/8/8/8/3Q1PPP/6K1 w - - 10 30";

#[test]
fn the_winning_side_avoids_a_threefold_repetition_available_in_one_move() {
    let mut start = game(QUEEN_UP);
    play(&mut start, SHUFFLE);
    let decision = run(&mut puct(MaterialEvaluator), &start, &nodes(3000));
    let mut after = start.clone();
    play(&mut after, "d2d1");
    assert_eq!(after.repetitions(), 2, "the trap of this test");
    assert_ne!(uci(decision.best), "d2d1");
    let repeating = decision.info.root_moves.iter().find(|root_move| uci(root_move.chess_move) == "d2d1");
    let repeating = repeating.expect("every root move is listed");
    assert_eq!(repeating.wdl, Some(Wdl::DRAW));
    assert!(decision.info.root_moves[0].wdl.expect("visited").value() > 0.5);
}

#[test]
fn the_losing_side_takes_a_threefold_repetition_available_in_one_move() {
    let mut start = game(QUEEN_UP);
    play(&mut start, "d2e2 g8h8 e2d2 h8g8 d2e2 g8h8 e2d2 h8g8 d2e2");
    let mut after = start.clone();
    play(&mut after, "g8h8");
    assert_eq!(after.repetitions(), 2, "the way out of this test");
    let decision = run(&mut puct(MaterialEvaluator), &start, &nodes(3000));
    assert_eq!(uci(decision.best), "g8h8");
    assert_eq!(decision.info.variations[0].score, Score::Centipawns(0));
}

#[test]
fn a_second_occurrence_counts_inside_the_search_but_not_from_the_game_before_it() {
    // The history went through the position after Qd1 once: playing it again is not a draw yet.
    let mut start = game(QUEEN_UP);
    play(&mut start, "d2d1 g8h8 d1d2 h8g8");
    let decision = run(&mut puct(MaterialEvaluator), &start, &nodes(500));
    let again = decision
        .info
        .root_moves
        .iter()
        .find(|root_move| uci(root_move.chess_move) == "d2d1")
        .expect("listed");
    assert!(again.wdl.expect("visited").value() > 0.3, "{again:?}");
}

/// White wins everywhere, and Qd1 and Qe2 are its favourites.
fn favours_the_queen(request: &EvaluationRequest<'_>) -> Evaluation {
    let weights = request.legal_moves.iter().map(|&chess_move| match uci(chess_move).as_str() {
        "d2d1" => 60.0,
        "d2e2" => 30.0,
        _ => 1.0,
    });
    let weights: Vec<f32> = weights.collect();
    let total: f32 = weights.iter().sum();
    let (win, loss) = if request.game.turn().is_white() { (0.9, 0.1) } else { (0.1, 0.9) };
    let priors = weights.iter().map(|weight| weight / total).collect();
    Evaluation { wdl: Wdl { win, draw: 0.0, loss }, priors, moves_left: None }
}

/// `go infinite` ended with another move than the one that it had named as the best all the time.
#[test]
fn a_game_prefers_a_new_position_and_an_analysis_the_best_move() {
    let mut start = game(QUEEN_UP);
    play(&mut start, "d2d1 g8h8 d1d2 h8g8");
    let options = options("MaterialNodes=0 PolicyTemperature=1");
    let played = run(&mut Puct::new(Arc::new(Scripted(favours_the_queen)), &options), &start, &nodes(400));
    assert_eq!(uci(played.best), "d2e2");
    for limits in [Limits { infinite: true, ..Limits::default() }, Limits::default()] {
        let stop = StopSignal::default();
        let (signal, evaluated) = (stop.clone(), AtomicUsize::new(0));
        let watch = move |batch: &[EvaluationRequest<'_>]| {
            if evaluated.fetch_add(batch.len(), Ordering::Relaxed) >= 400 {
                signal.stop();
            }
        };
        let evaluator = Watched { inner: Scripted(favours_the_queen), watch };
        let mut search = Puct::new(Arc::new(evaluator), &options);
        let analysed = search.run(&start, &limits, &stop, &mut |_| {}).expect("a decision");
        assert_eq!(uci(analysed.best), "d2d1", "{limits:?}");
    }
}

#[test]
fn the_fifty_move_rule_ends_lines() {
    // One half-move is left: only a capture or a mate avoids the draw.
    let quiet = run(&mut puct(MaterialEvaluator), &game("8/8/4k3/8/8/3QK3/8/8 w - - 99 120"), &nodes(200));
    assert_eq!(quiet.info.variations[0].score, Score::Centipawns(0));
    assert!(quiet.info.root_moves.iter().filter_map(|root_move| root_move.wdl).all(|wdl| wdl == Wdl::DRAW));

    let capture =
        run(&mut puct(MaterialEvaluator), &game("8/8/4k3/8/3p4/3QK3/8/8 w - - 99 120"), &nodes(200));
    assert!(uci(capture.best).ends_with("d4"), "{capture:?}");
    let mate = run(&mut puct(MaterialEvaluator), &game("6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 120"), &nodes(200));
    assert_eq!(mate.info.variations[0].score, Score::Mate(1));
}
