//! `tabiya data generate` as a user runs it: games that the builder reads as analysed, whichever process is killed
//! meanwhile.
#![cfg(unix)]

use crate::program;

use std::{collections::HashSet, path::Path, process::Stdio};

use chess::Position as _;
use dataset::{record::Record, source};
use program::{command, failure, json, kill, refused, success, wait_until};

fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// Games of this program without a network.
const ENGINE: &str = "--engine net=material,nodes=30";

#[test]
fn games_are_read_back_with_an_evaluation_of_every_position_and_their_slips() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let options = "--games 24 --slips 0.25 --length 8-12 --processes 2 --json";
    let summary = json(folder, &format!("data generate games.pgn {ENGINE} {options}"));
    assert_eq!(summary["tally"]["games"], 24);

    let (mut plies, mut slips, mut starts) = (0, 0, HashSet::new());
    for record in source::open(&folder.join("games.pgn")).unwrap() {
        let Record::Game(game) = record.unwrap().unwrap() else { panic!("no game") };
        plies += game.moves.len();
        starts.insert(format!("{:?}", game.start.board()));
        assert!(game.moves.len() <= 12, "{}", game.moves.len());
        let mut position = game.start;
        for recorded in &game.moves {
            assert!(recorded.evaluation.is_some());
            if let Some(better) = recorded.better {
                assert!(better != recorded.played && position.is_legal(better));
                slips += 1;
            }
            position.play_unchecked(recorded.played);
        }
    }
    assert_eq!(summary["tally"]["plies"], plies);
    assert!(starts.len() > 20, "{} starts", starts.len());
    // A quarter of the moves, except those that are the engine's anyway.
    assert!((plies / 10..plies / 3).contains(&slips), "{slips} slips in {plies}");

    let text = text(folder, "games.pgn");
    assert!(text.contains("[Event \"Self-play, 30 nodes a move\"]") && text.contains("[SlipRate \"0.25\"]"));
    assert!(text.contains("[Termination \"unterminated\"]") && text.contains("[Round \"1.0\"]"));
    success(folder, "data build games.store games.pgn --evaluated");
}

#[test]
fn whatever_is_killed_the_file_is_that_of_one_run() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let rules = "--games 60 --length 30 --processes";
    success(folder, &format!("data generate whole.pgn {ENGINE} {rules} 1"));
    let generate = format!("data generate killed.pgn {ENGINE} {rules} 3");
    let games = || {
        let text = std::fs::read_to_string(folder.join("killed.pgn.generating/games.pgn"));
        text.map_or(0, |text| text.matches("[Event ").count())
    };
    for resume in ["", "--resume", "--resume"] {
        let before = games();
        let mut generate = command(folder, &format!("{generate} {resume}"));
        let mut child = generate.stderr(Stdio::null()).spawn().unwrap();
        wait_until("a game", || {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
            games() >= before + 4
        });
        kill(child);
        assert!(!folder.join("killed.pgn").exists());
    }
    refused(folder, &generate, 1, "add --resume");
    refused(folder, &format!("{generate} --resume --seed 2"), 1, "started with seed = 1, not 2");
    success(folder, &format!("{generate} --resume"));
    assert_eq!(text(folder, "killed.pgn"), text(folder, "whole.pgn"));
    assert!(!folder.join("killed.pgn.generating").exists());
}

#[test]
fn repeated_games_are_left_out_and_too_few_different_ones_are_an_error() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let rules = "--openings startpos --random-plies 1 --slips 0 --length 2 --games";
    let generate = format!("data generate games.pgn --engine net=material,nodes=2 {rules}");
    let message = failure(folder, &format!("{generate} 21"));
    assert!(message.contains("1000 games in a row") && message.contains("20 of 21"), "{message}");
    // Games are counted when they are read back.
    refused(folder, &format!("{generate} 21 --resume"), 1, "20 of 21");
    std::fs::remove_dir_all(folder.join("games.pgn.generating")).unwrap();
    assert!(success(folder, &format!("{generate} 20")).contains("20 games with 40 positions"));
}

#[test]
fn games_start_within_games_of_a_file() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("one.pgn"), "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *\n")
        .unwrap();
    let options = "--within one.pgn --games 3 --length 3 --random-plies 0 --slips 0";
    success(folder, &format!("data generate games.pgn {ENGINE} {options}"));
    let text = text(folder, "games.pgn");
    let fens: Vec<&str> = text.lines().filter(|line| line.starts_with("[FEN")).collect();
    assert_eq!(fens.len(), 3);
    assert!(fens.iter().all(|fen| fen.contains("PPPP1PPP")), "after 1. e4: {fens:?}");
}

#[test]
fn what_evaluates_nothing_or_is_no_engine_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    for (engine, expected) in [
        ("random", "gave no evaluation"),
        ("uci=no-such-engine,nodes=5", "no-such-engine"),
        ("default,tc=10+1", "tc is a clock for a game"),
    ] {
        refused(folder, &format!("data generate games.pgn --engine {engine}"), 1, expected);
    }
}

/// Row 14 of the list of features that Tabiya grew from, at a tenth of its size.
#[test]
#[ignore = "needs Stockfish"]
fn stockfish_games_are_different_and_won_drawn_and_lost() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let generate = "data generate games.pgn --engine uci=stockfish,nodes=200,option.Hash=1";
    let summary = json(folder, &format!("{generate} --games 100 --slips 0,0.03 --random-plies 1-2 --json"));
    let tally = |name: &str| summary["tally"][name].as_u64().unwrap();
    assert_eq!(tally("games"), 100);
    assert!(tally("white") > 0 && tally("draws") > 0 && tally("black") > 0, "{summary}");
    assert!(tally("repeated") <= 1, "{summary}");
    assert!(text(folder, "games.pgn").contains("[White \"Stockfish"), "engines are named with their version");
}
