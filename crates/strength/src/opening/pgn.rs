//! Openings from files of games or positions.

use std::{fmt, path::Path};

use chess::{CastlingMode, Chess, Game, PlayerRatings};
use dataset::{
    record::{GameRecord, Record},
    source,
};

use super::{MatchOpening, must_go_on};
use crate::lines::{LineError, Positions, Skipped};

/// Half-moves beyond which a game without a limit is taken for a whole game rather than an opening.
const LONGEST: usize = 40;

pub(super) fn openings(path: &Path, plies: Option<usize>) -> Result<Positions<MatchOpening>, LineError> {
    let (mut openings, mut skipped) = (Vec::new(), Skipped::default());
    for record in source::open(path).map_err(|error| unreadable(path, &error))? {
        let opening = match record.map_err(|error| unreadable(path, &error))? {
            Ok(Record::Game(record)) => of_game(&record, openings.len() + 1, plies).map_err(|reason| {
                LineError::Line { path: path.into(), line: record.place.line as usize, reason }
            })?,
            Ok(Record::Position(record)) => {
                of_position(record.position, record.castling_mode, record.place.line)
            }
            Ok(Record::Unlabelled(record)) => {
                of_position(record.position, record.castling_mode, record.place.line)
            }
            Err(bad) => {
                skipped.add(bad);
                continue;
            }
        };
        openings.push(opening);
    }
    match skipped.first {
        _ if !openings.is_empty() => Ok(Positions { found: openings, skipped }),
        Some(reason) => Err(LineError::Read { path: path.into(), reason }),
        None => Err(LineError::Empty { path: path.into(), expected: "games, such as 1. e4 e5 *" }),
    }
}

fn unreadable(path: &Path, reason: &dyn fmt::Display) -> LineError {
    LineError::Read { path: path.into(), reason: reason.to_string() }
}

fn of_position(position: Chess, castling_mode: CastlingMode, line: u64) -> MatchOpening {
    MatchOpening { name: format!("line {line}"), game: Game::from_position(position, castling_mode) }
}

/// The first `plies` half-moves of the game with this number in its file.
fn of_game(record: &GameRecord, number: usize, plies: Option<usize>) -> Result<MatchOpening, String> {
    let length = record.moves.len().min(plies.unwrap_or(usize::MAX));
    if length > LONGEST && plies.is_none() {
        return Err(format!(
            "game {number} is not an opening: it has {length} half-moves; expected at most {LONGEST}, or a limit on those to take"
        ));
    }
    // Ratings of the game's players do not apply to the match.
    let game = record.game(length).with_ratings(PlayerRatings::default());
    must_go_on(&game).map_err(|reason| format!("game {number} is not an opening: {reason}"))?;
    Ok(MatchOpening { name: format!("game {number} (line {})", record.place.line), game })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, plies: Option<usize>) -> Result<Vec<MatchOpening>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.pgn");
        std::fs::write(&path, text).unwrap();
        openings(&path, plies).map(|read| read.found).map_err(|error| error.to_string())
    }

    #[test]
    fn games_are_openings() {
        let text = "[Result \"*\"]\n\n1. e4 e5 2. Nf3 *\n\n[Result \"*\"]\n\n1. d4 *\n\n";
        let plies = |limit| -> Vec<usize> {
            read(text, limit).unwrap().iter().map(|opening| opening.game.ply()).collect()
        };
        assert_eq!(plies(None), [3, 1]);
        assert_eq!(plies(Some(2)), [2, 1]);
    }

    #[test]
    fn chess960_games_stay_chess960() {
        let fen = "nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - 0 1";
        for variant in
            ["[Variant \"Chess960\"]\n", "[Variant \"Fischerandom/Chess960\"]\n", "[Variant \"FRC\"]\n", ""]
        {
            let text =
                format!("{variant}[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e3 e6 2. Be2 Be7 3. O-O-O O-O-O *\n");
            let opening = read(&text, None).unwrap().remove(0);
            assert!(opening.game.castling_mode().is_chess960() && opening.game.ply() == 6, "{variant}");
        }
    }

    #[test]
    fn broken_games_are_skipped_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.pgn");
        std::fs::write(&path, "1. e4 e5 *\n\n1. e4 e5 2. Ke3 *\n\n1. d4 *\n").unwrap();
        let read = openings(&path, None).unwrap();
        assert_eq!((read.found.len(), read.skipped.count), (2, 1));
        assert!(read.skipped.first.unwrap().contains("book.pgn:3: illegal_move"));
    }

    #[test]
    fn bad_books_are_named() {
        let broken = read("[Result \"*\"]\n\n1. e4 e5 2. Ke3 *\n\n", None).unwrap_err();
        assert!(broken.contains("book.pgn") && broken.contains("illegal_move"), "{broken}");
        let mate = read("[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n", None).unwrap_err();
        assert!(mate.contains("over there (checkmate)"), "{mate}");
        let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 ";
        let long: String = std::iter::repeat_n(shuffle, 11).collect();
        assert!(
            read(&format!("[Result \"*\"]\n\n{long} *\n\n"), None).unwrap_err().contains("44 half-moves")
        );
        assert!(read("", None).unwrap_err().contains("empty"));
    }
}
