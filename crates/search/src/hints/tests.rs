//! The laws of [`Hint`], on every row of [`HINTS`] and on all together.

use chess::laws;

use super::*;

fn rising(moves: &[Move]) -> Vec<f32> {
    let total: f32 = (1..=moves.len()).map(|place| place as f32).sum();
    (1..=moves.len()).map(|place| place as f32 / total).collect()
}

fn is_distribution(priors: &[f32]) -> bool {
    (priors.iter().sum::<f32>() - 1.0).abs() < 1e-4
        && priors.iter().all(|&prior| (0.0..=1.001).contains(&prior))
}

/// Runs `check` on every position of some games, prepared as for a search of this number of visits.
fn at_every_position(hints: &mut dyn FnMut(&SearchStart<'_>), check: &mut dyn FnMut(&HintContext<'_>)) {
    for game in laws::sample_games(3, 25).iter().filter(|game| !game.legal_moves().is_empty()) {
        let moves = game.legal_moves();
        hints(&SearchStart { game, moves: &moves, visits: 50, is_over: &|_| false });
        for depth in [0, 1, 5] {
            check(&HintContext { position: game.position(), moves: &moves, depth });
        }
    }
}

#[test]
fn each_hint_leaves_probabilities_and_does_the_same_twice() {
    for kind in HINTS {
        let hint = std::cell::RefCell::new((kind.make)(&SearchOptions::default()).expect("switched on"));
        at_every_position(&mut |start| hint.borrow_mut().prepare(start), &mut |place| {
            let (mut first, mut second) = (rising(place.moves), rising(place.moves));
            hint.borrow().apply(place, &mut first);
            hint.borrow().apply(place, &mut second);
            assert_eq!(first, second, "{} in {:?}", kind.name, place.position);
            assert!(is_distribution(&first), "{} in {:?}", kind.name, place.position);
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
            let own = rising(place.moves);
            let mut hinted = own.clone();
            hints.borrow().apply(place, &mut hinted);
            hints.borrow().apply_to_tempered(place, &mut hinted);
            assert_eq!(hints.borrow().temperature(), 1.0);
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
    let place = HintContext { position: game.position(), moves: &moves, depth: 0 };
    let mut priors = rising(&moves);
    hints.apply(&place, &mut priors);
    assert_eq!((priors, hints.temperature()), (rising(&moves), 1.0));
}

#[test]
fn a_temperature_of_the_evaluator_is_as_good_as_one_of_the_hint() {
    let options = crate::options::parse("PolicyTemperature=1.7 MaterialNodes=5000").unwrap();
    let hints = std::cell::RefCell::new(Hints::new(&options));
    at_every_position(&mut |start| hints.borrow_mut().prepare(start), &mut |place| {
        let mut all = rising(place.moves);
        hints.borrow().apply(place, &mut all);
        let raised: Vec<f32> =
            rising(place.moves).iter().map(|prior| prior.powf(1.0 / hints.borrow().temperature())).collect();
        let total: f32 = raised.iter().sum();
        let mut tempered: Vec<f32> = raised.iter().map(|raised| raised / total).collect();
        hints.borrow().apply_to_tempered(place, &mut tempered);
        assert!(
            all.iter().zip(&tempered).all(|(one, other)| (one - other).abs() < 1e-6),
            "{all:?}, {tempered:?}"
        );
    });
}
