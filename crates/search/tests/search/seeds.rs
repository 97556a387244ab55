//! Flaws of the systems whose experiments can be repeated (`docs/seeds.md`), which searches here do not have.

use std::sync::Arc;

use chess::{
    Evaluation, EvaluationRequest, Evaluator, MaterialEvaluator, Search, StopSignal, UniformEvaluator, Wdl,
};
use search::search_kind;

use crate::support::{Scripted, game, nodes, options, uci};

fn make(name: &str, evaluator: impl Evaluator + 'static, settings: &str) -> Box<dyn Search> {
    search_kind(name).expect("a known search").build(Arc::new(evaluator), &options(settings), None)
}

fn decide(search: &mut dyn Search, fen: &str, limit: u64) -> chess::Decision {
    search.run(&game(fen), &nodes(limit), &StopSignal::default(), &mut |_| {}).expect("a decision")
}

fn equal_priors(request: &EvaluationRequest<'_>) -> Vec<f32> {
    vec![1.0 / request.legal_moves.len() as f32; request.legal_moves.len()]
}

/// The value that a network gives decides the move: a search that never asked its network chose the same with every one.
#[test]
fn s1_k3_another_network_plays_another_move() {
    let likes = |wanted: &'static str| {
        move |request: &EvaluationRequest<'_>| {
            // White has won the games that begin with this move.
            let won = request.game.moves().first().is_some_and(|&first| uci(first) == wanted);
            let wdl = match (won, request.game.turn()) {
                (false, _) => Wdl::DRAW,
                (true, chess::Color::White) => Wdl::WIN,
                (true, chess::Color::Black) => Wdl::LOSS,
            };
            Evaluation { wdl, priors: equal_priors(request), moves_left: None }
        }
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for name in ["puct", "plain-puct", "value"] {
        for wanted in ["g1f3", "b1a3"] {
            let mut search = make(name, Scripted(likes(wanted)), "");
            assert_eq!(uci(decide(search.as_mut(), start, 400).best), wanted, "{name}");
        }
    }
}

/// Drawn games were counted for Black. Here every line is drawn at once, whichever side is to move.
#[test]
fn s1_k4_a_drawn_rollout_is_half_a_point() {
    for fen in ["7k/8/8/8/8/8/8/K7 w - - 0 1", "7k/8/8/8/8/8/8/K7 b - - 0 1"] {
        for name in ["mcts", "policy-rollouts"] {
            let decision = decide(make(name, UniformEvaluator, "").as_mut(), fen, 60);
            let visited = decision.info.root_moves.iter().filter(|one| one.visits > 0);
            for one in visited {
                assert_eq!(one.wdl, Some(Wdl::DRAW), "{name} {fen}");
            }
        }
    }
}

/// Priors were a White-view score negated whichever side moved. A position and its colour-flipped twin get the same
/// search.
#[test]
fn s1_k5_both_colours_are_searched_alike() {
    let pairs = [("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "4k3/8/8/4p3/3Q4/8/8/4K3 b - - 0 1", "e4d5", "e5d4")];
    for (white, black, taken, mirrored) in pairs {
        for name in ["puct", "plain-puct", "value", "alpha-beta", "pvs"] {
            assert_eq!(
                uci(decide(make(name, MaterialEvaluator, "").as_mut(), white, 300).best),
                taken,
                "{name}"
            );
            assert_eq!(
                uci(decide(make(name, MaterialEvaluator, "").as_mut(), black, 300).best),
                mirrored,
                "{name}"
            );
        }
    }
}

/// All children of a node have priors when it is opened, and few visits need not be spread over all of them.
#[test]
fn s1_k14_visits_follow_priors_before_every_move_was_tried() {
    let one_good = |request: &EvaluationRequest<'_>| {
        let count = request.legal_moves.len();
        let mut priors = vec![0.1 / (count - 1).max(1) as f32; count];
        priors[0] = if count == 1 { 1.0 } else { 0.9 };
        Evaluation { wdl: Wdl::DRAW, priors, moves_left: None }
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let decision = decide(make("plain-puct", Scripted(one_good), "").as_mut(), start, 12);
    let tried = decision.info.root_moves.iter().filter(|one| one.visits > 0).count();
    assert!(tried < 6, "{tried} of 20 moves in 12 visits");
    assert!(decision.info.root_moves[0].visits >= 6);
}

/// Scores were sorted along the wrong axis, so the first move was always played: permuted scores must permute the choice.
#[test]
fn s5_k4_the_choice_follows_the_scores() {
    let prefers = |wanted: usize| {
        move |request: &EvaluationRequest<'_>| {
            // Black to move after one of White's king moves: lost after the wanted one.
            let king = chess::Position::board(request.game.position()).king_of(chess::Color::White);
            let lost = king.is_some_and(|square| u32::from(square) as usize == wanted);
            Evaluation {
                wdl: if lost { Wdl::LOSS } else { Wdl::WIN },
                priors: equal_priors(request),
                moves_left: None,
            }
        }
    };
    for (square, expected) in
        [(chess::Square::A2, "a1a2"), (chess::Square::B1, "a1b1"), (chess::Square::B2, "a1b2")]
    {
        let mut search = make("value", Scripted(prefers(u32::from(square) as usize)), "");
        assert_eq!(uci(decide(search.as_mut(), "7k/7p/8/8/8/8/8/K7 w - - 0 1", 100).best), expected);
    }
}

/// The bonus of a capture went to another move.
#[test]
fn s5_k5_a_bonus_goes_to_the_capture_itself() {
    let captures = "4k3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1";
    let decision = decide(make("value", UniformEvaluator, "CaptureBonus=0.5").as_mut(), captures, 100);
    let first: Vec<String> = decision.info.root_moves[..2].iter().map(|one| uci(one.chess_move)).collect();
    assert!(first.contains(&"c4d5".into()) && first.contains(&"e4d5".into()), "{first:?}");
}

/// Without looking at what takes back, a bonus or a plain count takes a guarded pawn with the queen.
#[test]
fn s5_k12_a_guarded_piece_is_no_prey() {
    let guarded = "4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1";
    let naive = decide(make("value", MaterialEvaluator, "").as_mut(), guarded, 1000);
    assert_eq!(uci(naive.best), "d2d6", "one ply sees the pawn only");
    for name in ["puct", "alpha-beta", "pvs"] {
        assert_ne!(
            uci(decide(make(name, MaterialEvaluator, "").as_mut(), guarded, 2000).best),
            "d2d6",
            "{name}"
        );
    }
}
