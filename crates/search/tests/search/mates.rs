//! Mates are found, proven and played the shortest way, and never claimed where none exists: all checked by exhaustive
//! search.

use std::sync::Arc;

use chess::{
    Evaluation, EvaluationRequest, Evaluator, Game, Limits, MaterialEvaluator, Position, Score,
    UniformEvaluator, Wdl, laws,
};

use search::Puct;

use crate::support::{Scripted, game, legal, nodes, options, puct, run, uci};

const MATES: [&str; 9] = [
    // Back rank; Scholar's mate; smothered.
    "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1",
    // Rook endings, for both colours.
    "7k/8/5K2/8/8/8/8/R7 w - - 0 1",
    "6k1/8/8/5K2/8/8/8/R7 w - - 0 1",
    "r7/8/8/8/8/5k2/8/7K b - - 0 1",
    "6k1/8/5K2/8/8/8/8/R7 w - - 0 1",
    // Paul Morphy's problem: 1.Ra6.
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    // Only a rook mates; a queen stalemates.
    "8/k1P5/2K5/8/8/8/8/8 w - - 0 1",
];
const LONGEST: u32 = 3;

/// The moves to the shortest mate, by trying everything.
fn shortest_mate(game: &Game) -> u32 {
    let mut board = game.clone();
    (1..=LONGEST).find(|&moves| mates_within(&mut board, 2 * moves - 1)).expect("a short mate")
}

/// True if the side to move can mate within `plies` half-moves. Draws end a line as they do for the search.
fn mates_within(game: &mut Game, plies: u32) -> bool {
    game.legal_moves().into_iter().any(|chess_move| {
        game.play_unchecked(chess_move);
        let mated = is_mated_within(game, plies - 1);
        game.undo();
        mated
    })
}

/// True if the side to move is mated within `plies` half-moves whatever it does.
fn is_mated_within(game: &mut Game, plies: u32) -> bool {
    let moves = game.legal_moves();
    if moves.is_empty() {
        return game.position().is_check();
    }
    if plies == 0 || game.outcome().is_some() {
        return false;
    }
    moves.into_iter().all(|chess_move| {
        game.play_unchecked(chess_move);
        let mates = game.outcome().is_none() && mates_within(game, plies - 1);
        game.undo();
        mates
    })
}

fn budget(moves: u32) -> u64 {
    [0, 2, 30_000, 300_000][moves as usize]
}

#[test]
fn mates_in_one_two_and_three_are_found_whatever_the_evaluator() {
    let mut lengths = Vec::new();
    for fen in MATES {
        let start = game(fen);
        let moves = shortest_mate(&start);
        lengths.push(moves);
        for evaluator in [Box::new(UniformEvaluator) as Box<dyn Evaluator>, Box::new(MaterialEvaluator)] {
            let name = evaluator.describe();
            let decision = run(&mut puct(Boxed(evaluator)), &start, &nodes(budget(moves)));
            assert_eq!(decision.info.variations[0].score, Score::Mate(moves as i32), "{fen}, {name}");
        }
    }
    assert!((1..=LONGEST).all(|moves| lengths.contains(&moves)), "{lengths:?}");
}

struct Boxed(Box<dyn Evaluator>);

impl Evaluator for Boxed {
    fn describe(&self) -> String {
        self.0.describe()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, chess::EvaluatorError> {
        self.0.evaluate(batch)
    }
}

#[test]
fn a_mate_is_played_to_its_end_without_detours_and_against_the_longest_defence() {
    for fen in MATES {
        let mut game = game(fen);
        let moves = shortest_mate(&game);
        let mut search = puct(MaterialEvaluator);
        for left in (1..=moves as i32).rev() {
            let decision = run(&mut search, &game, &nodes(budget(moves)));
            assert_eq!(decision.info.variations[0].score, Score::Mate(left), "{}", game.fen());
            game.play(decision.best).expect("legal");
            if left > 1 {
                let reply = run(&mut puct(MaterialEvaluator), &game, &nodes(budget(moves)));
                assert_eq!(reply.info.variations[0].score, Score::Mate(1 - left), "{}", game.fen());
                game.play(reply.best).expect("legal");
            }
        }
        assert!(game.position().is_checkmate(), "{}", game.fen());
    }
}

#[test]
fn go_mate_ends_with_a_proof_and_its_line() {
    let limits = Limits { mate: Some(2), ..Limits::default() };
    let decision = run(&mut puct(UniformEvaluator), &game("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"), &limits);
    let best = &decision.info.variations[0];
    assert_eq!((best.score, uci(decision.best).as_str()), (Score::Mate(2), "a1a6"));
    assert_eq!((best.wdl, best.moves.len()), (Wdl::WIN, 3));
    assert_eq!(decision.ponder, Some(best.moves[1]));
}

#[test]
fn a_slower_proof_does_not_end_the_search_for_a_quicker_one() {
    // The policy sees nothing but a slow mate; the quicker one has a prior of nearly nothing.
    let start = game("6k1/8/8/5K2/8/8/8/R7 w - - 0 1");
    let slow = legal(&start, "a1a7");
    let misled = Scripted(move |request: &EvaluationRequest<'_>| {
        let count = request.legal_moves.len() as f32;
        let prior = |&chess_move: &_| {
            let misleading = request.legal_moves.contains(&slow) && request.game.ply() == 0;
            match (misleading, chess_move == slow) {
                (true, true) => 0.999,
                (true, false) => 0.001 / (count - 1.0),
                (false, _) => 1.0 / count,
            }
        };
        let priors = request.legal_moves.iter().map(prior).collect();
        Evaluation { wdl: Wdl::DRAW, priors, moves_left: None }
    });
    let mut search = puct(misled);
    let limits = Limits { search_moves: vec![slow], mate: Some(10), ..Limits::default() };
    let Score::Mate(moves) = run(&mut search, &start, &limits).info.variations[0].score else {
        panic!("no mate by {}", uci(slow))
    };
    assert!(moves > 3, "{moves}");
    let limits = Limits { mate: Some(3), ..Limits::default() };
    let decision = run(&mut search, &start, &limits);
    assert_eq!(decision.info.variations[0].score, Score::Mate(3));
}

#[test]
fn a_mate_in_one_beats_every_prior_but_not_a_single_node() {
    let start = game("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
    let mate = legal(&start, "a1a8");
    let blind = Scripted(move |request: &EvaluationRequest<'_>| {
        let others = request.legal_moves.iter().filter(|&&chess_move| chess_move != mate).count();
        let prior = |&chess_move| if chess_move == mate { 0.0 } else { 1.0 / others as f32 };
        let priors = request.legal_moves.iter().map(prior).collect();
        Evaluation { wdl: Wdl::DRAW, priors, moves_left: None }
    });
    let mut search = puct(blind);
    assert_ne!(run(&mut search, &start, &nodes(1)).best, mate, "one node is the policy alone");
    // The tree is reused: its root is known already.
    assert_eq!(run(&mut search, &start, &nodes(1)).best, mate);
}

#[test]
fn stalemate_is_avoided_when_winning() {
    let starts = [
        "k7/8/2K5/8/8/8/1Q6/8 w - - 0 1",
        "7k/5Q2/8/8/8/8/8/K7 w - - 0 1",
        "8/8/8/8/8/2k5/K1p5/8 b - - 0 1",
        "8/8/8/8/8/1qk5/8/K7 b - - 0 1",
    ];
    for fen in starts {
        let start = game(fen);
        let stalemates = |chess_move| {
            let mut after = start.clone();
            after.play(chess_move).expect("legal");
            after.position().is_stalemate()
        };
        assert!(start.legal_moves().into_iter().any(stalemates), "{fen} offers no stalemate");
        let decision = run(&mut puct(MaterialEvaluator), &start, &nodes(3000));
        assert!(!stalemates(decision.best), "{fen}: {}", uci(decision.best));
    }
}

#[test]
fn every_short_proof_is_confirmed_by_trying_everything() {
    let endings = [
        "8/8/8/8/8/2k5/1q6/3K4 b - - 0 1",
        "8/8/8/3k4/8/8/1Q6/1K6 w - - 94 100",
        "4k3/8/4K3/8/8/8/8/R6R w - - 97 130",
        "8/8/8/8/8/5k2/7r/6K1 w - - 0 1",
        "6k1/8/5K2/8/8/8/8/R7 b - - 0 1",
        "6k1/8/6K1/8/8/8/8/R7 b - - 0 1",
    ];
    let mut proofs = [0, 0];
    for start in endings.into_iter().chain(MATES).map(game).chain(laws::sample_games(5, 90)) {
        if start.legal_moves().is_empty() {
            continue;
        }
        let decision = run(&mut puct(UniformEvaluator), &start, &nodes(2000));
        let Score::Mate(moves) = decision.info.variations[0].score else { continue };
        let mut board = start.clone();
        let confirmed = match moves {
            1..=3 => mates_within(&mut board, 2 * moves as u32 - 1),
            -2..=-1 => is_mated_within(&mut board, 2 * moves.unsigned_abs()),
            _ => continue,
        };
        proofs[usize::from(moves > 0)] += 1;
        assert!(confirmed, "mate in {moves} claimed in {}", start.fen());
    }
    assert!(proofs[0] >= 2 && proofs[1] >= 10, "{proofs:?} proofs of losses and wins are too few");
}

#[test]
fn a_node_limit_is_not_used_up_once_no_mate_can_be_shorter() {
    let nodes_of = |fen: &str, limits: &Limits, multi_pv: u64| {
        let options = options(&format!("MultiPV={multi_pv}"));
        run(&mut Puct::new(Arc::new(MaterialEvaluator), &options), &game(fen), limits).info.nodes
    };
    let in_two = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
    assert_eq!(nodes_of("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", &nodes(1000), 1), 2, "mate in one");
    assert!(nodes_of(in_two, &nodes(1000), 1) < 1000);
    assert_eq!(nodes_of(in_two, &nodes(1000), 2), 1000, "the second line is asked for, too");
}
