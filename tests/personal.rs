//! A network that learns to play like one person, from a file of games to the summary, as users run it.

use crate::program;

use std::{fs, path::Path};

use chess::{CastlingMode, Color, Game, Move, pgn::PgnGame, print_uci_move};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use program::{failure, json, read_json, refused, success};

const RECIPE: &str = r#"
title = "tiny you"
data = "personal"
[training]
steps = 24
batch = 32
threads = 1
validation_interval = 12
validation_positions = 256
statistics_positions = 64
[losses]
value_weight = 0.1
value_target = { from = "result" }
[optimiser]
average_decay = 0.8
[schedule]
kind = "cosine"
peak = 1e-3
last = 1e-4
warmup = 2
"#;

/// Games in which Nora always makes the move whose name comes first in the alphabet, a habit that is easily learned, and the
/// other players move at random.
fn games(count: u64) -> String {
    let uci = |one: &Move| print_uci_move(*one, CastlingMode::Standard);
    let of_habit = |game: &Game| game.legal_moves().iter().copied().min_by_key(uci).unwrap();
    let mut text = String::new();
    for number in 0..count {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(number);
        let nora = Color::from_white(number % 2 == 0);
        let mut game = Game::default();
        while game.outcome().is_none() && game.ply() < 40 {
            let legal = game.legal_moves();
            let played =
                if game.turn() == nora { of_habit(&game) } else { legal[random.random_range(..legal.len())] };
            game.play(played).unwrap();
        }
        let mut pgn = PgnGame::new(&game);
        let other = format!("Player {number}");
        (pgn.white, pgn.black) = nora.fold_wb(("Nora".into(), other.clone()), (other.clone(), "Nora".into()));
        text.push_str(&pgn.to_string());
    }
    text
}

fn stage() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("you.toml"), RECIPE).unwrap();
    fs::write(folder.path().join("games.pgn"), games(40)).unwrap();
    folder
}

#[test]
fn a_network_learns_the_habits_of_a_person_and_says_how_well() {
    let folder = stage();
    let folder = folder.path();
    let added = json(folder, "data personal add games.pgn --player nora --json");
    assert_eq!((added["games"].as_u64(), added["last"]["added"].as_u64()), (Some(40), Some(40)));
    let listed = json(folder, "data personal list --json");
    assert_eq!((listed["games"].as_array().unwrap().len(), listed["page"].as_bool()), (40, Some(false)));
    let summary = json(folder, "train you.toml --from cnn --json");
    let share = |when: &str, part: &str| summary["person"][when]["matched"][part].as_f64().unwrap();
    assert_eq!(share("before", "samples"), share("after", "samples"));
    assert!(share("before", "samples") >= 10.0, "{summary}");
    let gain = |part: &str| summary["person"]["gain"][part].as_f64().unwrap();
    assert!((gain("value") - (share("after", "value") - share("before", "value"))).abs() < 1e-9);
    assert!(gain("lower") > 0.0, "the habit is learned: {}", summary["person"]);
    let run = folder.join("runs/you");
    assert_eq!(read_json(&run.join("summary.json"))["person"], summary["person"]);
    assert_eq!(read_json(&run.join("person.json"))["start"], "cnn");
    // A resumed run keeps its samples and its start, even if games were added meanwhile.
    fs::write(folder.join("more.pgn"), games(42)).unwrap();
    let more = success(folder, "data personal add more.pgn --player Nora");
    assert!(more.contains("2 games added, 40 known already") && more.contains("42 games in all"), "{more}");
    let longer = json(folder, "train you.toml --resume --steps 30 --json");
    assert_eq!(longer["person"]["before"], summary["person"]["before"]);
    assert_eq!(longer["step"], 30);
}

/// A kill between the first checkpoint and the record left a run that could not be resumed.
#[test]
fn the_record_of_the_person_is_there_before_the_run_begins() {
    let folder = stage();
    let folder = folder.path();
    success(folder, "data personal add games.pgn --player Nora");
    let run = folder.join("runs/you");
    // The first file of the training cannot be written.
    fs::create_dir_all(run.join("recipe.toml")).unwrap();
    let train = || failure(folder, "train you.toml --from cnn");
    assert!(train().contains("recipe.toml"), "{}", train());
    assert_eq!(read_json(&run.join("person.json"))["start"], "cnn");
    // A run that exists keeps its own record.
    fs::write(run.join("person.json"), "mine").unwrap();
    fs::write(run.join("log.jsonl"), "").unwrap();
    assert!(train().contains("holds a run already"), "{}", train());
    assert_eq!(fs::read_to_string(run.join("person.json")).unwrap(), "mine");
}

#[test]
fn what_cannot_be_learned_from_is_refused_and_deleted_games_are_gone() {
    let folder = stage();
    let folder = folder.path();
    let train = |folder: &Path| failure(folder, "train you.toml --from cnn");
    assert!(train(folder).contains("personal: found no data"), "{}", train(folder));
    let nobody = failure(folder, "data personal add games.pgn --player Zoe");
    assert!(nobody.contains("found no player \"Zoe\" in 40 games") && nobody.contains("Nora"), "{nobody}");
    refused(folder, "data personal add no.pgn --player Zoe", 1, "no.pgn: found nothing");
    fs::write(folder.join("few.pgn"), games(3)).unwrap();
    let few = success(folder, "data personal add few.pgn --player Nora");
    assert!(few.contains("17 more"), "{few}");
    assert!(train(folder).contains("found 3 games, expected at least 20"), "{}", train(folder));
    success(folder, "data personal add games.pgn --player Nora");
    refused(folder, "train you.toml", 1, "--from");
    let listed = success(folder, "data personal list");
    let first = listed.split_whitespace().next().unwrap();
    assert!(success(folder, &["data", "personal", "delete", first]).contains("1 games deleted, 39 left"));
    assert!(failure(folder, &["data", "personal", "delete", first]).contains("no game of this name"));
    refused(folder, "data personal delete", 2, "Usage: ");
    assert!(success(folder, "data personal delete --all").contains("39 games deleted"));
    assert!(!folder.join("personal").exists());
    refused(folder, "data personal list", 1, "personal holds no personal games");
    assert!(train(folder).contains("tabiya data personal"), "{}", train(folder));
    assert!(!folder.join("runs/you").exists(), "nothing is begun that cannot go on");
}
