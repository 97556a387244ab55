//! Repetitions and the fifty-move rule, from the game's history and inside the search.

use chess::{MaterialEvaluator, Score, Wdl};

use crate::support::{game, nodes, play, puct, run, uci};

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
