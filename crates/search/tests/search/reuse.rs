//! The tree survives from move to move, where the game does.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use chess::{EvaluationRequest, Game, MaterialEvaluator, PlayerRatings, Search, UniformEvaluator, laws};
use search::Puct;

use crate::support::{Watched, game, nodes, options, play, puct, run, uci, visits_below_root};

#[test]
fn a_continued_game_keeps_the_visits_below_the_moves_played() {
    let mut start = Game::default();
    let mut search = puct(MaterialEvaluator);
    let first = run(&mut search, &start, &nodes(3000));
    let expected: u64 = first.info.root_moves[0].visits;
    start.play(first.best).expect("legal");
    let kept = run(&mut search, &start, &nodes(0));
    // The child's own evaluation was one of its visits.
    assert_eq!(visits_below_root(&kept), expected - 1);
    assert_eq!(kept.info.nodes, 0);
    assert!(start.legal_moves().contains(&kept.best));

    let more = run(&mut search, &start, &nodes(500));
    assert_eq!(visits_below_root(&more), expected - 1 + 500);
    assert_eq!(more.info.nodes, 500);
}

#[test]
fn reuse_saves_evaluations_and_can_be_switched_off() {
    let evaluated = |tree_reuse| {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let watch = move |batch: &[EvaluationRequest<'_>]| {
            counter.fetch_add(batch.len(), Ordering::Relaxed);
        };
        let options = options(&format!("TreeReuse={tree_reuse}"));
        let mut search = Puct::new(Arc::new(Watched { inner: UniformEvaluator, watch }), &options);
        let mut start = Game::default();
        let first = run(&mut search, &start, &nodes(400));
        start.play(first.best).expect("legal");
        let second = run(&mut search, &start, &nodes(400));
        let remembered = first.info.cache_hits + second.info.cache_hits;
        (visits_below_root(&second), count.load(Ordering::Relaxed) as u64, remembered)
    };
    let (reused, _, _) = evaluated(true);
    let (fresh, evaluations, remembered) = evaluated(false);
    assert!(reused > 400, "{reused}");
    // The evaluation cache still holds what the tree forgot.
    assert_eq!((fresh, evaluations + remembered), (399, 800));
    assert!(remembered > 0);
}

#[test]
fn another_game_starts_from_an_empty_tree() {
    let others: [fn() -> Game; 5] = [
        // Another move, another start, the same position with another past, the past of a longer game, and other players.
        || {
            let mut other = Game::default();
            play(&mut other, "a2a3 a7a6 b2b3");
            other
        },
        || game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        || {
            let mut other = Game::default();
            play(&mut other, "g1f3 g8f6 f3g1 f6g8");
            other
        },
        || game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 20 11"),
        || Game::default().with_ratings(PlayerRatings { white: Some(1500), black: Some(1500) }),
    ];
    for other in others {
        let mut search = puct(UniformEvaluator);
        run(&mut search, &Game::default(), &nodes(300));
        let decision = run(&mut search, &other(), &nodes(100));
        assert_eq!(visits_below_root(&decision), 99, "{}", other().fen());
    }
}

#[test]
fn a_repetition_whose_first_occurrence_left_the_search_is_searched_again() {
    // Inside the first search, going back and forth draws. After the moves were played once, the same position is a
    // second occurrence of the game only, which is not a draw.
    let mut start = game("6k1/5pp1/7p/8/8/8/3Q1PPP/6K1 w - - 10 30");
    let mut search = puct(MaterialEvaluator);
    run(&mut search, &start, &nodes(60_000));
    play(&mut start, "d2d1 g8h8");
    let kept = run(&mut search, &start, &nodes(0));
    assert!(visits_below_root(&kept) > 0, "the line is in the tree");
    let fresh = run(&mut puct(MaterialEvaluator), &start, &nodes(20_000));
    let more = run(&mut search, &start, &nodes(20_000));
    for decision in [&more, &fresh] {
        let back = decision
            .info
            .root_moves
            .iter()
            .find(|root_move| uci(root_move.chess_move) == "d1d2")
            .expect("listed");
        assert!(back.wdl.expect("visited").value() > 0.3, "{back:?}");
    }
}

#[test]
fn whole_games_stay_legal_under_reuse() {
    for (seed, mut game) in laws::sample_games(9, 15).into_iter().enumerate() {
        let options = options(&format!("MiniBatchSize={}", 1 + seed as u64 % 8));
        let mut search = Puct::new(Arc::new(UniformEvaluator), &options);
        for _ in 0..12 {
            if game.outcome().is_some() {
                break;
            }
            let decision = run(&mut search, &game, &nodes(150));
            assert_eq!(decision.info.root_moves.len(), game.legal_moves().len());
            game.play(decision.best).expect("the best move is legal");
        }
        search.new_game();
        if !game.legal_moves().is_empty() {
            assert_eq!(visits_below_root(&run(&mut search, &game, &nodes(50))), 49);
        }
    }
}
