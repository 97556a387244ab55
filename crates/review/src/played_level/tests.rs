use chess::{
    Evaluation, MaterialEvaluator, UniformEvaluator,
    split_mix::{first, mix},
};
use proptest::{
    collection::vec,
    prelude::{Strategy, prop_assert, prop_assert_eq, proptest},
};

use super::*;

const RATINGS: [f64; 7] = [800.0, 1000.0, 1200.0, 1400.0, 1600.0, 1800.0, 2000.0];
/// Moves of a side in a synthetic game.
const GAME: usize = 40;

/// A number from 0 to 1 that belongs to `number`.
fn unit(number: u64) -> f64 {
    (first(number) >> 11) as f64 / (1_u64 << 53) as f64
}

/// How likely players of a rating are to choose each of four moves: the better a move, the likelier, and the more so the
/// stronger they are.
fn shares(position: u64, rating: f64) -> [f64; 4] {
    let weights = [0, 1, 2, 3].map(|index| (0.003 * rating * unit(4 * position + index)).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// The positions of a game and the moves that a player of a rating chooses in them.
fn game(number: u64, rating: f64) -> Vec<(u64, usize)> {
    (0..GAME as u64)
        .map(|ply| {
            let position = 1000 * number + ply;
            let mut left = unit(mix(position ^ 0x5eed));
            let shares = shares(position, rating);
            let chosen = shares.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            (position, chosen.unwrap_or(3))
        })
        .collect()
}

fn estimated(game: &[(u64, usize)]) -> Option<PlayedLevel> {
    let moves: Vec<[f64; 7]> = game
        .iter()
        .map(|&(position, chosen)| RATINGS.map(|rating| shares(position, rating)[chosen]))
        .collect();
    let moves: Vec<&[f64]> = moves.iter().map(<[f64; 7]>::as_slice).collect();
    PlayedLevel::estimate(&RATINGS, &moves)
}

/// The likeliest rating and the interval by the players' own law at every rating, without interpolation.
fn oracle(game: &[(u64, usize)]) -> [f64; 3] {
    let likelihood = |rating: f64| -> f64 {
        game.iter().map(|&(position, chosen)| shares(position, rating)[chosen].ln()).sum()
    };
    let curve: Vec<(f64, f64)> =
        (800..=2000).map(|rating| (f64::from(rating), likelihood(f64::from(rating)))).collect();
    let best = curve.iter().max_by(|one, other| one.1.total_cmp(&other.1)).unwrap();
    let inside = || curve.iter().filter(|point| point.1 >= best.1 - 1.92);
    [best.0, inside().next().unwrap().0, inside().next_back().unwrap().0]
}

#[test]
fn estimates_between_the_levels_are_those_of_the_players_own_law() {
    for (number, rating) in (0_u64..60).zip([900.0, 1250.0, 1400.0, 1730.0].into_iter().cycle()) {
        let game = game(number, rating);
        let Some(found) = estimated(&game) else { continue };
        let [likeliest, low, high] = oracle(&game);
        let ends = [found.rating, found.low.unwrap_or(800.0), found.high.unwrap_or(2000.0)];
        for (own, expected) in ends.into_iter().zip([likeliest, low, high]) {
            assert!(
                (own - expected).abs() <= 25.0,
                "game {number}: {found:?}, expected {likeliest}, {low}, {high}"
            );
        }
    }
}

#[test]
fn nineteen_of_twenty_intervals_hold_the_players_rating() {
    for rating in [1000.0, 1400.0, 1700.0] {
        let found: Vec<PlayedLevel> =
            (1000..1300).filter_map(|number| estimated(&game(number, rating))).collect();
        let held = found
            .iter()
            .filter(|one| {
                one.low.is_none_or(|low| low <= rating) && one.high.is_none_or(|high| rating <= high)
            })
            .count();
        assert!(found.len() > 200, "{} of 300 games of {rating} have an estimate", found.len());
        assert!(held * 100 >= found.len() * 91, "{held} of {} hold {rating}", found.len());
    }
}

#[test]
fn moves_that_say_too_little_have_no_level() {
    let telling = [0.05, 0.1, 0.2, 0.4, 0.2, 0.1, 0.05];
    let estimate =
        |one: [f64; 7], moves: usize| PlayedLevel::estimate(&RATINGS, &vec![one.as_slice(); moves]);
    let found = estimate(telling, 10).unwrap();
    assert_eq!((found.rating, found.moves), (1400.0, 10));
    assert_eq!(estimate(telling, 9), None, "too few moves");
    assert_eq!(estimate([0.3; 7], 200), None, "moves that everybody plays alike");
    assert_eq!(PlayedLevel::estimate(&RATINGS[..1], &[&telling[..1]; 40]), None, "one network");
    assert_eq!(PlayedLevel::estimate(&[], &[]), None);
    // Beyond the weakest and the strongest network nothing is known.
    let strongest = estimate([0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64], 20).unwrap();
    assert_eq!((strongest.rating, strongest.high), (2000.0, None));
    assert!(strongest.low.is_some_and(|low| low > 1800.0), "{strongest:?}");
}

/// Gives every move the same probability but one, which has twice that of the others.
struct Fond(usize);

impl Evaluator for Fond {
    fn describe(&self) -> String {
        "fond of one move".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut found = UniformEvaluator.evaluate(batch)?;
        for (evaluation, request) in found.iter_mut().zip(batch) {
            let count = request.legal_moves.len() as f32 + 1.0;
            evaluation.priors.fill(1.0 / count);
            evaluation.priors[self.0 % request.legal_moves.len()] = 2.0 / count;
        }
        Ok(found)
    }
}

#[test]
fn each_side_of_a_game_has_its_own_level() {
    // White always plays its first legal move, Black its second.
    let mut game = Game::default();
    for ply in 0..40 {
        let legal = game.legal_moves();
        game.play_unchecked(legal[ply % 2]);
    }
    let people: [(f64, Arc<dyn Evaluator>); 2] = [(1000.0, Arc::new(Fond(0))), (2000.0, Arc::new(Fond(1)))];
    let [white, black] = PlayedLevel::of_game(&game, &people).unwrap().map(Option::unwrap);
    assert_eq!((white.rating, white.low, black.rating, black.high), (1000.0, None, 2000.0, None));
    assert!(white.moves <= 20 && black.moves <= 20);
    let [white, black] = PlayedLevel::of_game(&game.at_ply(12), &people).unwrap();
    assert_eq!((white, black), (None, None), "six moves each");
    let alike: [(f64, Arc<dyn Evaluator>); 2] =
        [(1000.0, Arc::new(MaterialEvaluator)), (2000.0, Arc::new(MaterialEvaluator))];
    assert_eq!(PlayedLevel::of_game(&game, &alike).unwrap(), [None, None]);
}

/// Moves with arbitrary probabilities among people of each rating.
fn games() -> impl Strategy<Value = Vec<Vec<f64>>> {
    vec(vec(0.0..=1.0_f64, RATINGS.len()), 10..60)
}

proptest! {
    #[test]
    fn the_estimate_lies_in_its_interval_and_more_of_the_same_narrows_it(moves in games()) {
        let moves: Vec<&[f64]> = moves.iter().map(Vec::as_slice).collect();
        let Some(found) = PlayedLevel::estimate(&RATINGS, &moves) else { return Ok(()) };
        let ends = |one: &PlayedLevel| [one.low.unwrap_or(800.0), one.high.unwrap_or(2000.0)];
        let [low, high] = ends(&found);
        prop_assert!([800.0, low, found.rating, high, 2000.0].is_sorted(), "{found:?}");
        let twice = PlayedLevel::estimate(&RATINGS, &[&moves[..], &moves[..]].concat()).unwrap();
        let [near_low, near_high] = ends(&twice);
        prop_assert_eq!(twice.moves, 2 * moves.len());
        prop_assert!((twice.rating - found.rating).abs() < 1e-6, "{found:?} {twice:?}");
        prop_assert!(low <= near_low && near_high <= high, "{found:?} {twice:?}");
    }

    #[test]
    fn turning_the_ratings_round_turns_the_estimate_round(moves in games()) {
        let turned: Vec<Vec<f64>> =
            moves.iter().map(|one| one.iter().rev().copied().collect()).collect();
        let of = |moves: &[Vec<f64>]| {
            PlayedLevel::estimate(&RATINGS, &moves.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        let (found, mirrored) = (of(&moves), of(&turned));
        prop_assert_eq!(found.is_some(), mirrored.is_some());
        if let Some((found, mirrored)) = found.zip(mirrored) {
            prop_assert_eq!(found.low.map(|low| 2800.0 - low), mirrored.high);
            prop_assert_eq!(found.high.map(|high| 2800.0 - high), mirrored.low);
        }
    }
}
