//! Requests that the server refuses for good: whatever it refuses, the bot ends or leaves the game, and plays the next one.

use std::{thread, time::Duration};

use chess::Color;
use serde_json::json;

use crate::{
    double::{GameRules, Lichess},
    stage::{Running, quick},
};

/// What the opponent does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Opponent {
    /// Never makes the first move.
    Absent,
    /// Makes a move and leaves, which the server says; the clock is long.
    Leaves,
    /// Makes a move and leaves without a word from the server, whose clock is short.
    Flags,
    /// As `Leaves`, in a game without a clock.
    LeavesUntimed,
    /// Is somebody against whom the bot has no engine.
    Nemesis,
    /// Plays on.
    Plays,
}

/// A server that refuses these requests, and how the game ends: "started" if it is left.
const TABLE: [(Opponent, &[&str], &str); 16] = [
    (Opponent::Absent, &[], "aborted"),
    (Opponent::Absent, &["/abort"], "timeout"),
    (Opponent::Absent, &["/abort", "/claim-victory"], "resign"),
    (Opponent::Absent, &["/abort", "/claim-victory", "/resign"], "started"),
    (Opponent::Leaves, &[], "timeout"),
    (Opponent::Flags, &["/claim-victory"], "outoftime"),
    (Opponent::LeavesUntimed, &["/claim-victory"], "started"),
    (Opponent::Nemesis, &[], "aborted"),
    (Opponent::Nemesis, &["/abort"], "resign"),
    (Opponent::Nemesis, &["/abort", "/resign"], "started"),
    (Opponent::Plays, &["/move/"], "aborted"),
    (Opponent::Plays, &["/move/", "/abort"], "resign"),
    (Opponent::Plays, &["/move/", "/abort", "/resign"], "started"),
    (Opponent::Plays, &["/chat", "/draw/", "/takeback/"], "resign"),
    (Opponent::Plays, &["/api/bot/game/stream/"], "aborted"),
    (Opponent::Plays, &["/game0001/accept"], "no game"),
];

fn stuck_then_free(opponent: Opponent, refused: &[&'static str], status: u16, end: &str) {
    let what = format!("{opponent:?}, {refused:?} refused with {status}");
    let lichess = Lichess::start();
    let name = if opponent == Opponent::Nemesis { "Nemesis" } else { "Berta" };
    lichess.account(name, "lip_OtherSecret", None);
    lichess.house("Anna", 6);
    let mut running = Running::start(&lichess, "[games]\nabort_after = 1", quick());
    lichess.state().refused = refused.iter().map(|&part| (part, status)).collect();
    let short = if opponent == Opponent::Flags { 1500 } else { 60_000 };
    let untimed = opponent == Opponent::LeavesUntimed;
    let rules = GameRules { initial_ms: short, increment_ms: 0, untimed, ..GameRules::default() };
    // The first challenger is White.
    let id = lichess.challenge(name, "Tabiya", rules, &json!({}));
    if end != "no game" {
        lichess.wait("the game", |state| state.games.contains_key(&id).then_some(()));
        let game = |act: &mut dyn FnMut(&mut crate::double::ServerGame)| {
            act(lichess.state().games.get_mut(&id).unwrap());
        };
        if !matches!(opponent, Opponent::Absent | Opponent::Nemesis) {
            game(&mut |game| game.play(name, "e2e4", false).unwrap());
        }
        if matches!(opponent, Opponent::Leaves | Opponent::LeavesUntimed) {
            lichess.wait("an answer", |state| (state.games[&id].game.ply() == 2).then_some(()));
            let gone = json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": 0}).to_string();
            game(&mut |game| game.tell(&gone));
        }
        if refused.contains(&"/chat") {
            lichess.wait("an answer", |state| (state.games[&id].game.ply() == 2).then_some(()));
            game(&mut |game| game.draw("Berta", true));
            game(&mut |game| game.takeback("Berta", true));
            game(&mut |game| game.end("resign", Some(Color::Black)));
        }
    }
    // It waits until the first game has ended or was left: the bot plays one game at a time.
    let next = lichess.invite("Anna");
    lichess.wait_or(&|| format!("{what}: the place is not free:\n{}", running.log.text()), |state| {
        let ended = state.games.get(&id).is_some_and(|game| !game.is_running());
        (ended || state.games.contains_key(&next)).then_some(())
    });
    lichess.state().refused.clear();
    let last = lichess.finished_or(&next, &|| format!("{what}: no next game:\n{}", running.log.text()));
    assert!(["resign", "mate", "draw"].contains(&last.status), "{what}: {last:?}");
    let found = lichess.state().games.get(&id).map_or("no game", |game| game.status);
    assert_eq!(found, end, "{what}:\n{}", running.log.text());
    running.end();
}

#[test]
fn no_refusal_keeps_the_place_of_a_game() {
    thread::scope(|scope| {
        for status in [400, 503] {
            for (opponent, refused, end) in TABLE {
                scope.spawn(move || stuck_then_free(opponent, refused, status, end));
            }
        }
    });
}

/// A server that answers about every third request with 400, 404, 429, 503 or not at all, and opponents of all kinds. When it has
/// calmed down the bot plays the next game, whatever happened to the games before.
#[test]
fn after_any_trouble_the_next_game_is_played() {
    thread::scope(|scope| {
        for seed in 1..=8 {
            scope.spawn(move || troubled_then_calm(seed));
        }
    });
}

fn troubled_then_calm(seed: u64) {
    let lichess = Lichess::start();
    lichess.house("Anna", 8);
    lichess.account("Berta", "lip_OtherSecret", None);
    lichess.account("Nemesis", "lip_ThirdSecret", None);
    let config = "[games]\nabort_after = 1\nconcurrent = 2\n[challenges]\nqueue = 3";
    let mut running = Running::start(&lichess, config, quick());
    lichess.state().chaos = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for round in 0..12 {
        let from = ["Anna", "Berta", "Nemesis"][(round + seed as usize) % 3];
        let rules = GameRules { initial_ms: 3000, increment_ms: 0, ..GameRules::default() };
        let rule = ["noAbort", "noClaimWin", "noRematch", "noEarlyDraw"][round % 4];
        let change = json!({"rules": [rule]});
        let id = lichess.challenge(from, "Tabiya", rules, &change);
        thread::sleep(Duration::from_millis(150));
        if let Some(game) = lichess.state().games.get_mut(&id) {
            // Refused if it is not her turn, as it should be.
            let _ = game.play("Berta", "e2e4", round % 2 == 0);
            game.tell(
                &json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": u64::MAX}).to_string(),
            );
        }
    }
    lichess.state().chaos = 0;
    // While earlier challenges wait the next is declined, and sent again.
    let last = (0..300).find_map(|_| {
        thread::sleep(Duration::from_millis(200));
        let next = lichess.invite("Anna");
        let complaint = || format!("seed {seed}: no next game:\n{}", running.log.text());
        lichess.wait_or(&complaint, |state| {
            if state.declined.iter().any(|(id, _)| *id == next) {
                return Some(None);
            }
            let game = state.games.get(&next).filter(|game| !game.is_running())?;
            Some(Some(game.status))
        })
    });
    assert_eq!(last, Some("resign"), "seed {seed}:\n{}", running.log.text());
    running.end();
}
