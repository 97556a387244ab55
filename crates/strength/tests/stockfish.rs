//! Real engines: Stockfish if it is installed, and programs that are not engines.

use std::time::Duration;

use chess::{Limits, StopSignal};
use protocol::process::UciProcessConfig;
use strength::{
    Contestant, Match, MatchSettings, OpeningBook, Pace, Player, PlayerError,
    matches::TerminationKind,
    player::{RANDOM, UciPlayer, laws::check},
    statistics::elo_from_pairs,
};

/// Found where the library looks for it: in the search path or in /usr/games.
const STOCKFISH: &str = "stockfish";

fn engine(config: UciProcessConfig) -> impl Fn() -> Result<Box<dyn Player>, PlayerError> + Send + Sync {
    move || Ok(Box::new(UciPlayer::start(&config)?))
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

#[test]
fn a_missing_engine_does_not_start() {
    let error = UciPlayer::start(&UciProcessConfig::new("no-such-engine")).unwrap_err();
    assert!(matches!(error, PlayerError::Start { .. }), "{error}");
    assert!(error.to_string().contains("no-such-engine"), "{error}");
}

#[test]
fn a_program_that_is_no_engine_does_not_start() {
    let error = UciPlayer::start(&UciProcessConfig::new("true")).unwrap_err();
    assert!(matches!(error, PlayerError::Start { .. }), "{error}");
}

#[test]
#[ignore = "needs Stockfish"]
fn stockfish_obeys_the_laws() {
    check(&engine(UciProcessConfig::new(STOCKFISH)), &nodes(2_000)).unwrap();
}

#[test]
#[ignore = "needs Stockfish"]
fn stockfish_options_are_checked_against_what_it_declares() {
    let config = |name: &str, value: &str| UciProcessConfig::new(STOCKFISH).option(name, value);
    let unknown = UciPlayer::start(&config("UCI_Elos", "1500")).unwrap_err().to_string();
    assert!(unknown.contains("no option \"UCI_Elos\"") && unknown.contains("UCI_LimitStrength"), "{unknown}");
    let range = UciPlayer::start(&config("UCI_Elo", "900")).unwrap_err().to_string();
    assert!(range.contains("1350") && range.contains("900"), "{range}");
}

#[test]
#[ignore = "needs Stockfish"]
fn stockfish_beats_a_random_mover_with_real_mates() {
    let pace = Pace { nodes: Some(5_000), ..Pace::default() };
    let planned = Match {
        contestants: [
            Contestant::new("stockfish", engine(UciProcessConfig::new(STOCKFISH))).with_pace(pace),
            Contestant::new("random", || Ok(RANDOM.build())),
        ],
        openings: OpeningBook::balanced(1).unwrap(),
        settings: MatchSettings { games: 10, concurrency: 2, ..MatchSettings::default() },
    };
    let summary = planned.play(&StopSignal::default(), &mut |record, _| {
        let evaluated = record.played.iter().filter(|played| played.info.score.is_some()).count();
        assert!(evaluated * 2 + 1 >= record.played.len(), "every move of the engine has its evaluation");
        Ok(())
    });
    let summary = summary.unwrap();
    assert_eq!(summary.standing.games().wins, 10);
    assert_eq!(
        summary.terminations.keys().map(|(kind, _)| *kind).collect::<Vec<_>>(),
        [TerminationKind::Checkmate]
    );
    assert!(summary.names[0].starts_with("Stockfish"));
    assert_eq!(elo_from_pairs(summary.standing.pairs()).unwrap().elo, None, "a bound, no rating");
}

#[test]
#[ignore = "needs Stockfish"]
fn stockfish_plays_by_the_clock() {
    let pace = Pace { clock: Some("0.5+0.01".parse().unwrap()), ..Pace::default() };
    let player = || {
        Contestant::new("stockfish", engine(UciProcessConfig::new(STOCKFISH).option("Move Overhead", "30")))
            .with_pace(pace)
    };
    let planned = Match {
        contestants: [player(), player()],
        openings: OpeningBook::balanced(2).unwrap(),
        settings: MatchSettings {
            games: 2,
            time_margin: Duration::from_millis(500),
            ..MatchSettings::default()
        },
    };
    let summary = planned.play(&StopSignal::default(), &mut |_, _| Ok(())).unwrap();
    assert_eq!(summary.games.len(), 2);
    assert!(summary.terminations.keys().all(|(kind, _)| !kind.is_failure()), "{:?}", summary.terminations);
}
