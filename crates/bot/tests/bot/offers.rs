//! Draws, takebacks, resignation, and absent opponents.

use std::{thread, time::Duration};

use chess::{Color, Game};
use serde_json::json;

use crate::{
    double::{Lichess, ServerGame},
    stage::{Movers, Running, quick},
};

#[test]
fn draws_and_takebacks_are_answered_and_lost_games_resigned() {
    let lichess = Lichess::start();
    lichess.account("Berta", "lip_OtherSecret", None);
    let rules = "[draws]\nfrom_move = 2\nmoves = 1\n[resignation]\nenabled = true\nfrom_move = 1\nmoves = 2\nscore = 0.1";
    let mut running = Running::start(&lichess, rules, quick());
    // Berta is White in games with odd numbers; her moves are made here.
    let id = lichess.begin("Berta");
    lichess.play(&id, "e2e4", 2);
    let game = |act: &dyn Fn(&mut ServerGame)| act(lichess.state().games.get_mut(&id).unwrap());
    game(&|game| game.takeback("Berta", true));
    lichess.wait("the takeback's refusal", |state| (!state.games[&id].takeback_is_open()).then_some(()));
    assert_eq!(lichess.state().games[&id].game.ply(), 2, "nothing was taken back");
    let free = |game: &Game| game.legal_moves()[0].to_uci(game.castling_mode()).to_string();
    let next = free(&lichess.state().games[&id].game);
    lichess.play(&id, &next, 4);
    // Level from move 2 on, so our third move offers a draw; hers is accepted.
    game(&|game| game.draw("Berta", true));
    assert_eq!(lichess.finished(&id).status, "draw");
    running.end();

    let lichess = Lichess::start();
    lichess.house("Anna", 400);
    let mut lost = Running::start(&lichess, rules, Movers(0.05, Duration::ZERO));
    let id = lichess.invite("Anna");
    let finished = lichess.finished(&id);
    assert_eq!((finished.status, finished.winner), ("resign", Some(Color::White)), "{finished:?}");
    assert!(finished.plies <= 4, "{finished:?}");
    lost.end();
}

#[test]
fn takebacks_are_granted_where_the_configuration_says_so() {
    let lichess = Lichess::start();
    lichess.account("Berta", "lip_OtherSecret", None);
    let mut running = Running::start(&lichess, "[games]\ntakebacks = true", quick());
    let id = lichess.begin("Berta");
    // The game continues from there, also with the move that was taken back.
    for uci in ["e2e4", "e2e4", "d2d4"] {
        lichess.play(&id, uci, 2);
        lichess.state().games.get_mut(&id).unwrap().takeback("Berta", true);
        lichess.wait("the takeback", |state| (state.games[&id].game.ply() == 0).then_some(()));
    }
    lichess.state().games.get_mut(&id).unwrap().end("resign", Some(Color::Black));
    running.end();
}

#[test]
fn who_does_not_begin_is_aborted_and_who_leaves_loses() {
    let lichess = Lichess::start();
    lichess.account("Berta", "lip_OtherSecret", None);
    let mut running = Running::start(&lichess, "[games]\nabort_after = 1", quick());
    let id = lichess.invite("Berta");
    assert_eq!(lichess.finished(&id).status, "aborted");
    let id = lichess.invite("Berta");
    lichess
        .wait("our first move", |state| state.games.get(&id).filter(|game| game.game.ply() == 1).map(drop));
    lichess.play(&id, "a7a6", 3);
    let gone = |gone: bool| json!({"type": "opponentGone", "gone": gone, "claimWinInSeconds": 1}).to_string();
    let tell = |line: &str| lichess.state().games.get_mut(&id).unwrap().tell(line);
    tell(&gone(true));
    tell(&gone(false));
    thread::sleep(Duration::from_millis(1500));
    assert!(lichess.state().games[&id].is_running(), "the opponent came back");
    tell(&gone(true));
    let finished = lichess.finished(&id);
    assert_eq!((finished.status, finished.winner), ("timeout", Some(Color::White)));
    running.end();
}
