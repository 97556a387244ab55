//! Engines in separate processes: the laws of players on a script that knows their positions, and one that is slow.
#![cfg(unix)]

use std::time::Duration;

use crate::{engine, material_engine};

use chess::{CastlingMode, Game, Limits, StopSignal};
use protocol::process::{Timeouts, UciProcessConfig};
use strength::{
    Contestant, Match, MatchSettings, OpeningBook, Pace, Player,
    matches::{Adjudication, TerminationKind},
    player::{
        RANDOM, UciPlayer,
        laws::{POSITIONS, check},
    },
};

#[test]
fn an_engine_obeys_the_laws_of_players() {
    let games = POSITIONS.map(|fen| Game::from_fen(fen, CastlingMode::Standard).unwrap());
    let folder = tempfile::tempdir().unwrap();
    material_engine::material_engine(folder.path(), "counts", &games);
    let config = UciProcessConfig::new(folder.path().join("counts").display().to_string());
    let factory = move || Ok(Box::new(UciPlayer::start(&config)?) as Box<dyn Player>);
    let limits = Limits { depth: Some(1), ..Limits::default() };
    check(&factory, &limits).unwrap();
}

/// An engine lost after ten minutes, the time of its process, in a match that would have waited for an hour.
#[test]
fn a_match_waits_for_an_engine_as_long_as_its_patience() {
    let folder = tempfile::tempdir().unwrap();
    // One move of each side: e2e4, or e7e5 after whatever White has played.
    let go = "sleep 0.2; case $position in *moves*) echo bestmove e7e5;; *) echo bestmove e2e4;; esac";
    engine::engine(folder.path(), "slow", &[], go);
    let config = UciProcessConfig {
        timeouts: Timeouts { search: Duration::from_millis(1), ..Timeouts::default() },
        ..UciProcessConfig::new(folder.path().join("slow").display().to_string())
    };
    let slow = Contestant::new("slow", move || Ok(Box::new(UciPlayer::start(&config)?)));
    let played = Match {
        contestants: [
            slow.with_pace(Pace { nodes: Some(1), ..Pace::default() }),
            Contestant::new("random", || Ok(RANDOM.build())),
        ],
        openings: OpeningBook::start_position(),
        settings: MatchSettings {
            games: 2,
            adjudication: Adjudication { max_moves: Some(1), ..Adjudication::default() },
            ..MatchSettings::default()
        },
    };
    let summary = played.play(&StopSignal::default(), &mut |_, _| Ok(())).unwrap();
    assert_eq!(summary.terminations[&(TerminationKind::MaximalLength, None)], 2, "{summary:?}");
}
