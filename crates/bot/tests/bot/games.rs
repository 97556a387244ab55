//! Whole games: from the start, from other positions, and after a restart of the bot.

use std::{fs, sync::Arc, thread, time::Duration};

use bot::{Bot, LogEvent, LogObserver, StopRequest, Token};
use chess::Color;
use serde_json::json;

use crate::{
    double::{GameRules, Lichess},
    stage::{Movers, Running, TOKEN, quick, reported},
};

#[test]
fn a_whole_game_is_played_said_farewell_to_and_kept() {
    let lichess = Lichess::start();
    lichess.house("Anna", 400);
    let mut running = Running::start(&lichess, "", quick());
    let id = lichess.invite("Anna");
    let finished = lichess.finished(&id);
    assert!(["mate", "draw", "resign"].contains(&finished.status), "no forfeit: {finished:?}");
    reported(&running, "is over");
    let log = running.end();
    let chat = lichess.state().games[&id].chat.clone();
    assert!(chat[0].1.starts_with("Good luck, Anna!") && chat[1].1.contains("Thank you"), "{chat:?}");
    let pgn = fs::read_to_string(running.folder.path().join(format!("{id}.pgn"))).unwrap();
    for expected in
        ["[White \"", "[WhiteElo \"2000\"]", "[TimeControl \"60+1\"]", "Casual blitz game", "[%eval "]
    {
        assert!(pgn.contains(expected), "{expected} is missing in {pgn}");
    }
    assert!(pgn.contains(&format!("[Termination \"{}\"]", finished.status)), "{pgn}");
    assert!(log.contains("accepted") && lichess.state().violations.is_empty(), "{log}");
}

/// The end of the game reached only the stream of the account, and the game was not kept.
#[test]
fn a_game_whose_own_stream_is_lost_is_kept_with_its_end() {
    let lichess = Lichess::start();
    lichess.account("Berta", "lip_OtherSecret", None);
    let mut running = Running::start(&lichess, "", quick());
    // The first challenger is White.
    let id = lichess.begin("Berta");
    lichess.play(&id, "e2e4", 2);
    {
        let mut state = lichess.state();
        state.refused = vec![("/api/bot/game/stream/", 503)];
        let game = state.games.get_mut(&id).unwrap();
        game.listeners.clear();
        game.end("resign", Some(Color::Black));
    }
    reported(&running, "is over");
    running.end();
    let pgn = fs::read_to_string(running.folder.path().join(format!("{id}.pgn"))).unwrap();
    for expected in ["[Result \"0-1\"]", "[Termination \"resign\"]", "1. e4"] {
        assert!(pgn.contains(expected), "{expected} is missing in {pgn}");
    }
}

#[test]
fn other_positions_and_chess960_are_played_by_their_rules() {
    let lichess = Lichess::start();
    lichess.house("Anna", 30);
    let mut running = Running::start(&lichess, "[games]\nconcurrent = 2", quick());
    let shuffled = "bqnb1rkr/pppppppp/5n2/8/8/5N2/PPPPPPPP/BQNB1RKR w HFhf - 2 2";
    let games = [
        GameRules { variant: "chess960", fen: shuffled.into(), ..GameRules::default() },
        GameRules {
            variant: "fromPosition",
            fen: "4k3/pppp4/8/8/8/8/PPPP4/4K3 b - - 0 1".into(),
            ..GameRules::default()
        },
    ];
    let ids = games.map(|rules| lichess.challenge("Anna", "Tabiya", rules, &json!({})));
    for id in &ids {
        let finished = lichess.finished(id);
        assert!(
            finished.plies >= 20 || finished.status == "mate" || finished.status == "draw",
            "{finished:?}"
        );
    }
    reported(&running, "is over");
    let log = running.end();
    assert!(!log.contains("left out") && !log.contains("no answer"), "{log}");
    let pgn = fs::read_to_string(running.folder.path().join(format!("{}.pgn", ids[0]))).unwrap();
    assert!(pgn.contains("[Variant \"Chess960\"]") && pgn.contains(&shuffled[..40]), "{pgn}");
}

#[test]
fn a_game_that_cannot_be_played_is_given_up_at_once() {
    let lichess = Lichess::start();
    lichess.house("Nemesis", 100);
    let mut running = Running::start(&lichess, "", quick());
    let id = lichess.invite("Nemesis");
    assert!(["aborted", "resign"].contains(&lichess.finished(&id).status));
    assert!(running.end().contains("no engine for this opponent"));
}

#[test]
fn a_search_that_panics_is_reported_and_replaced() {
    let lichess = Lichess::start();
    lichess.house("Trickster", 40);
    let mut running = Running::start(&lichess, "", quick());
    let id = lichess.invite("Trickster");
    assert!(["mate", "draw", "resign"].contains(&lichess.finished(&id).status));
    reported(&running, "is over");
    let log = running.end();
    assert!(log.contains("no move: the search panicked: no way out of a loop"), "{log}");
}

#[test]
fn a_bot_that_starts_again_goes_on_with_its_games() {
    let lichess = Lichess::start();
    lichess.house("Anna", 40);
    let mut first = Running::start(&lichess, "", Movers(0.5, Duration::from_millis(40)));
    let id = lichess.invite("Anna");
    lichess.wait("some moves", |state| state.games.get(&id).filter(|game| game.game.ply() >= 4).map(drop));
    // The first request lets the game finish, the second leaves at once.
    first.stop.ask();
    first.end();
    assert!(lichess.state().games[&id].is_running());
    let mut second = Running::start(&lichess, "", quick());
    assert_eq!(lichess.finished(&id).status, "resign");
    let log = second.end();
    assert!(!log.contains("Good luck"), "nobody is greeted in the middle of a game: {log}");
}

/// Asks a bot to end as soon as it has accepted a challenge.
struct Stopper(StopRequest);

impl LogObserver for Stopper {
    fn report(&self, event: &LogEvent) {
        if matches!(event, LogEvent::Accepted { .. }) {
            self.0.ask();
        }
    }
}

/// The bot ended at once, and its clock ran out.
#[test]
fn a_game_is_played_whose_challenge_was_accepted_before_the_bot_was_asked_to_end() {
    let lichess = Lichess::start();
    lichess.house("Anna", 12);
    lichess.account("Tabiya", TOKEN, Some("BOT"));
    let (folder, stop) = (tempfile::tempdir().unwrap(), StopRequest::default());
    let (settings, token) =
        (Running::settings(&lichess, "", folder.path()), Token::parse(TOKEN, "test").unwrap());
    let observer = Arc::new(Stopper(stop.clone()));
    let bot = Bot::connect(settings, token, Arc::new(quick()), observer).unwrap();
    let running = thread::spawn(move || bot.run(&stop));
    lichess.opened("events", 1);
    let id = lichess.invite("Anna");
    assert_eq!(lichess.finished(&id).status, "resign");
    running.join().unwrap().unwrap();
}
