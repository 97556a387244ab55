//! The move that is played: deterministic by default, random only when asked and then as often as it should be.

use std::{collections::HashMap, sync::Arc};

use chess::{Decision, Game, MaterialEvaluator, Search, SearchOptions, UniformEvaluator};
use search::Puct;

use crate::support::{game, nodes, options, play, run, visits_below_root};

fn search(options: &SearchOptions) -> Puct {
    Puct::new(Arc::new(MaterialEvaluator), options)
}

/// A decision without the one thing in it that depends on the machine.
fn timeless(mut decision: Decision) -> Decision {
    decision.info.elapsed = std::time::Duration::ZERO;
    decision
}

#[test]
fn equal_seeds_give_equal_games() {
    for mini_batch_size in [1, 8] {
        let seeded = |seed: u64| {
            let settings =
                format!("MiniBatchSize={mini_batch_size} Temperature=1 NoiseEpsilon=0.25 Seed={seed}");
            options(&settings)
        };
        let play_one = |options: &SearchOptions| {
            let (mut search, mut game) = (search(options), Game::default());
            (0..10)
                .map(|_| {
                    let decision = timeless(run(&mut search, &game, &nodes(120)));
                    game.play(decision.best).expect("legal");
                    decision
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(play_one(&seeded(7)), play_one(&seeded(7)));
        assert_ne!(play_one(&seeded(7)), play_one(&seeded(8)), "the seed matters");
    }
}

#[test]
fn without_temperature_and_noise_the_seed_does_not_matter() {
    let decide = |seed| {
        let mut search = search(&options(&format!("Seed={seed}")));
        timeless(run(&mut search, &Game::default(), &nodes(500)))
    };
    assert_eq!(decide(1), decide(2));
}

#[test]
fn temperature_one_plays_moves_as_often_as_they_were_visited() {
    const DRAWS: u64 = 2000;
    for temperature in [1.0_f32, 0.5] {
        let options = options(&format!("Temperature={temperature} TreeReuse=false MaterialNodes=0"));
        let mut search = search(&options);
        let start = game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        let mut counts: HashMap<_, u64> = HashMap::new();
        let mut expected = HashMap::new();
        for _ in 0..DRAWS {
            let decision = run(&mut search, &start, &nodes(100));
            *counts.entry(decision.best).or_default() += 1;
            expected = decision
                .info
                .root_moves
                .iter()
                .map(|root_move| {
                    (root_move.chess_move, (root_move.visits as f64).powf(1.0 / f64::from(temperature)))
                })
                .collect();
        }
        let total: f64 = expected.values().sum();
        for (chess_move, weight) in expected {
            let probability = weight / total;
            let sigma = (DRAWS as f64 * probability * (1.0 - probability)).sqrt();
            let played = *counts.get(&chess_move).unwrap_or(&0) as f64;
            let deviation = (played - DRAWS as f64 * probability).abs();
            assert!(deviation <= 3.0 * sigma + 0.5, "{chess_move}: {played} times, p {probability}");
        }
    }
}

#[test]
fn temperature_ends_where_it_should_and_never_throws_a_win_away() {
    let mut search = search(&options("Temperature=100 TemperaturePlies=2"));
    let mut late = Game::default();
    play(&mut late, "e2e4 e7e5");
    for _ in 0..30 {
        let decision = run(&mut search, &late, &nodes(60));
        assert_eq!(decision.best, decision.info.root_moves[0].chess_move);
    }
    // In the first two half-moves it applies.
    let mut bests: Vec<_> = (0..30).map(|_| run(&mut search, &Game::default(), &nodes(60)).best).collect();
    bests.dedup();
    assert!(bests.len() > 5, "{bests:?}");

    let mut hot = Puct::new(Arc::new(UniformEvaluator), &options("Temperature=100.0"));
    for _ in 0..30 {
        let mating = run(&mut hot, &game("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), &nodes(60));
        assert_eq!(crate::support::uci(mating.best), "a1a8");
    }
}

#[test]
fn noise_changes_the_search_only_when_asked_and_not_the_priors_reported() {
    let quiet = run(&mut search(&SearchOptions::default()), &Game::default(), &nodes(400));
    let noisy_options = options("NoiseEpsilon=0.5");
    let mut noisy_search = search(&noisy_options);
    let noisy = run(&mut noisy_search, &Game::default(), &nodes(400));
    let visits = |decision: &Decision| {
        let mut visits: Vec<u64> =
            decision.info.root_moves.iter().map(|root_move| root_move.visits).collect();
        visits.sort_unstable();
        visits
    };
    assert_ne!(visits(&quiet), visits(&noisy));
    for root_move in &noisy.info.root_moves {
        assert!((root_move.prior - 0.05).abs() < 1e-6, "{root_move:?}");
    }
    // The same root again: the noise of the first search does not linger, and the tree is reused.
    let again = run(&mut noisy_search, &Game::default(), &nodes(400));
    assert_eq!(visits_below_root(&again), 799);
    for root_move in &again.info.root_moves {
        assert!((root_move.prior - 0.05).abs() < 1e-3, "{root_move:?}");
    }
}

#[test]
fn several_lines_are_reported_in_order_and_each_is_legal() {
    let mut search = search(&options("MultiPV=4"));
    let mut reports = 0;
    let decision = search
        .run(&Game::default(), &nodes(2000), &chess::StopSignal::default(), &mut |info| {
            reports += 1;
            assert_eq!(info.variations.len(), 4);
        })
        .expect("a decision");
    assert!(reports >= 1);
    for (line, root_move) in decision.info.variations.iter().zip(&decision.info.root_moves) {
        assert_eq!(line.moves[0], root_move.chess_move);
        let mut game = Game::default();
        for &chess_move in &line.moves {
            game.play(chess_move).expect("a legal line");
        }
    }
    assert!(decision.info.depth >= 1 && decision.info.selective_depth >= decision.info.depth);
}
