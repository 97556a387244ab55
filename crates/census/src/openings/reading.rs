//! Reads the moves of games, from game files and from sample stores, and reports each to a [`Listener`].

use std::path::Path;

use chess::{Chess, Move, Position as _};
use dataset::{
    Sample, Split, Store,
    record::{GameRecord, Place, Record, Winner},
    source::{self, BadRecord, input::Location},
};
use serde::{Deserialize, Serialize};

use crate::openings::ExplorerError;

/// Chosen: about 50 reports per second at the measured speed.
const GAMES_BETWEEN_REPORTS: u64 = 256;

/// A move of a game with the facts that tables and books count.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ReadMove<'a> {
    /// The position before it.
    pub position: &'a Chess,
    pub chess_move: Move,
    /// The result of the game; `None` if it is not known.
    pub winner: Option<Winner>,
    /// Rating of the player who made the move.
    pub rating: Option<u16>,
    pub year: Option<u16>,
    /// True if the position occurred before in this game.
    pub is_repetition: bool,
}

/// Games read so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameCounts {
    /// Games with a known result.
    pub games: u64,
    /// Games without a known result.
    pub without_result: u64,
    /// Games that break the rules of chess or of their format.
    pub broken: u64,
}

/// How far the sources have been read, for a progress bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ReadingProgress {
    pub counts: GameCounts,
    /// The share of the input that has been read, 0 to 1; 0 if its length is not known.
    pub share: f64,
}

/// Receives the moves of the sources one by one while they are read.
pub trait Listener {
    /// A move, in the order of the game.
    ///
    /// # Errors
    /// Any error that ends the reading.
    fn played(&mut self, played: &ReadMove<'_>) -> Result<(), ExplorerError>;

    /// A game whose moves follow. Sample stores have no games.
    ///
    /// # Errors
    /// Any error that ends the reading.
    fn game(&mut self, _: &GameRecord) -> Result<(), ExplorerError> {
        Ok(())
    }

    /// A game that was left out because it is broken.
    fn broken(&mut self, _: &BadRecord) {}

    /// Reports progress, every few hundred games.
    ///
    /// # Errors
    /// [`ExplorerError::Stopped`] to end the reading.
    fn progress(&mut self, progress: &ReadingProgress) -> Result<(), ExplorerError>;
}

/// Filters of games and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingRules {
    /// Half-moves of each game to read.
    pub plies: u16,
    /// Minimum rating of both players; games without ratings are then left out.
    pub min_rating: Option<u16>,
}

/// Reads a file, folder or archive of games as `tabiya data build` does, or a sample store, and adds its
/// games to `counts`. A store may hold only some positions of each game.
///
/// # Errors
/// [`ExplorerError`] if it cannot be read, has positions instead of games, or the listener ends the reading.
pub fn read_games(
    input: &Path,
    rules: &ReadingRules,
    counts: &mut GameCounts,
    listener: &mut dyn Listener,
) -> Result<(), ExplorerError> {
    let mut reader = Reader { rules, counts, listener, game: None };
    if is_store(input) { reader.store(input) } else { reader.games(input) }
}

/// True for a sample store, which has no games but samples of them.
pub(crate) fn is_store(input: &Path) -> bool {
    input.join(files::run::MANIFEST).exists()
}

struct Reader<'a> {
    rules: &'a ReadingRules,
    counts: &'a mut GameCounts,
    listener: &'a mut dyn Listener,
    /// The game of the last sample of a store.
    game: Option<u64>,
}

impl Reader<'_> {
    fn games(&mut self, input: &Path) -> Result<(), ExplorerError> {
        let locations = Location::all(input)?;
        let whole: u64 = locations.iter().map(Location::bytes).sum();
        let mut before = 0;
        for location in locations {
            let mut records = source::open_at(&location)?;
            while let Some(record) = records.next() {
                match record? {
                    Ok(Record::Game(game)) => self.game(&game)?,
                    Ok(Record::Position(position)) => return Err(no_game(&position.place)),
                    Ok(Record::Unlabelled(position)) => return Err(no_game(&position.place)),
                    Err(bad) => {
                        self.counts.broken += 1;
                        self.listener.broken(&bad);
                    }
                }
                let seen = self.counts.games + self.counts.without_result + self.counts.broken;
                if seen.is_multiple_of(GAMES_BETWEEN_REPORTS) {
                    self.report(before + records.progress().file_bytes, whole)?;
                }
            }
            before += location.bytes();
            self.report(before, whole)?;
        }
        Ok(())
    }

    fn game(&mut self, record: &GameRecord) -> Result<(), ExplorerError> {
        if !self.keeps(record.white_rating, record.black_rating) {
            return Ok(());
        }
        self.count(record.winner);
        self.listener.game(record)?;
        let mut game = record.game(0);
        for recorded in record.moves.iter().take(usize::from(self.rules.plies)) {
            self.listener.played(&ReadMove {
                position: game.position(),
                chess_move: recorded.played,
                winner: record.winner,
                rating: game.turn().fold_wb(record.white_rating, record.black_rating),
                year: record.year,
                is_repetition: game.repetitions() > 0,
            })?;
            // Sources check the moves of their games.
            game.play_unchecked(recorded.played);
        }
        Ok(())
    }

    fn store(&mut self, path: &Path) -> Result<(), ExplorerError> {
        let store = Store::open(path)?;
        let whole = Split::ALL.into_iter().map(|split| store.positions(split)).sum();
        let mut seen = 0;
        for split in Split::ALL {
            for group in store.row_groups(split) {
                let samples = group?;
                for sample in &samples {
                    self.sample(sample, path)?;
                }
                seen += samples.len() as u64;
                self.report(seen, whole)?;
            }
        }
        Ok(())
    }

    /// A position of a stored game.
    fn sample(&mut self, sample: &Sample, store: &Path) -> Result<(), ExplorerError> {
        // A store has no games but samples of them, perhaps not of every move. Each sample is a move of its game, so tables count it like one.
        let kept = sample.ply < self.rules.plies && self.keeps(sample.white_rating, sample.black_rating);
        if sample.game.is_none() || !kept {
            return Ok(());
        }
        let position = sample.chess().map_err(|error| bad_sample(store, error.to_string()))?;
        let winner = sample.result.map(|result| result.winner(position.turn()));
        // The samples of a game are adjacent.
        if self.game != sample.game {
            self.game = sample.game;
            self.count(winner);
        }
        let packed = sample.played_move.unwrap_or(sample.best_move);
        let Some(chess_move) = packed.unpack(&position) else {
            return Err(bad_sample(store, format!("found the illegal move {:#06x}", packed.0)));
        };
        self.listener.played(&ReadMove {
            position: &position,
            chess_move,
            winner,
            rating: sample.mover_rating(),
            year: None,
            is_repetition: sample.repetitions > 0,
        })
    }

    fn keeps(&self, white: Option<u16>, black: Option<u16>) -> bool {
        let Some(least) = self.rules.min_rating else { return true };
        [white, black].into_iter().all(|rating| rating.is_some_and(|rating| rating >= least))
    }

    fn count(&mut self, winner: Option<Winner>) {
        if winner.is_some() {
            self.counts.games += 1;
        } else {
            self.counts.without_result += 1;
        }
    }

    fn report(&mut self, done: u64, whole: u64) -> Result<(), ExplorerError> {
        // A file that grows while it is read is still read to its end.
        let share = if whole == 0 { 0.0 } else { (done as f64 / whole as f64).min(1.0) };
        self.listener.progress(&ReadingProgress { counts: *self.counts, share })
    }
}

fn no_game(place: &Place) -> ExplorerError {
    ExplorerError::NoGame { place: place.to_string() }
}

fn bad_sample(store: &Path, reason: String) -> ExplorerError {
    ExplorerError::BadSample { path: store.into(), reason }
}
