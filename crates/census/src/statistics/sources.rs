//! Statistics of files of games and positions before they become a store: including repeated names, rows and games, which a
//! store leaves out.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use chess::Chess;
use dataset::{
    DatasetError, Filters,
    key_set::KeySet,
    packed_position::PackedPosition,
    record::{GameRecord, Record},
    sampler::Sampler,
    source::{self, BadReason, BadRecord, input::Location, opening_names::OpeningNames},
};
use serde::{Deserialize, Serialize};

use crate::statistics::{
    Bar, GameResults, OpeningShare,
    bars::Histogram,
    games::{LENGTH_STEP, RATING_STEP, mean_rating},
    groups::{by_frequency, code_and_name},
};

/// Statistics of files of games and positions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct SourceStatistics {
    /// Games, repeated ones included.
    pub games: u64,
    pub plies: u64,
    /// Positions that are part of no game.
    pub positions: u64,
    /// Records that cannot be read, by reason.
    pub rejected: BTreeMap<BadReason, u64>,
    pub results: GameResults,
    /// Games by the mean of the known ratings, by hundreds.
    pub ratings: Vec<Bar>,
    /// Games by half-moves, by twenties.
    pub lengths: Vec<Bar>,
    /// Games by opening, the most frequent first.
    pub openings: Vec<OpeningShare>,
    /// Records whose name, such as an identifier, occurred before.
    pub repeated_names: u64,
    /// Rows of tables that repeat an earlier row letter for letter.
    pub repeated_rows: u64,
    /// Games with the first position and moves of an earlier game.
    pub repeated_games: u64,
    /// Positions that are part of no game and repeat an earlier one.
    pub repeated_positions: u64,
}

/// Counts records one after another.
struct SourceCounter<'a> {
    found: SourceStatistics,
    sampler: Sampler,
    names: Option<&'a OpeningNames>,
    identities: KeySet,
    rows: KeySet,
    games: KeySet,
    positions: KeySet,
    ratings: Histogram,
    lengths: Histogram,
    openings: HashMap<(String, String), u64>,
}

/// Records between two calls of `progress`.
const RECORDS_BETWEEN_REPORTS: u64 = 256;

impl SourceStatistics {
    /// Counts the records of files, calling `progress` with the bytes read and `rejected` with each broken record. Memory does
    /// not grow with the files.
    ///
    /// # Errors
    /// [`DatasetError`] if a file cannot be read.
    pub fn count(
        locations: &[Location],
        names: Option<&OpeningNames>,
        mut progress: impl FnMut(u64),
        mut rejected: impl FnMut(&BadRecord),
    ) -> Result<Self, DatasetError> {
        let mut counter = SourceCounter::new(&std::env::temp_dir(), names);
        let (mut bytes_before, mut records) = (0, 0u64);
        for location in locations {
            let mut source = source::open_at(location)?;
            while let Some(record) = source.next() {
                match record? {
                    Ok(Record::Game(game)) => counter.add_game(&game)?,
                    Ok(Record::Position(record)) => counter.add_position(&record.position)?,
                    Ok(Record::Unlabelled(record)) => counter.add_position(&record.position)?,
                    Err(bad) => {
                        *counter.found.rejected.entry(bad.reason).or_default() += 1;
                        rejected(&bad);
                    }
                }
                records += 1;
                if records.is_multiple_of(RECORDS_BETWEEN_REPORTS) {
                    progress(bytes_before + source.progress().file_bytes);
                }
            }
            bytes_before += source.progress().file_bytes;
        }
        Ok(counter.finish())
    }
}

impl<'a> SourceCounter<'a> {
    fn new(folder: &Path, names: Option<&'a OpeningNames>) -> Self {
        Self {
            found: SourceStatistics::default(),
            sampler: Sampler::new(1, 0, Filters::default()),
            names,
            identities: KeySet::new(folder),
            rows: KeySet::new(folder),
            games: KeySet::new(folder),
            positions: KeySet::new(folder),
            ratings: Histogram::new(RATING_STEP),
            lengths: Histogram::new(LENGTH_STEP),
            openings: HashMap::new(),
        }
    }

    fn add_position(&mut self, position: &Chess) -> Result<(), DatasetError> {
        self.found.positions += 1;
        let key = PackedPosition::pack(position).key();
        self.found.repeated_positions += u64::from(!self.positions.insert(key)?);
        Ok(())
    }

    fn add_game(&mut self, game: &GameRecord) -> Result<(), DatasetError> {
        let found = &mut self.found;
        found.games += 1;
        found.plies += game.moves.len() as u64;
        found.results.add(game.winner);
        if let Some(rating) = mean_rating(game.white_rating, game.black_rating) {
            self.ratings.add(rating);
        }
        self.lengths.add(u16::try_from(game.moves.len()).unwrap_or(u16::MAX));
        if let Some(name) = game.identity.name {
            found.repeated_names += u64::from(!self.identities.insert(name)?);
        }
        if let Some(row) = game.identity.row {
            found.repeated_rows += u64::from(!self.rows.insert(row)?);
        }
        // Games without their moves would all be the same one.
        if !game.moves.is_empty() {
            found.repeated_games += u64::from(!self.games.insert(self.sampler.game_hash(game))?);
        }
        let named = self.names.and_then(|names| names.of_game(game));
        *self.openings.entry(code_and_name(named, game.eco)).or_default() += 1;
        Ok(())
    }

    fn finish(self) -> SourceStatistics {
        SourceStatistics {
            ratings: self.ratings.bars(),
            lengths: self.lengths.bars(),
            openings: by_frequency(&self.openings),
            ..self.found
        }
    }
}
