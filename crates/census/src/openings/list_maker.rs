//! Makes the lists of games of a table while its games are read: one list for each move in a position, and what is known of each
//! game.
//!
//! The lists are sorted like the moves, so a list needs no key: its place is the sum of the games of all moves before its own.
//! Every [`LISTS_IN_BLOCK`]th such sum is stored, and a reader adds the counts of the moves in between.

use std::{
    fs::File,
    io::{self, BufWriter, Seek as _, Write},
    path::Path,
};

use dataset::record::GameRecord;
use serde::{Deserialize, Serialize};

use crate::openings::{
    game_record,
    posting::{PlacedPosting, Posting},
    runs::{Row, Runs},
    tally::MoveKey,
};

/// Postings sorted in memory, of 40 bytes each: 21 MB.
const MOST_POSTINGS: usize = 1 << 19;

/// Moves between two stored places of lists: a reader adds up the counts of at most 43 kB.
pub(crate) const LISTS_IN_BLOCK: u64 = 1024;

/// Sizes of the lists in a table's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListSizes {
    /// Number of games.
    pub games: u64,
    /// Sum of the lengths of all lists.
    pub postings: u64,
    /// Bytes of what is known of the games.
    pub record_bytes: u64,
}

/// Collects the games of a table. Only postings are held in memory.
pub(crate) struct ListMaker {
    most: usize,
    postings: Vec<PlacedPosting>,
    runs: Runs<PlacedPosting>,
    /// Where each record begins.
    starts: BufWriter<File>,
    records: BufWriter<File>,
    games: u64,
    record_bytes: u64,
    /// The game being read.
    game: Option<Posting>,
}

impl ListMaker {
    /// A maker whose files, without a name, are in `folder`.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        Self::holding(folder, MOST_POSTINGS)
    }

    /// A maker that holds `most` postings in memory.
    fn holding(folder: &Path, most: usize) -> io::Result<Self> {
        Ok(Self {
            most,
            postings: Vec::new(),
            runs: Runs::new(folder),
            starts: BufWriter::new(tempfile::tempfile_in(folder)?),
            records: BufWriter::new(tempfile::tempfile_in(folder)?),
            games: 0,
            record_bytes: 0,
            game: None,
        })
    }

    /// Begins a game, to whose lists the next moves lead.
    pub(crate) fn begin(&mut self, record: &GameRecord) -> io::Result<()> {
        let number = u32::try_from(self.games).map_err(|_| {
            io::Error::other("found more games than 4,294,967,296, expected a table without their list")
        })?;
        let bytes = game_record::to_bytes(record);
        self.starts.write_all(&self.record_bytes.to_le_bytes())?;
        self.records.write_all(&bytes)?;
        self.games += 1;
        self.record_bytes += bytes.len() as u64;
        self.game = Some(Posting::of(record, number));
        Ok(())
    }

    /// Adds the game being read to the list of a move.
    pub(crate) fn add(&mut self, key: MoveKey) -> io::Result<()> {
        let Some(posting) = self.game else { return Ok(()) };
        if self.postings.len() == self.most {
            self.spill()?;
        }
        self.postings.push(PlacedPosting { key, posting });
        Ok(())
    }

    /// Writes the lists of all moves with at least `min_games` games, the places of lists, those of records, and the records.
    pub(crate) fn finish(mut self, min_games: u64, out: &mut dyn Write) -> io::Result<ListSizes> {
        let mut writer = ListWriter {
            out: &mut *out,
            min_games: min_games.max(1),
            key: None,
            games: 0,
            held: Vec::new(),
            lists: 0,
            postings: 0,
            places: Vec::new(),
        };
        self.postings.sort_unstable_by_key(PlacedPosting::key);
        self.runs.finish(&self.postings, |placed| writer.write(&placed))?;
        let (postings, places) = (writer.postings, writer.places);
        for place in places {
            out.write_all(&place.to_le_bytes())?;
        }
        append(self.starts, out)?;
        append(self.records, out)?;
        Ok(ListSizes { games: self.games, postings, record_bytes: self.record_bytes })
    }

    fn spill(&mut self) -> io::Result<()> {
        self.postings.sort_unstable_by_key(PlacedPosting::key);
        self.runs.add(&self.postings)?;
        self.postings.clear();
        Ok(())
    }
}

/// Writes a temporary file to the end of another.
fn append(file: BufWriter<File>, out: &mut dyn Write) -> io::Result<()> {
    let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    io::copy(&mut file, out)?;
    Ok(())
}

/// Writes lists, whose postings arrive in order.
struct ListWriter<'a> {
    out: &'a mut dyn Write,
    min_games: u64,
    /// The move of the list being read.
    key: Option<MoveKey>,
    /// Games in it so far.
    games: u64,
    /// Its games as long as they are too few for the table.
    held: Vec<Posting>,
    lists: u64,
    postings: u64,
    /// Where every [`LISTS_IN_BLOCK`]th list begins. They take 8 MB for a billion moves.
    places: Vec<u64>,
}

impl ListWriter<'_> {
    fn write(&mut self, placed: &PlacedPosting) -> io::Result<()> {
        if self.key != Some(placed.key) {
            self.key = Some(placed.key);
            self.games = 0;
            self.held.clear();
        }
        self.games += 1;
        self.held.push(placed.posting);
        if self.games < self.min_games {
            return Ok(());
        }
        if self.games == self.min_games {
            if self.lists.is_multiple_of(LISTS_IN_BLOCK) {
                self.places.push(self.postings);
            }
            self.lists += 1;
        }
        self.postings += self.held.len() as u64;
        for posting in self.held.drain(..) {
            self.out.write_all(&posting.to_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::openings::posting::POSTING_BYTES;

    proptest! {
        /// The reference is a map that holds everything. Two postings in memory make hundreds of runs, and merges of merges.
        #[test]
        fn lists_are_those_of_a_map_that_holds_everything(
            games in proptest::collection::vec(
                (0_u16..4, 0_u16..3, proptest::collection::btree_set((0_u64..5, 0_u16..2), 0..6)),
                0..60,
            ),
            most in 1_usize..20,
            min_games in 0_u64..4,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut maker = ListMaker::holding(folder.path(), most).unwrap();
            let mut lists: BTreeMap<MoveKey, Vec<Posting>> = BTreeMap::new();
            for (number, (rating, year, moves)) in games.iter().enumerate() {
                let record = GameRecord {
                    white_rating: Some(*rating),
                    black_rating: Some(*rating),
                    year: Some(*year),
                    ..GameRecord::default()
                };
                maker.begin(&record).unwrap();
                for &(position, packed_move) in moves {
                    let key = MoveKey { position, packed_move };
                    maker.add(key).unwrap();
                    lists.entry(key).or_default().push(Posting::of(&record, number as u32));
                }
            }
            lists.retain(|_, list| list.len() as u64 >= min_games);
            let mut expected = Vec::new();
            for list in lists.values_mut() {
                list.sort_unstable_by_key(Posting::rank);
                expected.extend(list.iter().copied());
            }
            let mut bytes = Vec::new();
            let sizes = maker.finish(min_games, &mut bytes).unwrap();
            let lists_end = expected.len() * POSTING_BYTES;
            let found: Vec<Posting> = bytes[..lists_end].as_chunks().0.iter().map(Posting::from_bytes).collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(sizes.games, games.len() as u64);
            let places = usize::from(!lists.is_empty());
            let whole = lists_end + 8 * (places + games.len()) + sizes.record_bytes as usize;
            prop_assert_eq!(bytes.len(), whole);
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no file is left");
        }
    }
}
