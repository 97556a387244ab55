use std::cell::RefCell;

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;

use super::*;
use crate::{
    Contestant, MatchSettings, OpeningBook, Pace,
    ladder::LadderPlan,
    matches::{GameSummary, Side, TerminationKind, Timing},
    player::RANDOM,
    statistics::elo_to_score,
    tournament::TournamentFormat,
    tuning::{Spsa, TunedOption},
};

fn rules() -> Rules {
    Rules {
        openings: OpeningBook::BALANCED.into(),
        opening_plies: None,
        settings: MatchSettings::default(),
        endgames: None,
        machine: "a machine".into(),
        program: "a program".into(),
    }
}

fn random(name: &str) -> Entrant {
    let contestant = Contestant::new(name, || Ok(RANDOM.build()));
    Entrant { contestant, specification: name.into(), identity: Vec::new() }
}

/// A finished game that the first player won or lost.
fn game(index: u32, is_won: bool) -> GameSummary {
    GameSummary {
        index,
        pair: index / 2,
        white: Side::First,
        opening: "none".into(),
        result: "*".into(),
        plies: 80,
        termination: TerminationKind::Checkmate,
        loser: Some(if is_won { Side::Second } else { Side::First }),
        detail: None,
        material: 0,
        fingerprint: index.to_string(),
        timings: [Timing::default(); 2],
    }
}

/// Runs a plan without playing: the first player of a round wins with the probability that `score` gives. Returns the
/// rounds.
fn simulate(
    plan: &mut dyn MatchPlan,
    played: &mut PlayedGames,
    score: impl Fn(&Round) -> f64,
) -> Vec<(usize, u32)> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut rounds = Vec::new();
    while let Some(round) = plan.next(played).unwrap() {
        let games = round.next_match.settings.games;
        assert!(games.is_multiple_of(2) && games >= played.begun(round.number));
        rounds.push((round.number, games));
        let expected = score(&round);
        let done = played.0.entry(round.number).or_default();
        for index in done.len() as u32..games {
            done.push(game(index, random.random_bool(expected)));
        }
    }
    rounds
}

fn engine() -> LevelledEngine {
    let levels = (0..16).map(|step| 1350 + 100 * step).collect();
    LevelledEngine { command: "engine".into(), name: "Engine".into(), levels, pace: Pace::default() }
}

/// The engine, with players of these ratings below its lowest level.
fn opponents(weaker: &[u16]) -> Opponents {
    let rated = |&elo: &u16| RatedPlayer {
        name: format!("people {elo}"),
        elo: elo.into(),
        contestant: random(&format!("people {elo}")).contestant,
    };
    let weaker = WeakerPlayers {
        players: weaker.iter().map(rated).collect(),
        conditions: if weaker.is_empty() { String::new() } else { "measured elsewhere".into() },
    };
    Opponents { weaker, engine: engine(), beyond: vec![1000] }
}

/// The rating in a name such as `Engine UCI_Elo 1350`.
fn rating(name: &str) -> f64 {
    name.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{name}"))
}

fn by_rating(round: &Round) -> f64 {
    let [first, second] = round.next_match.contestants.each_ref().map(|contestant| rating(&contestant.name));
    elo_to_score(first - second)
}

#[test]
fn a_tournament_goes_on_where_it_was_stopped() {
    let place = tempfile::tempdir().unwrap();
    let plan = || {
        let players = ["one", "two", "three"].map(random).to_vec();
        Pairings::new(players, TournamentFormat::RoundRobin, rules(), 4).unwrap()
    };
    let setup = json!({"games": 4});
    let run = |name: &str, stop_after: u64| {
        let mut campaign =
            Campaign::in_folder(&place.path().join(name), &FolderKind::MATCH, &setup, Begin::Resume).unwrap();
        let (mut plan, stop) = (plan(), StopSignal::default());
        let end = campaign.play(&mut plan, &stop, &mut |progress| {
            assert_eq!(progress.planned, 12);
            if progress.played >= stop_after {
                stop.stop();
            }
        });
        let fingerprints: Vec<String> =
            campaign.played().all().map(|game| game.fingerprint.clone()).collect();
        (end.unwrap().is_none(), fingerprints, serde_json::to_value(plan.report()).unwrap())
    };
    let (is_whole, whole, report) = run("whole", u64::MAX);
    assert!(is_whole && whole.len() == 12);
    assert_eq!(report["table"].as_array().unwrap().len(), 3);
    let (is_whole, first, _) = run("stopped", 6);
    assert!(!is_whole && (6..12).contains(&first.len()), "{} games", first.len());
    let (is_whole, again, resumed) = run("stopped", u64::MAX);
    assert!(is_whole);
    assert_eq!(again, whole);
    assert_eq!(resumed["table"], report["table"]);
}

#[test]
fn a_match_of_two_has_one_report_and_its_games_are_told_as_they_end() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    let mut campaign = Campaign::new(Some(&pgn)).unwrap();
    let players = vec![random("one"), random("two")];
    let mut plan = Pairings::new(players, TournamentFormat::Gauntlet, rules(), 2).unwrap();
    let told = RefCell::new(Vec::new());
    let end = campaign.play(&mut plan, &StopSignal::default(), &mut |progress| {
        told.borrow_mut().push((progress.begins, progress.played, progress.standing.games().games()));
    });
    assert!(end.unwrap().is_none());
    assert_eq!(*told.borrow(), [(true, 0, 0), (false, 1, 1), (false, 2, 2)]);
    assert_eq!(std::fs::read_to_string(&pgn).unwrap().matches("[Event").count(), 2);
    let Some(PairingsReport::Match(report)) = plan.report() else { panic!("a tournament") };
    assert_eq!(report.games.games(), 2);
    assert_eq!(
        report.conditions.players.each_ref().map(|player| player.specification.as_str()),
        ["one", "two"]
    );
}

#[test]
fn a_climb_that_was_cut_off_anywhere_asks_for_the_same_next_games() {
    let plan = LadderPlan { probe: 10, games: 200, batch: 10 };
    let climb = || Climb::new(random("player 1780"), opponents(&[]), plan, rules());
    let mut played = PlayedGames::default();
    let rounds = simulate(&mut climb(), &mut played, by_rating);
    assert!((200..300).contains(&played.count()), "{}", played.count());
    assert_eq!(rounds[..3], [(0, 10), (1, 10), (2, 10)]);
    let report = climb().report(&played).unwrap().unwrap();
    let found = report.rating.unwrap();
    assert!((found.lower.unwrap()..=found.upper.unwrap()).contains(&1780.0), "{found:?}");
    assert_eq!(report.levels.iter().map(|line| line.games.games()).sum::<u64>(), played.count());
    assert!(report.beyond.is_empty());
    // All games were played by a process that was killed before it wrote the report.
    assert_eq!(report.conditions.players[0].name, "random", "the name that the player gives itself");
    // With any batch half done, a resumed climb begins with the rest of it, for any score of the first half.
    let mut before = PlayedGames::default();
    for &(level, games) in &rounds {
        let done = before.of(level).len();
        for kept in [done + 1, done + 5, done + 9] {
            let mut half = PlayedGames(before.0.clone());
            half.0.insert(level, played.of(level)[..kept].to_vec());
            let round = climb().next(&half).unwrap().unwrap();
            assert_eq!((round.number, round.next_match.settings.games), (level, games), "{kept} games");
        }
        before.0.insert(level, played.of(level)[..games as usize].to_vec());
    }
    assert_eq!(before.count(), played.count());
    let mut master = PlayedGames::default();
    simulate(&mut climb(), &mut master, |_| 1.0);
    assert_eq!(master.of(16).len(), 10, "who wins everything meets the full engine");
}

#[test]
fn a_weak_player_is_rated_below_the_levels_of_the_engine() {
    let plan = LadderPlan { probe: 10, games: 300, batch: 10 };
    let mut climb = Climb::new(random("player 900"), opponents(&[400, 700, 1000, 1200]), plan, rules());
    let mut played = PlayedGames::default();
    let rounds = simulate(&mut climb, &mut played, by_rating);
    // Numbers 0 to 3 are the weaker players, 4 is the lowest level of the engine.
    assert_eq!(rounds[0], (4, 10), "the climb begins at the engine");
    let report = climb.report(&played).unwrap().unwrap();
    let [elo, lower, upper] = report.bounded_rating().unwrap();
    assert!((lower..=upper).contains(&900.0) && upper < 1100.0, "{elo} ({lower} to {upper})");
    let names: Vec<&str> = report.levels.iter().map(|line| line.opponent.as_str()).collect();
    assert!(names.contains(&"people 1000") && names.last() == Some(&"UCI_Elo 1350"), "{names:?}");
    let line = report.conditions_line();
    for part in ["on the scale of Engine UCI_Elo", "against people", "UCI_Elo 1350; openings", "a machine"] {
        assert!(line.contains(part), "{line}");
    }
    let known = &report.conditions.players[1].identity;
    assert!(known.contains(&("people".into(), "measured elsewhere".into())), "{known:?}");
}

#[test]
fn a_calibration_rates_every_setting_and_knows_how_many_games_it_plays() {
    let settings =
        [1200, 1500, 1900, 2300].map(|elo| Contestant::new(format!("setting {elo}"), || Ok(RANDOM.build())));
    let calibration = || Calibration::new(settings.to_vec(), engine(), 80, rules());
    let (mut plan, mut played) = (calibration(), PlayedGames::default());
    let rounds = simulate(&mut plan, &mut played, by_rating);
    assert_eq!(plan.games(), played.count(), "{rounds:?}");
    assert_eq!(rounds[0], (0, 20), "a look at the score before all games against a level");
    let ratings = plan.ratings();
    assert_eq!(ratings.len(), 4);
    for ((rating, games), elo) in ratings.iter().zip([1200.0, 1500.0, 1900.0, 2300.0]) {
        let found = rating.elo.unwrap();
        assert!((found - elo).abs() < 150.0 && *games >= 80, "{found} instead of {elo} in {games} games");
    }
    // The games alone decide: once all of them are played, the same path is taken and nothing is played again.
    let (mut again, count) = (calibration(), played.count());
    let repeated = simulate(&mut again, &mut played, by_rating);
    assert_eq!(played.count(), count);
    assert_eq!(again.ratings(), ratings);
    let numbers = |rounds: &[(usize, u32)]| {
        let mut numbers: Vec<usize> = rounds.iter().map(|&(number, _)| number).collect();
        numbers.dedup();
        numbers
    };
    assert_eq!(numbers(&repeated), numbers(&rounds));
}

#[test]
fn a_tuning_moves_towards_the_better_setting_and_goes_on_after_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let drawing = folder.path().join("tuning.svg");
    let option = TunedOption { name: "CPuct".into(), start: 1.0, min: 0.0, max: 4.0, step: 0.2 };
    let tuning = |drawing: &Path| {
        let spsa = Spsa::new(vec![option.clone()], 60, 0.2, 1).unwrap();
        let make = |side: &str, values: &[f64]| {
            assert!(["first", "second"].contains(&side));
            let name = format!("player {}", values[0]);
            Contestant::new(name, || Ok(RANDOM.build()))
        };
        Tuning::new(spsa, 4, rules(), make, drawing.into()).unwrap()
    };
    // The nearer to 3, the better.
    let score = |round: &Round| {
        let [first, second] =
            round.next_match.contestants.each_ref().map(|contestant| (rating(&contestant.name) - 3.0).abs());
        elo_to_score(400.0 * (second - first))
    };
    let (mut plan, mut played) = (tuning(&drawing), PlayedGames::default());
    assert_eq!(simulate(&mut plan, &mut played, score).len(), 60);
    assert!((plan.spsa().values()[0] - 3.0).abs() < 0.6, "{plan}");
    assert_eq!(plan.games(), played.count());
    assert!(std::fs::read_to_string(&drawing).unwrap().contains("<svg"));
    // With a few iterations done: the path of the values is unchanged.
    let mut some =
        PlayedGames(played.0.iter().take(20).map(|(&number, games)| (number, games.clone())).collect());
    let mut again = tuning(&drawing);
    simulate(&mut again, &mut some, score);
    assert_eq!(again.spsa().path()[..21], plan.spsa().path()[..21]);
    assert_eq!(again.report("default", 0.2)["iterations"], 60);
}
