//! The PGN file that generated games are added to.

use std::{
    collections::HashSet,
    fs::{File, OpenOptions},
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
};

use dataset::{filter::Filters, record::Record, sampler::Sampler, source};
use files::OutputError;

use super::{GenerationCounts, game::GeneratedGame};
use crate::LabellingError;

/// A file of different games, written in the order of their numbers. A game is added in one piece, so a kill leaves at most
/// one incomplete game, at the end; opening the file cuts it off.
#[derive(Debug)]
pub struct GeneratedFile {
    path: PathBuf,
    file: File,
    keys: HashSet<u64>,
    tally: GenerationCounts,
    next: u64,
}

/// End of the complete games of a file, and the `Round` of the last of them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Whole {
    bytes: u64,
    games: u64,
    round: Option<String>,
}

impl GeneratedFile {
    /// Opens or creates the file and reads the games that are in it.
    ///
    /// # Errors
    /// [`LabellingError`] if the file cannot be used or holds anything other than generated games.
    pub fn open(path: &Path) -> Result<Self, LabellingError> {
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = opened.map_err(OutputError::io("open", path))?;
        let whole = whole_games(&file).map_err(OutputError::io("read", path))?;
        files::cut(path, whole.bytes).map_err(OutputError::io("mend", path))?;
        let mut opened = Self {
            path: path.into(),
            file,
            keys: HashSet::new(),
            tally: GenerationCounts::default(),
            next: 0,
        };
        if let Some(round) = &whole.round {
            let next = number_of(round).and_then(|number| number.checked_add(1));
            // Repeated games after the last written one are played again, and left out again.
            opened.next =
                next.ok_or_else(|| opened.unexpected(format!("the round {round:?}"), "SEED.NUMBER"))?;
            opened.read_games()?;
        }
        if opened.tally.games != whole.games {
            let found = format!("{} different games in {}", opened.tally.games, whole.games);
            return Err(opened.unexpected(found, "every game once"));
        }
        Ok(opened)
    }

    fn unexpected(&self, found: String, expected: &'static str) -> LabellingError {
        LabellingError::GameFile { path: self.path.clone(), found, expected }
    }

    fn read_games(&mut self) -> Result<(), LabellingError> {
        // The arguments decide which positions are kept, not the hash of a game.
        let mut sampler = Sampler::new(1, 0, Filters::default());
        for record in source::open(&self.path)? {
            let record = match record? {
                Ok(Record::Game(record)) => record,
                Ok(_) => return Err(self.unexpected("a position".into(), "games")),
                Err(bad) => return Err(self.unexpected(format!("a broken game ({bad})"), "whole games")),
            };
            if self.keys.insert(sampler.game_hash(&record)) {
                self.tally.add(record.pgn_result(), record.moves.len());
            }
        }
        Ok(())
    }

    /// The games in it when it was opened.
    pub fn tally(&self) -> GenerationCounts {
        self.tally
    }

    /// The number of the first game after those that were in it when it was opened.
    pub(super) fn next_number(&self) -> u64 {
        self.next
    }

    /// Adds a game; `false` if it is already in the file, or has no move.
    pub(super) fn append(&mut self, game: &GeneratedGame) -> Result<bool, LabellingError> {
        let is_new = game.plies > 0 && self.keys.insert(game.key);
        if is_new {
            let written = self.file.write_all(game.text.as_bytes());
            written.map_err(OutputError::io("write", &self.path))?;
        }
        Ok(is_new)
    }
}

fn number_of(round: &str) -> Option<u64> {
    round.split_once('.')?.1.parse().ok()
}

/// Finds the end of the last complete game: tags, an empty line, moves, an empty line.
fn whole_games(file: &File) -> std::io::Result<Whole> {
    let mut reader = BufReader::new(file);
    let (mut whole, mut read) = (Whole::default(), 0);
    let (mut line, mut round, mut in_moves) = (Vec::new(), None, false);
    loop {
        line.clear();
        read += reader.read_until(b'\n', &mut line)? as u64;
        if line.last() != Some(&b'\n') {
            return Ok(whole);
        }
        if line.starts_with(b"[Round \"") {
            let text = String::from_utf8_lossy(&line);
            round = text.split('"').nth(1).map(str::to_owned);
        }
        if line == b"\n" {
            if in_moves {
                whole = Whole { bytes: read, games: whole.games + 1, round: round.take() };
            }
            in_moves = !in_moves;
        }
    }
}

#[cfg(test)]
mod tests {
    use chess::pgn::PgnResult;

    use super::*;

    fn game(number: u64, moves: &str, result: PgnResult) -> GeneratedGame {
        let text =
            format!("[Event \"x\"]\n[Round \"3.{number}\"]\n[Result \"{result}\"]\n\n{moves}\n{result}\n\n");
        // A game that is read back has another key: these tests need only that games differ.
        GeneratedGame { text, key: number / 2, result, plies: moves.split(' ').count() }
    }

    #[test]
    fn whatever_a_kill_leaves_whole_games_are_kept_and_the_next_number_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let mut file = GeneratedFile::open(&path).unwrap();
        assert_eq!((file.next_number(), file.tally()), (0, GenerationCounts::default()));
        let games = [
            game(0, "1. e4 e5", PgnResult::WhiteWins),
            game(2, "1. d4 d5 2. c4", PgnResult::Unknown),
            game(5, "1. c4", PgnResult::BlackWins),
        ];
        let mut ends = vec![0];
        for one in &games {
            assert!(file.append(one).unwrap());
            assert!(!file.append(one).unwrap(), "it is in the file");
            ends.push(ends.last().unwrap() + one.text.len());
        }
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(whole.len(), ends[3]);
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let file = GeneratedFile::open(&path).unwrap();
            let kept = ends.iter().filter(|&&end| end > 0 && end <= length).count();
            assert_eq!(std::fs::read(&path).unwrap(), whole[..ends[kept]], "cut off after {length} bytes");
            assert_eq!((file.tally().games, file.next_number()), (kept as u64, [0, 1, 3, 6][kept]));
        }
        let tally = GeneratedFile::open(&path).unwrap().tally();
        assert_eq!((tally.white, tally.unknown, tally.black, tally.plies), (1, 1, 1, 6));
    }

    #[test]
    fn a_number_that_has_no_next_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, game(u64::MAX, "1. e4 e5", PgnResult::Draw).text).unwrap();
        let error = GeneratedFile::open(&path).unwrap_err().to_string();
        assert!(error.contains("found the round") && error.contains("18446744073709551615"), "{error}");
    }

    #[test]
    fn a_file_with_a_game_twice_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let [first, second] = [0, 1].map(|number| game(number, "1. e4 e5", PgnResult::Draw).text);
        std::fs::write(&path, first + &second).unwrap();
        let error = GeneratedFile::open(&path).unwrap_err().to_string();
        assert!(error.contains("found 1 different games in 2"), "{error}");
    }
}
