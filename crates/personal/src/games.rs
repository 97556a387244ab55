//! Adding, listing and removing games.

use std::{
    collections::HashMap,
    ffi::OsStr,
    fs, io,
    ops::Add,
    path::{Path, PathBuf},
};

use chess::{Color, pgn::PgnGame};
use dataset::{
    Filters, GameResult,
    record::{GameRecord, LabelDoubt, Record},
    sampler::Sampler,
    source::{self, BadRecord, PgnSource, input::Location},
};
use files::{OutputError, entries};
use serde::Serialize;

use crate::{PersonalError, PersonalStore, store::PERSON};

/// The other player's name in the games of a store.
const OPPONENT: &str = "Opponent";

/// Most names that are counted for the error about a name that no game has. Public databases have millions of players.
const MOST_NAMES: usize = 10_000;

/// Number of names shown if the requested one is not in the games.
const SHOWN_NAMES: usize = 5;

/// Counts of a file's games by outcome of adding them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct AddedGames {
    /// Games read, broken ones left out.
    pub read: u64,
    pub added: u64,
    /// Games that were already in the store.
    pub known: u64,
    pub of_others: u64,
    /// Games that could not be read.
    pub broken: u64,
}

impl Add for AddedGames {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            read: self.read + other.read,
            added: self.added + other.added,
            known: self.known + other.known,
            of_others: self.of_others + other.of_others,
            broken: self.broken + other.broken,
        }
    }
}

/// A game of the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct PersonalGame {
    /// Its name in the store, 16 hexadecimal digits.
    pub id: String,
    /// True if the person had the white pieces.
    pub white: bool,
    /// Half-moves of both sides.
    pub plies: usize,
    /// The person's result; `None` if it is not known.
    pub result: Option<GameResult>,
    pub rating: Option<u16>,
    pub opponent_rating: Option<u16>,
}

impl PersonalStore {
    /// Adds the games of a player, whose name may be written in upper or lower case. The path is a file of games, plain or
    /// packed, a folder of them, or `-` for stdin. `broken` is called with each game that cannot be read.
    ///
    /// # Errors
    /// [`PersonalError::NoSuchPlayer`] if none of the games is the player's, and every error of reading and writing. Games
    /// added before an error stay.
    pub fn add(
        &self,
        path: &Path,
        player: &str,
        broken: &mut dyn FnMut(&BadRecord),
    ) -> Result<AddedGames, PersonalError> {
        let mut counts = AddedGames::default();
        // For the error alone: whoever mistypes a name sees those that the file has.
        let mut names = HashMap::<String, u64>::new();
        for location in Location::all(path)? {
            for record in source::open_at(&location)? {
                let record = match record? {
                    Ok(Record::Game(record)) if !record.moves.is_empty() => record,
                    Ok(_) => continue,
                    Err(bad) => {
                        counts.broken += 1;
                        broken(&bad);
                        continue;
                    }
                };
                counts.read += 1;
                match Color::ALL.into_iter().find(|&color| record.players.is(player, color)) {
                    None => {
                        counts.of_others += 1;
                        for name in Color::ALL.into_iter().filter_map(|color| record.players.of(color)) {
                            count(&mut names, name);
                        }
                    }
                    Some(color) if self.add_game(&record, color)? => counts.added += 1,
                    Some(_) => counts.known += 1,
                }
            }
        }
        if counts.added + counts.known > 0 {
            return Ok(counts);
        }
        Err(PersonalError::NoSuchPlayer {
            path: path.into(),
            player: player.into(),
            games: counts.read,
            known: most_frequent(names),
        })
    }

    /// Adds a game in which the person had this colour; `false` if it is already in the store.
    ///
    /// # Errors
    /// [`PersonalError::Output`] if it cannot be written.
    pub fn add_game(&self, record: &GameRecord, person: Color) -> Result<bool, PersonalError> {
        let folder = self.games_folder();
        fs::create_dir_all(&folder).map_err(OutputError::io("create", &folder))?;
        // The hash that sample stores use to recognise a repeated game: of the start and the moves, not of players or dates, which the
        // store does not keep.
        let hash = Sampler::new(1, 0, Filters::default()).game_hash(record);
        let path = folder.join(format!("{hash:016x}.pgn"));
        if path.exists() {
            return Ok(false);
        }
        let text = text(record, person);
        files::write_private(&path, text).map_err(OutputError::io("write", &path))?;
        Ok(true)
    }

    /// All games, in the order of their names.
    ///
    /// # Errors
    /// [`PersonalError::Damaged`] with the first file that is not a game of the person.
    pub fn games(&self) -> Result<Vec<PersonalGame>, PersonalError> {
        self.files()?.iter().map(|path| read(path)).collect()
    }

    /// Number of games.
    ///
    /// # Errors
    /// [`PersonalError::Output`] if the folder cannot be read.
    pub fn count(&self) -> Result<usize, PersonalError> {
        Ok(self.files()?.len())
    }

    /// Removes a game by its name, and the samples of all games.
    ///
    /// # Errors
    /// [`PersonalError::Output`] if the game does not exist or cannot be removed, [`PersonalError::InUse`] if a training reads its
    /// samples.
    pub fn remove(&self, id: &str) -> Result<(), PersonalError> {
        let path = self.games_folder().join(format!("{id}.pgn"));
        if !self.files()?.contains(&path) {
            let none = io::Error::new(io::ErrorKind::NotFound, "there is no game of this name");
            return Err(OutputError::io("delete", &path)(none).into());
        }
        // First, so that no sample outlives its game.
        self.remove_samples()?;
        Ok(fs::remove_file(&path).map_err(OutputError::io("delete", &path))?)
    }

    /// The files of the games, sorted.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, PersonalError> {
        let mut files = entries(&self.games_folder())?;
        files.retain(|path| path.extension() == Some(OsStr::new("pgn")));
        Ok(files)
    }
}

/// The game with the person's side and nothing else about people.
fn text(record: &GameRecord, person: Color) -> String {
    let game = record.game(usize::MAX);
    let mut pgn = PgnGame::new(&game);
    (pgn.white, pgn.black) =
        person.fold_wb((PERSON.into(), OPPONENT.into()), (OPPONENT.into(), PERSON.into()));
    pgn.result = record.pgn_result();
    for (tag, rating) in [("WhiteElo", record.white_rating), ("BlackElo", record.black_rating)] {
        if let Some(rating) = rating {
            pgn = pgn.tag(tag, rating.to_string());
        }
    }
    if let Some(control) = record.time_control {
        pgn = pgn.tag("TimeControl", format!("{}+{}", control.base_seconds, control.increment_seconds));
    }
    pgn.to_string()
}

fn read(path: &Path) -> Result<PersonalGame, PersonalError> {
    let record = match PgnSource::open(path)?.next() {
        None => return Err(no_game_of_the_person(path, "no game")),
        Some(game) => game?.map_err(|broken| no_game_of_the_person(path, &broken.detail))?,
    };
    // Every game of a store was written with its result.
    if record.doubts.of(LabelDoubt::MissingResult) > 0 {
        return Err(no_game_of_the_person(path, "a game that is cut off"));
    }
    let person = Color::ALL.into_iter().find(|&color| record.players.is(PERSON, color));
    let person = person.ok_or_else(|| no_game_of_the_person(path, "a game of other players"))?;
    let ratings = [record.white_rating, record.black_rating];
    let [rating, opponent_rating] = person.fold_wb(ratings, [ratings[1], ratings[0]]);
    Ok(PersonalGame {
        id: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        white: person.is_white(),
        plies: record.moves.len(),
        result: record.winner.map(|winner| winner.for_color(person)),
        rating,
        opponent_rating,
    })
}

fn no_game_of_the_person(path: &Path, found: &str) -> PersonalError {
    PersonalError::Damaged {
        path: path.into(),
        found: found.into(),
        expected: format!("one game of {PERSON:?}"),
    }
}

/// Counts a name, unless there are many and it is a new one.
fn count(names: &mut HashMap<String, u64>, name: &str) {
    if let Some(games) = names.get_mut(name) {
        *games += 1;
    } else if names.len() < MOST_NAMES {
        names.insert(name.to_owned(), 1);
    }
}

/// The names that occur most often, with their numbers of games.
fn most_frequent(names: HashMap<String, u64>) -> String {
    let mut names: Vec<(String, u64)> = names.into_iter().collect();
    // Ties by name: the order of a hash map changes from run to run, and with it the message.
    names.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let shown: Vec<String> =
        names.iter().take(SHOWN_NAMES).map(|(name, games)| format!("{name:?} ({games})")).collect();
    if shown.is_empty() { "the games name none".into() } else { shown.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_large_file_stay_few_in_memory() {
        let mut names = HashMap::new();
        (0..3 * MOST_NAMES).for_each(|number| count(&mut names, &number.to_string()));
        count(&mut names, "7");
        assert_eq!((names.len(), names["7"]), (MOST_NAMES, 2));
        assert_eq!(most_frequent(names).split(", ").next(), Some("\"7\" (2)"));
    }
}
