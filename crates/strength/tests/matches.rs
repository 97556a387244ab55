//! Matches between scripted players: bookkeeping, fairness, determinism and every kind of failure.

use std::{
    io,
    sync::{Arc, atomic::AtomicUsize, atomic::Ordering},
    time::{Duration, Instant},
};

use chess::{
    CastlingMode, Color, Game, Limits, Position as _, StopSignal, TableResult, pgn::PgnResult,
    shakmaty::uci::UciMove,
};
use strength::{
    Choice, Contestant, Match, MatchGame, MatchSettings, MatchSummary, MoveInfo, OpeningBook, Pace, Player,
    PlayerError,
    matches::{
        Adjudication, ClockSetting, ContestantConditions, EarlyEnd, EndgameTable, GameSummary,
        MatchConditions, MatchError, MatchReport, Side, TerminationKind,
    },
    player::{MATERIAL, RANDOM},
    statistics::{Sprt, SprtModel},
};

/// Behaviour of a scripted player.
#[derive(Clone, Copy)]
enum Script {
    /// Plays these moves from the start position, by half-move of the game.
    Moves(&'static [&'static str]),
    /// Plays a move that is legal only in the start position.
    Illegal,
    Panic,
    /// Returns the error of a player whose process ended.
    Crash,
    /// Waits until stopped, then answers.
    Slow,
    /// Takes this long, then answers.
    Takes(Duration),
}

struct Scripted(Script);

impl Player for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn choose(&mut self, game: &Game, _limits: &Limits, stop: &StopSignal) -> Result<Choice, PlayerError> {
        let mut chess_move = game.legal_moves()[0];
        match self.0 {
            Script::Moves(moves) => {
                let written: UciMove = moves[game.ply()].parse().expect("scripts are UCI");
                chess_move = written.to_move(game.position()).expect("scripts are legal");
            }
            Script::Illegal => chess_move = Game::default().legal_moves()[0],
            Script::Panic => panic!("the board is on fire"),
            Script::Crash => {
                return Err(PlayerError::Crashed { player: "scripted".into(), reason: "exit 3".into() });
            }
            Script::Slow => {
                while !stop.is_stopped() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                // The watch looks every 10 ms; a player that obeys at once can still be inside the margin.
                std::thread::sleep(Duration::from_millis(5));
            }
            Script::Takes(time) => std::thread::sleep(time),
        }
        Ok(Choice { chess_move, info: MoveInfo::default() })
    }
}

fn scripted(script: Script) -> Contestant {
    Contestant::new("scripted", move || Ok(Box::new(Scripted(script))))
}

fn random() -> Contestant {
    Contestant::new("random", || Ok(RANDOM.build()))
}

fn material() -> Contestant {
    Contestant::new("material", || Ok(MATERIAL.build()))
}

fn settings(games: u32) -> MatchSettings {
    MatchSettings { games, ..MatchSettings::default() }
}

fn play_match(
    first: Contestant,
    second: Contestant,
    settings: MatchSettings,
) -> (MatchSummary, Vec<MatchGame>) {
    play(&Match { contestants: [first, second], openings: OpeningBook::start_position(), settings })
}

fn play(planned: &Match) -> (MatchSummary, Vec<MatchGame>) {
    let mut records = Vec::new();
    let summary = planned
        .play(&StopSignal::default(), &mut |record, standing| {
            records.push(record.clone());
            assert_eq!(standing.games().games(), records.len() as u64);
            Ok(())
        })
        .expect("the settings are possible");
    (summary, records)
}

/// Wins, draws and losses of the first player.
fn score(summary: &MatchSummary) -> (u64, u64, u64) {
    let games = summary.standing.games();
    (games.wins, games.draws, games.losses)
}

const FOOLS_MATE: &[&str] = &["f2f3", "e7e5", "g2g4", "d8h4"];

#[test]
fn fixed_moves_give_fixed_results() {
    let (summary, records) =
        play_match(scripted(Script::Moves(FOOLS_MATE)), scripted(Script::Moves(FOOLS_MATE)), settings(6));
    assert_eq!(score(&summary), (3, 0, 3));
    assert_eq!(summary.standing.pairs().0, [0, 0, 3, 0, 0]);
    assert_eq!(summary.terminations[&(TerminationKind::Checkmate, Some(Side::First))], 3);
    assert_eq!(summary.terminations[&(TerminationKind::Checkmate, Some(Side::Second))], 3);
    assert_eq!(summary.distinct_games, 1, "the same game six times");
    assert_eq!(summary.timings.map(|timing| timing.moves), [12, 12]);
    assert!(records.iter().all(|record| record.result() == PgnResult::BlackWins && record.played.len() == 4));
    assert!(summary.ended_early.is_none());
}

/// The report of a match whose players have this pace.
fn report(summary: &MatchSummary, pace: Pace) -> MatchReport {
    let player = |name: &str| ContestantConditions::new(name.into(), name.into(), pace, Vec::new());
    let conditions = MatchConditions {
        players: [player("first"), player("second")],
        games: 6,
        openings: "start position".into(),
        different_openings: 1,
        seed: 0,
        concurrency: 1,
        time_margin_ms: 0,
        adjudication: Adjudication::default(),
        endgames: None,
        sprt: None,
        machine: String::new(),
        program: String::new(),
    };
    MatchReport::new(summary, conditions)
}

#[test]
fn won_games_have_a_length() {
    // With Black the second player mates in four half-moves, with White in seven.
    let first = scripted(Script::Moves(&["f2f3", "e7e5", "g2g4", "b8c6", "-", "g8f6"]));
    let second = scripted(Script::Moves(&["e2e4", "e7e5", "d1h5", "d8h4", "f1c4", "-", "h5f7"]));
    let (summary, _) = play_match(first, second, settings(2));
    let report = report(&summary, Pace::default());
    assert_eq!(report.won_plies, [None, Some(5.5)]);
    assert!(report.to_string().contains("half-moves   lost in 5.5 (means)"), "{report}");
}

#[test]
fn time_that_a_player_leaves_unused_is_pointed_out() {
    let (summary, _) =
        play_match(scripted(Script::Moves(FOOLS_MATE)), scripted(Script::Moves(FOOLS_MATE)), settings(6));
    let text = |pace| report(&summary, pace).to_string();
    let long = Pace { move_time: Some(Duration::from_hours(1)), ..Pace::default() };
    assert_eq!(text(long).matches("that is little of the 3600000 ms allowed").count(), 2);
    // A player that is also limited by something else need not take its time.
    assert!(!text(Pace { nodes: Some(1), ..long }).contains("allowed"));
    assert!(!text(Pace::default()).contains("allowed"));
}

#[test]
fn colours_and_openings_are_balanced() {
    let planned = Match {
        contestants: [material(), random()],
        openings: OpeningBook::balanced(9).unwrap(),
        settings: MatchSettings { concurrency: 3, ..settings(40) },
    };
    let (summary, mut records) = play(&planned);
    records.sort_by_key(|record| record.index);
    for (pair, games) in records.chunks(2).enumerate() {
        assert_eq!([games[0].white, games[1].white], [Side::First, Side::Second]);
        assert_eq!(games[0].opening, games[1].opening);
        assert_eq!([games[0].pair, games[1].pair], [pair as u32; 2]);
        let start = |record: &MatchGame| record.game.history()[record.opening_plies].key;
        assert_eq!(start(&games[0]), start(&games[1]));
    }
    let openings: std::collections::HashSet<&str> =
        records.iter().map(|record| record.opening.as_str()).collect();
    assert_eq!(openings.len(), 20);
    assert_eq!(summary.games.len(), 40);
    assert_eq!(summary.standing.pairs().pairs(), 20);
    let counted: u64 = summary.terminations.values().sum();
    assert_eq!(counted, 40);
}

#[test]
fn equal_seeds_give_equal_matches_on_any_number_of_threads() {
    let games = |seed, concurrency| {
        let planned = Match {
            contestants: [random(), material()],
            openings: OpeningBook::random(6, 10, seed).unwrap(),
            settings: MatchSettings { seed, concurrency, ..settings(20) },
        };
        let (_, mut records) = play(&planned);
        records.sort_by_key(|record| record.index);
        records.into_iter().map(|record| record.game.moves().to_vec()).collect::<Vec<_>>()
    };
    let one = games(1, 1);
    assert_eq!(one, games(1, 4));
    assert_ne!(one, games(2, 1));
}

#[test]
fn s1_k13_moves_of_a_record_are_a_legal_game_with_that_end() {
    let (_, records) = play_match(random(), random(), settings(20));
    for record in records {
        let mut game = Game::from_position(record.game.history()[0].position.clone(), CastlingMode::Standard);
        for &chess_move in record.game.moves() {
            assert!(game.outcome().is_none());
            game.play(chess_move).unwrap();
        }
        let outcome = game.outcome().unwrap();
        assert_eq!(outcome.winner, record.termination.loser.map(|loser| !loser));
        assert_eq!(record.opening_plies + record.played.len(), record.game.ply());
    }
}

#[test]
fn illegal_moves_lose() {
    let (summary, records) = play_match(random(), scripted(Script::Illegal), settings(2));
    assert_eq!(score(&summary), (2, 0, 0));
    assert_eq!(summary.terminations[&(TerminationKind::IllegalMove, Some(Side::Second))], 2);
    let detail = records[0].termination.detail.as_deref().unwrap();
    assert!(detail.contains("scripted played") && detail.contains("illegal move"), "{detail}");
}

#[test]
fn crashes_and_panics_lose_and_the_player_is_built_again() {
    for (script, words) in
        [(Script::Panic, "scripted crashed: panicked: the board is on fire"), (Script::Crash, "exit 3")]
    {
        let built = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&built);
        let crasher = Contestant::new("crasher", move || {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Scripted(script)))
        });
        let (summary, records) = play_match(crasher, random(), settings(4));
        assert_eq!(score(&summary), (0, 0, 4));
        assert_eq!(summary.terminations[&(TerminationKind::Crash, Some(Side::First))], 4);
        assert_eq!(built.load(Ordering::Relaxed), 4);
        assert!(records[0].termination.detail.as_deref().unwrap().contains(words));
    }
}

#[test]
fn late_moves_lose_on_time() {
    let pace = Pace { move_time: Some(Duration::from_millis(20)), ..Pace::default() };
    let rules = MatchSettings { time_margin: Duration::from_millis(30), ..settings(2) };
    let (summary, records) = play_match(scripted(Script::Slow).with_pace(pace), random(), rules);
    assert_eq!(score(&summary), (0, 0, 2));
    assert_eq!(summary.terminations[&(TerminationKind::TimeForfeit, Some(Side::First))], 2);
    assert!(records[0].termination.detail.as_deref().unwrap().contains("20 ms allowed"));
}

#[test]
fn clocks_run_out() {
    let pace = Pace { clock: Some("0.3".parse().unwrap()), ..Pace::default() };
    let rules = MatchSettings { time_margin: Duration::ZERO, ..settings(2) };
    let slow = scripted(Script::Takes(Duration::from_millis(120))).with_pace(pace);
    let (summary, records) = play_match(random(), slow, rules);
    assert_eq!(summary.terminations[&(TerminationKind::TimeForfeit, Some(Side::Second))], 2);
    // Two moves of 120 ms fit into 300 ms, a third does not.
    for record in records {
        let color = if record.white == Side::Second { Color::White } else { Color::Black };
        let own = record.game.history()[..record.played.len()]
            .iter()
            .filter(|entry| chess::Position::turn(&entry.position) == color)
            .count();
        assert!((1..=2).contains(&own), "{own}");
    }
}

#[test]
fn a_player_without_time_limit_does_not_hang_the_match() {
    let rules = MatchSettings { patience: Duration::from_millis(50), ..settings(2) };
    let (summary, _) = play_match(random(), scripted(Script::Slow), rules);
    assert_eq!(summary.terminations[&(TerminationKind::Unresponsive, Some(Side::Second))], 2);
}

/// Such a time is beyond what the clock counts: the threads of the match panicked.
#[test]
fn patience_without_end_is_patience() {
    let rules = MatchSettings { patience: Duration::MAX, time_margin: Duration::MAX, ..settings(2) };
    let timed = random().with_pace(Pace { move_time: Some(Duration::MAX), ..Pace::default() });
    let clock = ClockSetting { base: Duration::MAX, increment: Duration::MAX, moves: Some(1) };
    let clocked = random().with_pace(Pace { clock: Some(clock), ..Pace::default() });
    for player in [random(), timed, clocked] {
        let (summary, _) = play_match(random(), player, rules.clone());
        assert_eq!(summary.standing.games().games(), 2);
    }
}

#[test]
fn stopping_keeps_the_finished_games() {
    let stop = StopSignal::default();
    let planned = Match {
        contestants: [random(), random()],
        openings: OpeningBook::start_position(),
        settings: MatchSettings { concurrency: 2, ..settings(10_000) },
    };
    let mut seen = 0;
    let summary = planned
        .play(&stop, &mut |_, _| {
            seen += 1;
            if seen == 5 {
                stop.stop();
            }
            Ok(())
        })
        .unwrap();
    assert!(matches!(summary.ended_early, Some(EarlyEnd::Interrupted)));
    assert_eq!(summary.standing.games().games(), seen);
    assert!((5..10_000).contains(&seen), "{seen}");
}

#[test]
fn stopping_reaches_a_thinking_player() {
    let stop = StopSignal::default();
    let signal = stop.clone();
    let started = Instant::now();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        signal.stop();
    });
    let planned = Match {
        contestants: [scripted(Script::Slow), random()],
        openings: OpeningBook::start_position(),
        settings: settings(2),
    };
    let summary = planned.play(&stop, &mut |_, _| Ok(())).unwrap();
    stopper.join().unwrap();
    assert!(started.elapsed() < Duration::from_mins(1), "patience is two minutes");
    assert_eq!(summary.games.len(), 0);
}

#[test]
fn a_player_that_does_not_start_ends_the_match() {
    let missing = Contestant::new("missing", || {
        Err(PlayerError::Start { player: "missing".into(), reason: "no such file".into() })
    });
    let (summary, _) = play_match(random(), missing, settings(2));
    assert_eq!(summary.ended_early.unwrap().to_string(), "missing did not start: no such file");
}

#[test]
fn a_full_disk_ends_the_match() {
    let planned = Match {
        contestants: [random(), random()],
        openings: OpeningBook::start_position(),
        settings: settings(1_000),
    };
    let mut recorded = 0;
    let summary = planned
        .play(&StopSignal::default(), &mut |_, standing| {
            assert_eq!(standing.games().games(), recorded + 1);
            if recorded == 3 {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            recorded += 1;
            Ok(())
        })
        .unwrap();
    assert!(matches!(summary.ended_early, Some(EarlyEnd::Record(_))));
    let counted = (summary.games.len(), summary.standing.games().games());
    assert_eq!(counted, (3, 3), "only what is recorded counts");
}

#[test]
fn impossible_settings_are_refused() {
    for (settings, expected) in [
        (settings(0), MatchError::Games { games: 0 }),
        (settings(7), MatchError::Games { games: 7 }),
        (MatchSettings { concurrency: 0, ..settings(2) }, MatchError::Concurrency),
    ] {
        let planned =
            Match { contestants: [random(), random()], openings: OpeningBook::start_position(), settings };
        assert_eq!(planned.play(&StopSignal::default(), &mut |_, _| Ok(())).unwrap_err(), expected);
    }
}

#[test]
fn long_games_are_cut_where_asked() {
    let adjudication = Adjudication { max_moves: Some(3), ..Adjudication::default() };
    let (summary, records) = play_match(random(), random(), MatchSettings { adjudication, ..settings(4) });
    assert_eq!(summary.terminations[&(TerminationKind::MaximalLength, None)], 4);
    assert!(records.iter().all(|record| record.game.ply() == 6));
    let adjudication = Adjudication { max_moves: Some(2), ..Adjudication::default() };
    let capture = scripted(Script::Moves(&["e2e4", "d7d5", "e4d5", "g8f6"]));
    let (summary, _) = play_match(capture.clone(), capture, MatchSettings { adjudication, ..settings(2) });
    let for_first: Vec<_> = summary.games.iter().map(|game| game.material).collect();
    assert_eq!(for_first, [1, -1]);
}

#[test]
fn games_are_written_with_names_comments_and_the_reason_of_their_end() {
    let names = ["first".to_string(), "second".to_string()];
    let (_, records) =
        play_match(scripted(Script::Moves(FOOLS_MATE)), scripted(Script::Illegal), settings(2));
    let text = |number: usize| records[number].pgn(&names, std::time::UNIX_EPOCH).to_string();
    let lost_by_black = text(0);
    for line in [
        "[Event \"first against second\"]",
        "[Date \"1970.01.01\"]",
        "[Round \"1.1\"]",
        "[White \"first\"]",
        "[Black \"second\"]",
        "[Result \"1-0\"]",
        "[PlyCount \"1\"]",
        "[Opening \"start position\"]",
        "[Termination \"rules infraction\"]",
    ] {
        assert!(lost_by_black.contains(line), "{line} in {lost_by_black}");
    }
    assert!(lost_by_black.contains("1. f3 { [%emt 0:00:00."), "{lost_by_black}");
    assert!(lost_by_black.ends_with("1-0\n\n"), "{lost_by_black}");
    assert!(text(1).contains("[Round \"1.2\"]\n[White \"second\"]"), "{}", text(1));
}

#[test]
fn a_match_goes_on_from_any_finished_games() {
    let planned = || Match {
        contestants: [random(), material()],
        openings: OpeningBook::random(6, 10, 3).unwrap(),
        settings: MatchSettings { seed: 3, concurrency: 2, ..settings(20) },
    };
    let (whole, _) = play(&planned());
    for kept in [0, 1, 7, 20] {
        // Not only the first ones: with several threads games finish in any order.
        let done: Vec<GameSummary> = whole.games.iter().rev().take(kept).cloned().collect();
        let mut new = 0;
        let resumed = planned()
            .resume(&done, &StopSignal::default(), &mut |_, _| {
                new += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(new, 20 - kept);
        assert_eq!(resumed.names, whole.names, "also where no game is left");
        assert_eq!(resumed.standing, whole.standing);
        assert_eq!(resumed.distinct_games, whole.distinct_games);
        assert_eq!(resumed.terminations, whole.terminations);
        let moves = |summary: &MatchSummary| -> Vec<String> {
            summary.games.iter().map(|game| game.fingerprint.clone()).collect()
        };
        assert_eq!(moves(&resumed), moves(&whole));
    }
    // If the finished games decide the test, no player need have been seated for another one.
    let hasty = Sprt { alpha: 0.45, beta: 0.45, ..Sprt::new(SprtModel::Logistic, 0.0, 300.0).unwrap() };
    for _ in 0..20 {
        let mut decided = planned();
        decided.settings.sprt = Some(hasty);
        let resumed = decided.resume(&whole.games[..18], &StopSignal::default(), &mut |_, _| Ok(())).unwrap();
        assert!(matches!(resumed.ended_early, Some(EarlyEnd::Decided(_))), "{:?}", resumed.ended_early);
        assert_eq!(resumed.names, whole.names);
    }
    let foreign = GameSummary { index: 20, pair: 10, ..whole.games[0].clone() };
    let twice = [whole.games[3].clone(), whole.games[3].clone()];
    for done in [&[foreign][..], &twice] {
        let error = planned().resume(done, &StopSignal::default(), &mut |_, _| Ok(())).unwrap_err();
        assert!(matches!(error, MatchError::Finished { games: 20, .. }), "{error}");
    }
}

#[test]
fn endgame_tables_end_games() {
    // White wins every position with the white king on e2.
    let tables = EndgameTable::new(|game| {
        let king = game.position().board().king_of(Color::White);
        let result = if game.turn() == Color::White { TableResult::Win } else { TableResult::Loss };
        (king == Some(chess::Square::E2)).then_some(result)
    });
    let rules = MatchSettings { endgames: Some(tables), ..settings(2) };
    let walker = scripted(Script::Moves(&["e2e4", "e7e5", "e1e2", "e8e7"]));
    let (summary, records) = play_match(walker.clone(), walker, rules);
    assert_eq!(score(&summary), (1, 0, 1));
    assert!(records.iter().all(|record| record.game.ply() == 3));
    assert_eq!(summary.terminations[&(TerminationKind::EndgameTable, Some(Side::Second))], 1);
    assert!(
        records[0].pgn(&["a".into(), "b".into()], std::time::UNIX_EPOCH).to_string().contains("adjudication")
    );
}
