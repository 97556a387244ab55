//! The laws of [`Hint`], on every row of [`HINTS`] and on all together.

use chess::{Evaluator, MaterialEvaluator, laws};

use super::*;

fn evaluation(game: &Game, moves: &[Move]) -> Evaluation {
    let mut answer = crate::evaluate_one(&MaterialEvaluator, game, moves).unwrap();
    let total: f32 = (1..=moves.len()).map(|place| place as f32).sum();
    answer.priors = (1..=moves.len()).map(|place| place as f32 / total).collect();
    answer
}

/// Options under which no hint is off, as two are by default.
fn with_all() -> SearchOptions {
    crate::options::parse("QuiescenceWeight=0.3 ForcingPrior=0.1").unwrap()
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
        let hint = std::cell::RefCell::new((kind.make)(&with_all()).expect("switched on"));
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
    let off = "PolicyTemperature=1 ForcingPrior=0 MaterialPrior=0 QuiescenceWeight=0";
    for setting in [off, "PolicyTemperature=1 ForcingPrior=0 MaterialNodes=0 QuiescenceWeight=0 HintFade=8"] {
        let options = crate::options::parse(setting).unwrap();
        assert!(HINTS.iter().all(|kind| (kind.make)(&options).is_none()), "{setting}");
        let hints = std::cell::RefCell::new(Hints::new(&options));
        at_every_position(&mut |start| hints.borrow_mut().prepare(start), &mut |place| {
            let own = evaluation(place.game, place.moves);
            let hinted = hints.borrow().apply(place, own.clone());
            assert_eq!(hinted, HintedEvaluation { wdl: own.wdl, priors: own.priors, bonuses: Vec::new() });
        });
    }
}

#[test]
fn fading_hints_are_bonuses_on_priors_that_only_lasting_ones_changed() {
    let read = |settings: &str| crate::options::parse(settings).unwrap();
    let all = std::cell::RefCell::new([
        Hints::new(&read("QuiescenceWeight=0.3 ForcingPrior=0.1 HintFade=0")),
        Hints::new(&read("QuiescenceWeight=0.3 ForcingPrior=0.1 HintFade=16")),
        Hints::new(&read("QuiescenceWeight=0.3 ForcingPrior=0 MaterialNodes=0")),
    ]);
    let mut hinted_positions = 0;
    at_every_position(
        &mut |start| all.borrow_mut().iter_mut().for_each(|hints| hints.prepare(start)),
        &mut |place| {
            let own = evaluation(place.game, place.moves);
            let [lasting, fading, without] =
                [0, 1, 2].map(|number: usize| all.borrow()[number].apply(place, own.clone()));
            assert!(is_distribution(&lasting.priors) && is_distribution(&fading.priors));
            assert_eq!((&fading.priors, fading.wdl), (&without.priors, without.wdl));
            assert!(lasting.bonuses.is_empty() && without.bonuses.is_empty());
            for (place, &bonus) in fading.bonuses.iter().enumerate() {
                let gain = (lasting.priors[place] - without.priors[place]).max(0.0);
                assert!((bonus - gain).abs() < 1e-6);
            }
            hinted_positions += usize::from(fading.bonuses.iter().any(|&bonus| bonus > 0.0));
        },
    );
    assert!(hinted_positions > 10, "{hinted_positions}");
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
