//! Challenges: incoming ones, and those that the bot sends.

use std::{thread, time::Duration};

use chess::Color;
use serde_json::json;

use crate::{
    double::{GameRules, Lichess},
    stage::{Movers, Running, quick, reported},
};

#[test]
fn challenges_are_taken_declined_and_queued_by_the_configuration() {
    let lichess = Lichess::start();
    lichess.house("Anna", 6);
    let mut running = Running::start(
        &lichess,
        "[challenges]\nrated = false\nqueue = 1",
        Movers(0.5, Duration::from_millis(60)),
    );
    let rules = GameRules::default;
    let declined = |change: serde_json::Value, reason: &str| {
        let id = lichess.challenge("Anna", "Tabiya", rules(), &change);
        let found =
            lichess.wait("an answer", |state| state.declined.iter().find(|(other, _)| *other == id).cloned());
        assert_eq!(found.1, reason, "{change}");
    };
    declined(json!({"rated": true}), "casual");
    declined(json!({"variant": {"key": "atomic"}}), "variant");
    declined(
        json!({"timeControl": {"type": "correspondence", "daysPerTurn": 3}, "speed": "correspondence"}),
        "timeControl",
    );
    declined(json!({"timeControl": {"type": "unlimited"}, "speed": "correspondence"}), "timeControl");
    declined(json!({"timeControl": {"type": "clock", "limit": 7200, "increment": 0}}), "tooSlow");
    let ids: Vec<String> = (0..3).map(|_| lichess.challenge("Anna", "Tabiya", rules(), &json!({}))).collect();
    // The first is played, the second waits, the third is one too many.
    let third =
        lichess.wait("an answer", |state| state.declined.iter().find(|(id, _)| *id == ids[2]).cloned());
    assert_eq!(third.1, "later");
    for id in &ids[..2] {
        assert_eq!(lichess.finished(id).status, "resign");
    }
    running.end();
    assert!(lichess.state().violations.is_empty(), "{:?}", lichess.state().violations);
}

#[test]
fn others_are_challenged_only_where_it_is_asked_for() {
    let lichess = Lichess::start();
    lichess.house("Anna", 4);
    let matchmaking = "[matchmaking]\nenabled = true\nopponents = [\"Anna\"]\nidle_minutes = 0.0";
    let mut running = Running::start(&lichess, matchmaking, quick());
    lichess.wait("two games", |state| {
        (state.games.values().filter(|game| !game.is_running()).count() >= 2).then_some(())
    });
    assert!(running.end().contains("challenged Anna"));
}

/// Berta leaves every challenge open.
fn challenging_berta(lichess: &Lichess) -> Running {
    lichess.account("Berta", "lip_OtherSecret", None);
    let matchmaking = "[matchmaking]\nenabled = true\nopponents = [\"Berta\"]\nidle_minutes = 0.0";
    let running = Running::start(lichess, matchmaking, quick());
    reported(&running, "challenged Berta");
    running
}

/// A challenge that was accepted after the bot had ended became a game that the bot lost on time.
#[test]
fn an_open_challenge_is_withdrawn_when_the_bot_ends() {
    let lichess = Lichess::start();
    let mut running = challenging_berta(&lichess);
    running.end();
    assert_eq!(lichess.state().open_challenges("Tabiya"), 0);
}

/// The bot accepted a challenge while its own was open, and then played two games with a place for one.
#[test]
fn an_open_challenge_is_withdrawn_for_one_that_waits() {
    let lichess = Lichess::start();
    let mut running = challenging_berta(&lichess);
    lichess.account("Carl", "lip_ThirdSecret", None);
    let id = lichess.begin("Carl");
    assert_eq!(lichess.state().open_challenges("Tabiya"), 0);
    // Longer than a challenge is left open: with `idle_minutes = 0` the next one was sent during the game.
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(lichess.state().open_challenges("Tabiya"), 0);
    lichess.state().games.get_mut(&id).unwrap().end("resign", Some(Color::Black));
    let log = running.end();
    assert!(lichess.state().violations.is_empty(), "{:?}\n{log}", lichess.state().violations);
}
