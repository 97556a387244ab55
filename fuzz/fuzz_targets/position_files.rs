//! Any bytes as the files of positions from which players are measured: suites, puzzles, openings, positions with the moves of two
//! references, and games of people.
#![no_main]

use std::{path::PathBuf, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use strength::{
    OpeningBook,
    metrics::{
        Take,
        agreement::{AgreementColumns, read_positions},
        human::read_human,
    },
    read_problems,
};
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a temporary folder"));

/// Lines that lead each reader beyond its heading.
const PUZZLE: &str = "PuzzleId,FEN,Moves,Rating\n";
const REFERENCES: &str = "group,fen,first,second,third,rating\n";

fn file(name: &str, parts: &[&[u8]]) -> PathBuf {
    let path = FOLDER.path().join(name);
    std::fs::write(&path, parts.concat()).expect("the folder can be written to");
    path
}

fuzz_target!(|bytes: &[u8]| {
    let plain = file("positions.epd", &[bytes]);
    let _ = OpeningBook::from_file(&plain, None, 1);
    let _ = OpeningBook::from_file(&file("games.pgn", &[bytes]), Some(4), 1);
    let _ = read_human(&plain, Take { per_game: 2, sample: Some(3) }, &(0..=u16::MAX));
    for problems in [&plain, &file("puzzles.csv", &[PUZZLE.as_bytes(), bytes])] {
        let _ = (read_problems(problems, None), read_problems(problems, Some(2)));
    }
    let column = |name: &str| name.to_owned();
    let columns = AgreementColumns {
        group: column("group"),
        fen: column("fen"),
        first: column("first"),
        second: column("second"),
        others: vec![column("third")],
        ratings: vec![column("rating")],
    };
    let _ = read_positions(&file("references.csv", &[REFERENCES.as_bytes(), bytes]), &columns, None);
});
