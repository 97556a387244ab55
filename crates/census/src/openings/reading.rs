//! Reads the moves of games, from game files and from sample stores.

use std::path::Path;

use chess::Position as _;
use dataset::{
    GameResult, Sample, Split, Store,
    record::{GameRecord, Place, Record, Winner},
    source::{self, input::Location},
};

use crate::openings::{ExplorerError, GameCounts, Listener, ReadMove, ReadingProgress};

/// Chosen: about 50 reports per second at the measured speed.
const GAMES_BETWEEN_REPORTS: u64 = 256;

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
    let mut reader = Reader { rules, counts, listener, share: 0.0, game: None };
    if input.join(files::run::MANIFEST).exists() { reader.store(input) } else { reader.games(input) }
}

struct Reader<'a> {
    rules: &'a ReadingRules,
    counts: &'a mut GameCounts,
    listener: &'a mut dyn Listener,
    share: f64,
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
        let kept = sample.ply < self.rules.plies && self.keeps(sample.white_rating, sample.black_rating);
        if sample.game.is_none() || !kept {
            return Ok(());
        }
        let bad = |reason| ExplorerError::BadSample { path: store.into(), reason };
        let position = sample.chess().map_err(|error| bad(error.to_string()))?;
        let mover = position.turn();
        let winner = sample.result.map(|result| match result {
            GameResult::Draw => Winner::Draw,
            GameResult::Win => mover.fold_wb(Winner::White, Winner::Black),
            GameResult::Loss => mover.fold_wb(Winner::Black, Winner::White),
        });
        // The samples of a game are adjacent.
        if self.game != sample.game {
            self.game = sample.game;
            self.count(winner);
        }
        let packed = sample.played_move.unwrap_or(sample.best_move);
        let chess_move = packed
            .unpack(&position)
            .ok_or_else(|| bad(format!("found the illegal move {:#06x}", packed.0)))?;
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
        let rated = |rating: Option<u16>| {
            self.rules.min_rating.is_none_or(|least| rating.is_some_and(|rating| rating >= least))
        };
        rated(white) && rated(black)
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
        self.share = if whole == 0 { 0.0 } else { (done as f64 / whole as f64).min(1.0) };
        self.listener.progress(&ReadingProgress { counts: *self.counts, share: self.share })
    }
}

fn no_game(place: &Place) -> ExplorerError {
    ExplorerError::NoGame { place: place.to_string() }
}
