//! `tabiya book`: from games to a book, and from the book to moves of the engine.

use crate::program;

use std::{fs, path::Path, process::Output};

use program::{json, refused, success, tabiya, with_input};

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/games/hand-made.pgn");
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/books/hand-made.bin");

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn uci(folder: &Path, arguments: &str, script: &str) -> String {
    text(&with_input(folder, &format!("uci --net material {arguments}"), script))
}

/// Makes a book of every move in the games.
fn build(output: &str, more: &str) -> String {
    format!("book build {output} '{GAMES}' --min-games 1 --min-score 0 {more}")
}

#[test]
fn a_book_of_the_hand_made_games_is_the_golden_one() {
    let folder = tempfile::tempdir().unwrap();
    let output = tabiya(folder.path(), &build("book.bin", "--weight frequency"));
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains(" games with a result"), "{}", text(&output));
    let made = fs::read(folder.path().join("book.bin")).unwrap();
    if std::env::var_os("TABIYA_UPDATE_GOLDEN").is_some() {
        fs::write(GOLDEN, &made).unwrap();
    }
    assert_eq!(
        made,
        fs::read(GOLDEN).unwrap(),
        "renew it with TABIYA_UPDATE_GOLDEN=1 if the change is meant"
    );
}

#[test]
fn a_store_gives_the_book_of_its_games() {
    let folder = tempfile::tempdir().unwrap();
    success(folder.path(), &format!("data build store '{GAMES}' --keep-duplicates"));
    let from = |output: &str, input: &str| {
        success(folder.path(), &build(output, "--plies 6").replace(GAMES, input));
        fs::read(folder.path().join(output)).unwrap()
    };
    let (games, store) = (from("games.bin", GAMES), from("store.bin", "store"));
    // A store leaves out positions without a legal label; every position in it is in the games as well.
    assert!(!store.is_empty() && store.len() <= games.len());
    let known: Vec<&[u8]> = games.chunks(16).map(|entry| &entry[..10]).collect();
    assert!(store.chunks(16).all(|entry| known.contains(&&entry[..10])));
}

#[test]
fn show_tells_moves_and_shares() {
    let folder = tempfile::tempdir().unwrap();
    let view = json(folder.path(), &["book", "show", GOLDEN, "--json"]);
    let moves = view["moves"].as_array().unwrap();
    let whole: f64 = moves.iter().map(|each| each["share"].as_f64().unwrap()).sum();
    assert!(!moves.is_empty() && (whole - 1.0).abs() < 1e-9, "{view}");
    let weights: Vec<u64> = moves.iter().map(|each| each["weight"].as_u64().unwrap()).collect();
    assert!(weights.is_sorted_by(|one, other| one >= other), "{view}");
    let unknown = tabiya(folder.path(), &["book", "show", GOLDEN, "--moves", "a3 h6 a3a4"]);
    assert!(text(&unknown).contains("no move in this position"), "{}", text(&unknown));
    refused(folder.path(), &["book", "show", GOLDEN, "--moves", "e5"], 1, "--moves");
}

#[test]
fn bad_input_is_named_and_no_book_is_left() {
    let folder = tempfile::tempdir().unwrap();
    refused(folder.path(), "book build a.bin none.pgn", 1, "none.pgn");
    refused(folder.path(), &build("a.bin", "--min-rating 3500"), 1, "lower --min-games");
    refused(folder.path(), &format!("book build a.bin '{GAMES}' --min-score 2"), 2, "--min-score");
    fs::write(folder.path().join("epd.epd"), "8/8/8/8/8/8/7R/K1k5 w - - bm Rh1+;\n").unwrap();
    refused(folder.path(), "book build a.bin epd.epd", 1, "expected games");
    assert!(!folder.path().join("a.bin").exists() && !folder.path().join("a.bin.partial").exists());
    refused(folder.path(), &["book", "show", GAMES], 1, "is not a Polyglot book");
}

#[test]
fn the_engine_plays_from_the_book_where_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let said = uci(
        folder.path(),
        "",
        &format!(
            "setoption name OwnBook value true\ngo nodes 5\nsetoption name BookFile value {GOLDEN}\n\
             setoption name BookTemperature value 0\ngo nodes 5\nsetoption name UCI_AnalyseMode value true\ngo nodes 5\nquit\n"
        ),
    );
    assert!(said.contains("error: OwnBook is on, but BookFile names no book"), "{said}");
    assert!(said.contains(&format!("book {GOLDEN}: ")), "{said}");
    assert_eq!(said.matches("info string book: ").count(), 1, "once from the book, twice searched: {said}");
    let last = said.split("info string book: ").next().and_then(|before| before.lines().last());
    assert!(last.is_some_and(|line| line.starts_with("info depth 0 pv ")), "a line before the move: {said}");
    let wrong = uci(folder.path(), "", &format!("setoption name BookFile value {GAMES}\nquit\n"));
    assert!(wrong.contains("error: BookFile: ") && wrong.contains("is not a Polyglot book"), "{wrong}");
    let options = format!("--option OwnBook=true --option 'BookFile={GOLDEN}'");
    let command_line = uci(folder.path(), &options, "go nodes 5\nquit\n");
    assert!(command_line.contains("info string book: "), "{command_line}");
}

#[test]
fn games_begin_differently_unless_a_seed_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let openings = |seed: &str| -> std::collections::BTreeSet<String> {
        let options = format!("--option OwnBook=true --option 'BookFile={GOLDEN}' --option {seed}");
        let said = uci(folder.path(), &options, &"ucinewgame\nposition startpos\ngo nodes 1\n".repeat(40));
        let moves: Vec<String> =
            said.lines().filter(|line| line.starts_with("bestmove")).map(str::to_owned).collect();
        assert_eq!(moves.len(), 40, "{said}");
        moves.into_iter().collect()
    };
    // The book has two first moves, with shares of 2 and 1: the probability that 40 games contain only one of them is
    // under 1e-7.
    assert_eq!(openings("Seed=0").len(), 2);
    assert_eq!(openings("Seed=7").len(), 1);
}

#[test]
fn a_match_uses_books_only_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let view = json(folder.path(), &["book", "show", GOLDEN, "--json"]);
    // Among moves of equal weight the first in the file is played.
    let first = format!("\n1. {} ", view["moves"][0]["san"].as_str().unwrap());
    let with_book = format!(
        "net=material,nodes=1,option.OwnBook=true,option.BookTemperature=0,option.BookFile={GOLDEN},name=book"
    );
    let rules = "--games 4 --openings startpos --out m";
    success(folder.path(), &format!("match '{with_book}' net=material,nodes=1,name=plain {rules}"));
    let games = fs::read_to_string(folder.path().join("m/games.pgn")).unwrap();
    let games: Vec<&str> = games.split("[Event ").skip(1).collect();
    let by_book = games.iter().filter(|game| game.contains("[White \"book\"]"));
    assert_eq!(by_book.clone().count(), 2, "{games:?}");
    assert!(by_book.clone().all(|game| game.contains(&first)), "{first:?}: {games:?}");
    let alone = "match net=material,option.OwnBook=true random --games 2";
    let message = text(&tabiya(folder.path(), alone));
    assert!(message.contains("found no BookFile=FILE"), "{message}");
}
