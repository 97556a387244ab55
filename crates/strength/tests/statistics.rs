//! The statistics against known numbers, laws that hold for all results, and what fastchess printed.

use proptest::prelude::{Just, ProptestConfig, Strategy, prop, prop_assert, prop_oneof, proptest};
use strength::statistics::{
    EloEstimate, IntervalMethod, PairTally, Standing, Tally, elo_from_games, elo_from_pairs,
    elo_from_standing, normalized_elo, score_to_elo,
};

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: found {found}, expected {expected}");
}

fn games(wins: u64, draws: u64, losses: u64) -> EloEstimate {
    elo_from_games(Tally { wins, draws, losses }).expect("the test plays games")
}

#[test]
fn elo_of_a_score() {
    close(score_to_elo(0.5), 0.0, 1e-12, "even");
    close(score_to_elo(10.0 / 11.0), 400.0, 1e-9, "ten to one is 400 by definition");
    close(score_to_elo(0.75), 190.848_501_887_864_98, 1e-9, "three quarters");
    assert_eq!(score_to_elo(1.0), f64::INFINITY);
    assert_eq!(score_to_elo(0.0), f64::NEG_INFINITY);
}

#[test]
fn nothing_played_is_nothing_known() {
    assert_eq!(elo_from_games(Tally::default()), None);
    assert_eq!(elo_from_pairs(PairTally::default()), None);
    assert_eq!(normalized_elo(PairTally::default()), None);
    assert_eq!(normalized_elo(PairTally([0, 0, 9, 0, 0])), None);
}

#[test]
fn s1_k12_none_of_five_is_an_upper_bound() {
    let none = games(0, 0, 5);
    assert_eq!((none.elo, none.lower, none.method), (None, None, IntervalMethod::OneSided));
    // The largest share of points at which five losses still have a probability of 5 %: 1 - 0.05^(1/5).
    close(none.upper.unwrap(), score_to_elo(1.0 - 0.05_f64.powf(0.2)), 1e-6, "bound");
    close(none.superiority, 1.0 / 64.0, 1e-9, "2^-6 after a uniform prior");
}

#[test]
fn all_of_a_hundred_is_a_lower_bound() {
    for all in [games(100, 0, 0), elo_from_pairs(PairTally([0, 0, 0, 0, 50])).unwrap()] {
        assert_eq!((all.elo, all.upper, all.method), (None, None, IntervalMethod::OneSided));
        close(all.lower.unwrap(), score_to_elo(0.05_f64.powf(0.01)), 1e-6, "bound");
    }
}

#[test]
fn equal_pairs_are_not_certainty() {
    let estimate = elo_from_pairs(PairTally([0, 0, 0, 20, 0])).unwrap();
    assert_eq!(estimate.method, IntervalMethod::GamesExact);
    assert!(estimate.lower.unwrap() + 50.0 < estimate.elo.unwrap());
}

#[test]
fn a_match_is_judged_by_pairs_or_exactly_by_all_its_games() {
    let standing = |results: &[u8]| {
        let mut standing = Standing::default();
        for (game, &half_points) in results.iter().enumerate() {
            standing.add(game as u32 / 2, half_points);
        }
        elo_from_standing(&standing)
    };
    assert_eq!(standing(&[]), None);
    assert_eq!(standing(&[2]).unwrap().method, IntervalMethod::OneSided);
    let all_won = standing(&[2; 49]).unwrap();
    assert_eq!((all_won.method, all_won.games), (IntervalMethod::OneSided, 49), "the open pair counts");
    let alike = standing(&[2, 1].repeat(20)).unwrap();
    assert_eq!((alike.method, alike.games), (IntervalMethod::GamesExact, 40));
    let mixed = standing(&[2, 1, 0, 0, 2, 2, 1, 1].repeat(6)).unwrap();
    assert_eq!(mixed.method, IntervalMethod::PairsNormal);
}

/// For a hundred thousand games won the inverse of the Beta distribution did not end.
#[test]
fn clean_scores_of_any_length_have_a_bound() {
    for number in [1, 10, 1000, 100_000, 10_000_000, 1_000_000_000_u64] {
        let won = games(number, 0, 0);
        let expected = score_to_elo(0.05_f64.powf(1.0 / number as f64));
        close(won.lower.unwrap(), expected, 1e-4 * expected.abs() + 1e-3, "a bound of one-sided 95 %");
        let drawn = games(0, number, 0);
        assert!(drawn.lower.unwrap() < 0.0 && drawn.upper.unwrap() > 0.0, "{drawn:?}");
        close(drawn.superiority, 0.5, 1e-9, "even");
    }
}

#[test]
fn clopper_pearson_known_answer() {
    // 8 of 10: 0.4439 to 0.9748, the textbook interval.
    let estimate = elo_from_games(Tally { wins: 8, draws: 0, losses: 2 }).unwrap();
    assert_eq!(estimate.method, IntervalMethod::GamesExact);
    close(estimate.lower.unwrap(), score_to_elo(0.443_904_5), 0.01, "lower");
    close(estimate.upper.unwrap(), score_to_elo(0.974_789_3), 0.01, "upper");
}

/// Counts of any size that a match can have, many of them none.
fn count() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0u64..400, 1 => Just(0), 1 => 0u64..1_000_000_000]
}

fn tallies() -> impl Strategy<Value = Tally> {
    (count(), count(), count())
        .prop_map(|(wins, draws, losses)| Tally { wins, draws, losses })
        .prop_filter("needs a game", |tally| tally.games() > 0)
}

fn pair_tallies() -> impl Strategy<Value = PairTally> {
    prop::array::uniform5(count()).prop_map(PairTally).prop_filter("needs a pair", |pairs| pairs.pairs() > 0)
}

fn mirrored(one: EloEstimate, other: EloEstimate) -> bool {
    let opposite = |a: Option<f64>, b: Option<f64>| match (a, b) {
        // A score near 1 has lost the digits in which it differs from 1.
        (Some(a), Some(b)) => (a + b).abs() < 1e-6 + 1e-13 * 10f64.powf(a.abs() / 400.0),
        (None, None) => true,
        _ => false,
    };
    opposite(one.elo, other.elo)
        && opposite(one.lower, other.upper)
        && opposite(one.upper, other.lower)
        && (one.superiority + other.superiority - 1.0).abs() < 1e-7
        && one.method == other.method
}

fn sound(estimate: EloEstimate) -> bool {
    let inside = estimate.elo.is_none_or(|elo| {
        estimate.lower.is_some_and(|lower| lower < elo) && estimate.upper.is_some_and(|upper| elo < upper)
    });
    let some_end = estimate.lower.is_some() || estimate.upper.is_some();
    let finite = [estimate.elo, estimate.lower, estimate.upper].iter().flatten().all(|elo| elo.is_finite());
    inside && some_end && finite && (0.0..=1.0).contains(&estimate.superiority)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn games_are_antisymmetric_and_sound(tally in tallies()) {
        let estimate = elo_from_games(tally).unwrap();
        prop_assert!(mirrored(estimate, elo_from_games(tally.flipped()).unwrap()), "{estimate:?}");
        prop_assert!(sound(estimate), "{estimate:?}");
    }

    #[test]
    fn pairs_are_antisymmetric_and_sound(pairs in pair_tallies()) {
        let estimate = elo_from_pairs(pairs).unwrap();
        prop_assert!(mirrored(estimate, elo_from_pairs(pairs.flipped()).unwrap()), "{estimate:?}");
        prop_assert!(sound(estimate), "{estimate:?}");
    }

    #[test]
    fn a_win_for_a_loss_is_more_elo(tally in tallies()) {
        if tally.losses > 0 {
            let better = Tally { wins: tally.wins + 1, losses: tally.losses - 1, ..tally };
            let (before, after) = (elo_from_games(tally).unwrap(), elo_from_games(better).unwrap());
            prop_assert!(after.score > before.score);
            prop_assert!(after.elo.unwrap_or(f64::INFINITY) > before.elo.unwrap_or(f64::NEG_INFINITY));
        }
    }

    #[test]
    fn ten_times_the_games_narrow_the_interval(tally in tallies()) {
        let more = Tally { wins: tally.wins * 10, draws: tally.draws * 10, losses: tally.losses * 10 };
        let width = |estimate: EloEstimate| {
            estimate.upper.unwrap_or(f64::INFINITY) - estimate.lower.unwrap_or(f64::NEG_INFINITY)
        };
        let (before, after) = (elo_from_games(tally).unwrap(), elo_from_games(more).unwrap());
        prop_assert!(width(after) < width(before) || before.elo.is_none(), "{before:?} {after:?}");
    }
}

/// Every result that fastchess printed, to its printed digits; where it printed nan, the result here must be exact and
/// bounded.
#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_fastchess_elo() {
    let root = std::env::var("TABIYA_DATA").expect("TABIYA_DATA names the data folder");
    let path = std::path::Path::new(&root).join("stats/fastchess-elo.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let table: serde_json::Value = serde_json::from_str(&text).unwrap();
    let cases = table["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 15);
    for case in cases {
        let mut counts = [0; 5];
        for (count, value) in counts.iter_mut().zip(case["pentanomial"].as_array().unwrap()) {
            *count = value.as_u64().unwrap();
        }
        let pairs = PairTally(counts);
        let estimate = elo_from_pairs(pairs).unwrap();
        close(estimate.elo.unwrap(), case["elo"].as_f64().unwrap(), 0.005_01, "elo");
        match case["elo_error"].as_f64() {
            Some(error) => {
                assert_eq!(estimate.method, IntervalMethod::PairsNormal, "{case}");
                let half = 0.5 * (estimate.upper.unwrap() - estimate.lower.unwrap());
                close(half, error, 0.005_01, "elo_error");
                close(100.0 * estimate.superiority, case["los_percent"].as_f64().unwrap(), 0.005_01, "los");
            }
            None => assert_eq!(estimate.method, IntervalMethod::GamesExact, "{case}"),
        }
        let normalized = normalized_elo(pairs).unwrap();
        close(normalized.elo, case["normalized_elo"].as_f64().unwrap(), 0.005_01, "normalized");
        close(normalized.error, case["normalized_elo_error"].as_f64().unwrap(), 0.005_01, "normalized error");
    }
}
