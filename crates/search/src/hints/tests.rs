//! The laws of [`Hint`], on every row of [`HINTS`] and on all together.

use chess::{Evaluator, MaterialEvaluator, laws};

use super::*;

fn evaluation(game: &Game, moves: &[Move]) -> Evaluation {
    let mut answer = crate::evaluate_one(&MaterialEvaluator, game, moves).unwrap();
    let total: f32 = (1..=moves.len()).map(|place| place as f32).sum();
    answer.priors = (1..=moves.len()).map(|place| place as f32 / total).collect();
    answer
}

fn is_distribution(priors: &[f32]) -> bool {
    (priors.iter().sum::<f32>() - 1.0).abs() < 1e-4
        && priors.iter().all(|&prior| (0.0..=1.001).contains(&prior))
}

/// Runs `check` on every position of some games, prepared as for a search of so many visits.
fn at_every_position(hints: &mut dyn FnMut(&SearchStart<'_>), check: &mut dyn FnMut(&HintContext<'_>)) {
    for game in laws::sample_games(3, 25).iter().filter(|game| !game.legal_moves().is_empty()) {
        let moves = game.legal_moves();
        hints(&SearchStart { game, moves: &moves, visits: 50, is_over: &|_| false });
        for is_root in [true, false] {
            check(&HintContext { game, moves: &moves, is_root });
        }
    }
}

#[test]
fn each_hint_leaves_probabilities_and_does_the_same_twice() {
    for kind in HINTS {
        let hint = std::cell::RefCell::new((kind.make)(&SearchOptions::default()).expect("switched on"));
        at_every_position(&mut |start| hint.borrow_mut().prepare(start), &mut |place| {
            let own = evaluation(place.game, place.moves);
            let (mut first, mut second) = (own.clone(), own);
            hint.borrow().apply(place, &mut first);
            hint.borrow().apply(place, &mut second);
            assert_eq!(first, second, "{} in {}", kind.name, place.game.fen());
            let wdl = first.wdl;
            assert!((wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-4, "{}", kind.name);
            assert!(is_distribution(&first.priors), "{} in {}", kind.name, place.game.fen());
        });
    }
}

#[test]
fn every_hint_can_be_switched_off_and_then_nothing_changes() {
    for setting in ["PolicyTemperature=1 MaterialPrior=0", "PolicyTemperature=1 MaterialNodes=0"] {
        let options = crate::options::parse(setting).unwrap();
        assert!(HINTS.iter().all(|kind| (kind.make)(&options).is_none()), "{setting}");
        let hints = std::cell::RefCell::new(Hints::new(&options));
        at_every_position(&mut |start| hints.borrow_mut().prepare(start), &mut |place| {
            let own = evaluation(place.game, place.moves);
            let hinted = hints.borrow().apply(place, own.clone());
            assert_eq!(hinted, own);
        });
    }
}

#[test]
fn a_single_visit_is_the_policy_as_it_is() {
    let game = Game::default();
    let moves = game.legal_moves();
    let mut hints = Hints::new(&SearchOptions::default());
    hints.prepare(&SearchStart { game: &game, moves: &moves, visits: 1, is_over: &|_| false });
    let own = evaluation(&game, &moves);
    let hinted = hints.apply(&HintContext { game: &game, moves: &moves, is_root: true }, own.clone());
    assert_eq!((hinted.priors, hinted.wdl), (own.priors, own.wdl));
    assert!(!MaterialEvaluator.describe().is_empty());
}
