//! The sequential test against known values, its error rates, and ratings recovered from simulated results.

use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use strength::statistics::{
    Observation, PairTally, PoolResult, Sprt, SprtModel, SprtVerdict, Standing, elo_from_pairs, elo_to_score,
    rate, rate_pool, score_to_elo,
};

fn sprt(model: SprtModel, elo0: f64, elo1: f64) -> Sprt {
    Sprt::new(model, elo0, elo1).expect("the tests test hypotheses in order")
}

/// Counts and values from the tests of fastchess (`app/tests/sprt_test.cpp`), whose two middle outcomes are one here. If
/// four outcomes never occurred, the last digits depend on how small a count stands for never.
#[test]
fn fastchess_known_answers() {
    for (model, elo0, elo1, counts, expected) in [
        (SprtModel::Normalized, 0.0, 2.0, [365, 16_618, 36_229, 16_974, 390], 2.25),
        (SprtModel::Normalized, -1.75, 0.25, [127, 4_883, 10_712, 5_150, 104], 3.01),
        (SprtModel::Normalized, 0.0, 5.0, [0, 0, 0, 0, 5_550], 111.82),
        (SprtModel::Logistic, 0.5, 2.5, [223, 9_863, 21_279, 10_037, 246], -3.07),
    ] {
        let found = sprt(model, elo0, elo1).log_likelihood_ratio(PairTally(counts));
        let tolerance = if counts[0] == 0 { 0.03 } else { 0.005_01 };
        assert!(
            (found - expected).abs() < tolerance,
            "{model:?} {counts:?}: found {found}, expected {expected}"
        );
    }
}

#[test]
fn hypotheses_seen_from_the_other_side_change_places() {
    let pairs = PairTally([7, 11, 30, 25, 4]);
    for model in [SprtModel::Logistic, SprtModel::Normalized] {
        let one = sprt(model, -3.0, 10.0).log_likelihood_ratio(pairs);
        let other = sprt(model, -10.0, 3.0).log_likelihood_ratio(pairs.flipped());
        assert!((one + other).abs() < 1e-6, "{model:?}: {one} {other}");
        assert_eq!(sprt(model, 0.0, 5.0).log_likelihood_ratio(PairTally::default()), 0.0);
    }
}

/// With more than 232 normalized Elo the ratio was not a number, and the match went on to its end.
#[test]
fn far_hypotheses_are_decided() {
    let winning = PairTally([0, 0, 1, 20, 300]);
    for (elo0, elo1) in [(0.0, 232.0), (0.0, 240.0), (0.0, 300.0), (300.0, 1999.0)] {
        for model in [SprtModel::Logistic, SprtModel::Normalized] {
            let test = sprt(model, elo0, elo1);
            assert_eq!(
                test.judge(PairTally([20, 50, 60, 50, 21])).verdict,
                Some(SprtVerdict::H0),
                "{test:?}"
            );
            if elo1 <= 300.0 {
                assert_eq!(test.judge(winning).verdict, Some(SprtVerdict::H1), "{test:?}");
            }
        }
    }
    // Twice the deviations that 232 normalized Elo are.
    let near = sprt(SprtModel::Normalized, 0.0, 230.0).log_likelihood_ratio(PairTally([0, 0, 1, 0, 1]));
    let far = sprt(SprtModel::Normalized, 0.0, 240.0).log_likelihood_ratio(PairTally([0, 0, 1, 0, 1]));
    assert!((near - far).abs() < 0.1, "{near} {far}");
}

#[test]
fn numbers_that_make_no_test_are_refused() {
    let refused = Sprt::new(SprtModel::Logistic, 5.0, 0.0).unwrap_err().to_string();
    assert!(refused.contains("elo0 5, elo1 0") && refused.contains("from -2000 to 2000"), "{refused}");
    let (limit, gap) = (Sprt::LIMIT, Sprt::LEAST_GAP);
    assert!(Sprt::EXPECTED.contains(&format!("from -{limit} to {limit}, elo1 at least {gap}")));
    for (elo0, elo1) in [
        (f64::NAN, 0.0),
        (0.0, f64::NAN),
        (0.0, f64::INFINITY),
        (-1e308, 1e308),
        (0.0, limit + 1.0),
        (-limit - 1.0, 0.0),
        (0.0, 0.0),
        (0.0, 1e-300),
    ] {
        for model in [SprtModel::Logistic, SprtModel::Normalized] {
            assert!(Sprt::new(model, elo0, elo1).is_err(), "{elo0} {elo1}");
        }
    }
    assert!(Sprt::new(SprtModel::Normalized, 0.02, 0.03).is_ok());
    let careless = Sprt { alpha: 0.7, ..sprt(SprtModel::Logistic, 0.0, 5.0) };
    assert!(careless.checked().is_err());
}

/// A player of known strength: a game is drawn with this probability, whatever the difference, as far as that allows.
struct Simulated {
    difference: f64,
    draws: f64,
    random: Xoshiro256PlusPlus,
}

impl Simulated {
    fn new(difference: f64, draws: f64, seed: u64) -> Self {
        Self { difference, draws, random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// Half points of one game.
    fn game(&mut self, bias: f64) -> u8 {
        let score = elo_to_score(self.difference + bias);
        let draws = self.draws.min(2.0 * score).min(2.0 * (1.0 - score));
        let number: f64 = self.random.random();
        match () {
            () if number < score - 0.5 * draws => 2,
            () if number < score + 0.5 * draws => 1,
            () => 0,
        }
    }

    /// A pair from an opening that favours one colour.
    fn pair(&mut self) -> usize {
        usize::from(self.game(60.0) + self.game(-60.0))
    }

    fn pairs(&mut self, count: u32) -> PairTally {
        let mut tally = PairTally::default();
        for _ in 0..count {
            tally.0[self.pair()] += 1;
        }
        tally
    }
}

#[test]
fn error_rates_are_as_promised() {
    let test = sprt(SprtModel::Logistic, 0.0, 40.0);
    let runs = 200;
    let decide = |difference: f64, seed: u64| {
        let mut player = Simulated::new(difference, 0.3, seed);
        let mut pairs = PairTally::default();
        loop {
            pairs.0[player.pair()] += 1;
            // The asymptotics need some pairs; a match in steps of a few pairs is what runs in practice.
            if pairs.pairs() % 8 == 0
                && let Some(verdict) = test.judge(pairs).verdict
            {
                return verdict;
            }
        }
    };
    for (difference, wrong) in [(0.0, SprtVerdict::H1), (40.0, SprtVerdict::H0)] {
        let errors = (0..runs).filter(|&seed| decide(difference, seed) == wrong).count();
        // 5 % of 200 is 10, with a deviation of 3.1.
        assert!(errors <= 20, "{errors} of {runs} wrong at {difference}");
    }
}

#[test]
fn the_interval_from_pairs_covers_a_known_difference() {
    for difference in [-150.0, 0.0, 60.0, 250.0] {
        let runs = 400;
        let covered = (0..runs)
            .filter(|&seed| {
                // The bias of the openings makes the mean score of a pair the mean of the two games.
                let truth = 0.5 * (elo_to_score(difference + 60.0) + elo_to_score(difference - 60.0));
                let truth = 400.0 * (truth / (1.0 - truth)).log10();
                let pairs = Simulated::new(difference, 0.3, 1000 + seed).pairs(100);
                let estimate = elo_from_pairs(pairs).expect("there are pairs");
                estimate.lower.is_none_or(|lower| lower <= truth)
                    && estimate.upper.is_none_or(|upper| truth <= upper)
            })
            .count();
        let percent = 100.0 * covered as f64 / f64::from(runs as u32);
        assert!((92.0..=98.0).contains(&percent), "{difference}: {percent} %");
    }
}

fn ladder(elo: f64, levels: &[(f64, u32)], seed: u64) -> Vec<Observation> {
    let play = |(index, &(level, games)): (usize, &(f64, u32))| {
        let mut player = Simulated::new(elo - level, 0.2, seed * 100 + index as u64);
        (0..games / 2).map(move |_| {
            let half_points = player.game(0.0) + player.game(0.0);
            Observation { opponent_elo: level, games: 2.0, points: 0.5 * f64::from(half_points) }
        })
    };
    levels.iter().enumerate().flat_map(play).collect()
}

#[test]
fn a_known_rating_is_recovered_from_a_ladder_with_its_coverage() {
    let levels = [(1350.0, 20), (1450.0, 20), (1550.0, 80), (1650.0, 80), (1750.0, 40)];
    let runs = 150;
    let mut covered = 0;
    let mut sum = 0.0;
    for seed in 0..runs {
        let rating = rate(&ladder(1600.0, &levels, seed), seed).expect("games were played");
        covered += u32::from(
            rating.lower.is_some_and(|low| low <= 1600.0) && rating.upper.is_some_and(|up| 1600.0 <= up),
        );
        sum += rating.elo.expect("neither all won nor all lost") - 1600.0;
        assert_eq!(rating.games, 240);
    }
    let percent = 100.0 * f64::from(covered) / runs as f64;
    assert!((90.0..=99.0).contains(&percent), "{percent} % covered");
    assert!((sum / runs as f64).abs() < 6.0, "mean error {}", sum / runs as f64);
}

#[test]
fn none_of_five_is_a_bound_and_no_rating() {
    let lost = [Observation { opponent_elo: 1360.0, games: 5.0, points: 0.0 }];
    let rating = rate(&lost, 0).expect("games were played");
    assert_eq!((rating.elo, rating.lower, rating.games), (None, None, 5));
    // Losing five has the probability 5 % at an expected score of 1 - 0.05^(1/5).
    let upper = rating.upper.expect("losses bound a rating from above");
    assert!((elo_to_score(1360.0 - upper).powi(5) - 0.05).abs() < 1e-6, "{upper}");
    let won = [Observation { opponent_elo: 1360.0, games: 5.0, points: 5.0 }];
    let rating = rate(&won, 0).expect("games were played");
    assert!(rating.lower.is_some() && rating.elo.is_none() && rating.upper.is_none());
    assert_eq!(rate(&[], 0), None);
}

/// Defect 5: games that all ended alike, or few of them, looked certain: "2100 (2100 to 2100)".
#[test]
fn equal_or_few_games_do_not_make_a_rating_certain() {
    let drawn = Observation { opponent_elo: 2100.0, games: 2.0, points: 1.0 };
    for games in [1, 5, 50] {
        let rating = rate(&vec![drawn; games], 1).expect("games were played");
        let (lower, upper) = (rating.lower.unwrap(), rating.upper.unwrap());
        assert!((rating.elo.unwrap() - 2100.0).abs() < 0.01 && (lower + upper - 4200.0).abs() < 0.01);
        // As wide as the interval of as many wins as losses: the Wilson interval for a share of one half.
        let half = 0.5 - 0.98 / (2.0 * games as f64 + 1.96_f64.powi(2)).sqrt();
        let expected = 2100.0 + score_to_elo(half);
        assert!((lower - expected).abs() < 0.5, "{lower}, expected {expected}");
    }
    let mut standing = Standing::default();
    for game in 0..4 {
        standing.add(game / 2, 1);
    }
    let result = PoolResult { first: 0, second: 1, standing };
    let pool = rate_pool(&[None, Some(1350.0)], &[result], 1);
    let (lower, upper) = (pool[0].lower.unwrap(), pool[0].upper.unwrap());
    assert!((pool[0].elo.unwrap() - 1350.0).abs() < 0.01 && upper - lower > 400.0, "{lower} to {upper}");
}

fn standing(player: &mut Simulated, pairs: u32) -> Standing {
    let mut standing = Standing::default();
    for pair in 0..pairs {
        standing.add(pair, player.game(0.0));
        standing.add(pair, player.game(0.0));
    }
    standing
}

#[test]
fn a_pool_finds_the_distances_of_its_players() {
    let truth = [0.0, 100.0, 250.0, -200.0];
    let mut results = Vec::new();
    for first in 0..4 {
        for second in first + 1..4 {
            let seed = (first * 10 + second) as u64;
            let mut player = Simulated::new(truth[first] - truth[second], 0.3, seed);
            results.push(PoolResult { first, second, standing: standing(&mut player, 300) });
        }
    }
    let free = rate_pool(&[None; 4], &results, 1);
    let middle: f64 = free.iter().map(|rating| rating.elo.expect("rated")).sum::<f64>() / 4.0;
    assert!(middle.abs() < 0.1, "{middle}");
    let anchored = rate_pool(&[None, Some(100.0), None, None], &results, 1);
    for (player, rating) in anchored.iter().enumerate() {
        let (elo, lower, upper) = (rating.elo.unwrap(), rating.lower.unwrap(), rating.upper.unwrap());
        assert!((elo - truth[player]).abs() < 40.0, "player {player}: {elo}");
        assert!(lower <= elo && elo <= upper, "player {player}: {lower} {elo} {upper}");
        if player == 1 {
            assert_eq!((lower, elo, upper), (100.0, 100.0, 100.0));
        } else {
            assert!(upper - lower > 10.0 && upper - lower < 80.0, "player {player}: {lower} to {upper}");
        }
    }
}

#[test]
fn a_player_that_lost_everything_has_no_rating_in_a_pool() {
    let mut lost = Standing::default();
    let mut even = Standing::default();
    for pair in 0..20 {
        lost.add(pair, 0);
        lost.add(pair, 0);
        even.add(pair, 2);
        even.add(pair, 0);
    }
    let results = [
        PoolResult { first: 2, second: 0, standing: lost },
        PoolResult { first: 0, second: 1, standing: even },
    ];
    let ratings = rate_pool(&[Some(0.0), None, None], &results, 3);
    assert!(ratings[1].elo.expect("an even match").abs() < 1.0);
    assert_eq!(ratings[2].elo, None);
    assert_eq!(ratings[2].lower, None);
}

#[test]
fn a_player_that_won_everything_does_not_move_the_middle_of_the_others() {
    let (mut won, mut even) = (Standing::default(), Standing::default());
    for pair in 0..20 {
        won.add(pair, 2);
        won.add(pair, 2);
        even.add(pair, 2);
        even.add(pair, 0);
    }
    let result =
        |first, second, standing: &Standing| PoolResult { first, second, standing: standing.clone() };
    let results = [
        result(0, 1, &even),
        result(0, 2, &even),
        result(1, 2, &even),
        result(3, 0, &won),
        result(3, 1, &won),
        result(3, 2, &won),
    ];
    let ratings = rate_pool(&[None; 4], &results, 3);
    assert_eq!(ratings[3].elo, None);
    for rating in &ratings[..3] {
        assert!(rating.elo.expect("even among themselves").abs() < 1.0, "{ratings:?}");
    }
}

/// Pairs of games, so many with each number of half points for the first player.
fn pairs(first: usize, second: usize, counts: [u32; 5]) -> PoolResult {
    let outcomes = counts.iter().zip(0_u8..).flat_map(|(&count, halves)| (0..count).map(move |_| halves));
    let mut standing = Standing::default();
    for (pair, halves) in outcomes.enumerate() {
        standing.add(pair as u32, halves.div_ceil(2));
        standing.add(pair as u32, halves / 2);
    }
    PoolResult { first, second, standing }
}

/// The middle of such a field lay beside it, and players that had won every game were rated.
#[test]
fn players_that_nothing_compares_have_no_ratings() {
    let (won, lost, even) = ([0, 0, 0, 0, 20], [20, 0, 0, 0, 0], [0, 0, 20, 0, 0]);
    let gauntlet = [pairs(0, 1, lost), pairs(0, 2, lost), pairs(0, 3, lost)];
    let none = rate_pool(&[None; 4], &gauntlet, 1);
    assert!(none.iter().all(|rating| rating.elo.is_none() && rating.lower.is_none()), "{none:?}");
    // Two that did not meet each other won everything against two equals.
    let matches = [pairs(0, 1, even), pairs(2, 0, won), pairs(2, 1, won), pairs(3, 0, won), pairs(3, 1, won)];
    let ratings = rate_pool(&[None; 4], &matches, 1);
    assert!(ratings[..2].iter().all(|rating| rating.elo.is_some_and(|elo| elo.abs() < 0.1)), "{ratings:?}");
    assert!(ratings[2..].iter().all(|rating| rating.elo.is_none()), "{ratings:?}");
}

/// In a third of the samples the best player won everything; the middle of the others was then another one.
#[test]
fn an_almost_unbeaten_player_does_not_make_the_others_uncertain() {
    let matches = [pairs(0, 1, [10, 20, 40, 20, 10]), pairs(2, 0, [0, 0, 0, 1, 29])];
    let ratings = rate_pool(&[None; 3], &matches, 1);
    for rating in &ratings[..2] {
        let (elo, lower, upper) = (rating.elo.unwrap(), rating.lower.unwrap(), rating.upper.unwrap());
        assert!((elo + 277.0).abs() < 5.0 && upper - lower < 160.0, "{rating:?}");
    }
    assert!((ratings[2].elo.unwrap() - 553.0).abs() < 5.0 && ratings[2].upper.is_none(), "{ratings:?}");
}

/// Players of [`round_robin`].
const PLAYERS: usize = 8;

/// A round robin with two games per pair and round, from the points of each pair's first player in a round, 0 to 4 half
/// points.
fn round_robin(points: &[Vec<u8>]) -> Vec<PoolResult> {
    let pairs = (0..PLAYERS).flat_map(|first| (first + 1..PLAYERS).map(move |second| (first, second)));
    pairs
        .zip(points)
        .map(|((first, second), rounds)| {
            let mut standing = Standing::default();
            for (round, &halves) in rounds.iter().enumerate() {
                standing.add(round as u32, halves.div_ceil(2));
                standing.add(round as u32, halves / 2);
            }
            PoolResult { first, second, standing }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever the counts and hypotheses: a number, which is larger the more H1 explains, and its opposite from the other side.
    #[test]
    fn a_test_is_always_a_number(
        counts in prop::array::uniform5(prop_oneof![Just(0), 1_u64..100, 1_u64..1_000_000_000]),
        (elo0, elo1) in (-2000.0_f64..1999.0, -2000.0_f64..2000.0),
        normalized in any::<bool>(),
        alpha in 1e-9_f64..0.5,
    ) {
        prop_assume!(elo1 >= elo0 + 0.01);
        let model = if normalized { SprtModel::Normalized } else { SprtModel::Logistic };
        let test = Sprt { alpha, ..sprt(model, elo0, elo1) };
        let state = test.judge(PairTally(counts));
        prop_assert!([state.log_likelihood_ratio, state.lower, state.upper].iter().all(|number| number.is_finite()), "{state:?}");
        prop_assert!(!serde_json::to_string(&(test, state)).unwrap().replace("\"verdict\":null", "").contains("null"));
        let flipped = sprt(model, -elo1, -elo0).log_likelihood_ratio(PairTally(counts).flipped());
        let size = 1.0 + state.log_likelihood_ratio.abs();
        prop_assert!((state.log_likelihood_ratio + flipped).abs() < 1e-6 * size, "{state:?} {flipped}");
        // Between the hypotheses the ratio adds up.
        let middle = 0.5 * (elo0 + elo1);
        if middle - elo0 >= 0.01 {
            let sum = sprt(model, elo0, middle).log_likelihood_ratio(PairTally(counts))
                + sprt(model, middle, elo1).log_likelihood_ratio(PairTally(counts));
            prop_assert!((state.log_likelihood_ratio - sum).abs() < 1e-6 * size, "{state:?} {sum}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the opponents and results: a rating and each end of its interval are numbers or missing, and never all missing.
    #[test]
    fn a_rating_is_a_number_or_a_bound(
        games in prop::collection::vec((-4000.0_f64..5000.0, 1_u32..2000, 0.0_f64..=1.0), 1..12),
        kind in 0_u8..4,
    ) {
        let observations: Vec<Observation> = games
            .into_iter()
            .map(|(opponent_elo, games, share)| {
                let share = [0.0, 0.5, 1.0, share][usize::from(kind)];
                let points = (2.0 * f64::from(games) * share).round() / 2.0;
                Observation { opponent_elo, games: f64::from(games), points }
            })
            .collect();
        let rating = rate(&observations, 1).unwrap();
        let ends = [rating.elo, rating.lower, rating.upper];
        prop_assert!(ends.iter().flatten().all(|end| end.is_finite()), "{rating:?}");
        prop_assert!(rating.lower.is_some() || rating.upper.is_some(), "{rating:?}");
        let text = serde_json::to_string(&rating).unwrap();
        prop_assert_eq!(text.matches("null").count(), ends.iter().filter(|end| end.is_none()).count());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// If all play the same games, the ratings of the logistic model have the order of the points, wherever the players who
    /// won or lost everything stand.
    #[test]
    fn in_a_round_robin_ratings_follow_points(
        rounds in prop::collection::vec(prop::collection::vec(0_u8..=4, 5), 28),
        winner in 0_usize..8,
        further in 1_usize..8,
    ) {
        let (mut rounds, loser) = (rounds, (winner + further) % PLAYERS);
        let pairs: Vec<(usize, usize)> =
            (0..PLAYERS).flat_map(|first| (first + 1..PLAYERS).map(move |second| (first, second))).collect();
        for (round, &(first, second)) in rounds.iter_mut().zip(&pairs) {
            if first == winner || second == loser {
                round.fill(4);
            } else if second == winner || first == loser {
                round.fill(0);
            }
        }
        let results = round_robin(&rounds);
        let mut points = [0.0; PLAYERS];
        for result in &results {
            let tally = result.standing.games();
            points[result.first] += tally.points();
            points[result.second] += tally.games() as f64 - tally.points();
        }
        let ratings = rate_pool(&[None; PLAYERS], &results, 1);
        prop_assert_eq!(ratings[winner].elo, None);
        for one in 0..PLAYERS {
            for other in 0..PLAYERS {
                if let (Some(first), Some(second)) = (ratings[one].elo, ratings[other].elo)
                    && points[one] > points[other]
                {
                    prop_assert!(first > second, "{:?} points: {} and {} Elo", (points[one], points[other]), first, second);
                }
            }
        }
    }
}
