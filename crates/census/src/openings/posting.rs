//! A game in the lists of a table: where to find it, and what filters and counts need of it, so that they read the list alone.

use std::{
    cmp::Reverse,
    io::{self, Read, Write},
    ops::RangeInclusive,
};

use chess::Color;
use dataset::record::{GameRecord, Winner};

use crate::openings::{
    GameFilter, MoveTally,
    runs::Row,
    tally::{MoveKey, number},
};

/// Bytes of a posting: White's rating 2, Black's 2, year and result 2, number of the game 4, all little endian.
pub(crate) const POSTING_BYTES: usize = 10;

/// Years are stored in fourteen bits; PGN has four digits.
const LAST_YEAR: u16 = (1 << 14) - 1;

/// A game in which a move was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) white_rating: Option<u16>,
    pub(crate) black_rating: Option<u16>,
    pub(crate) year: Option<u16>,
    pub(crate) winner: Option<Winner>,
    /// Number of the game in the table, from 0.
    pub(crate) game: u32,
}

/// The order of a list: the strongest players first, games of equal strength from the latest year to the first, and those of a
/// year as they were read. Games in which a rating is unknown are the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    rating: Reverse<Option<u16>>,
    year: Reverse<Option<u16>>,
    game: u32,
}

impl Posting {
    pub(crate) fn of(record: &GameRecord, game: u32) -> Self {
        // A rating of 0 says nothing: programs write it for players without one.
        let rating = |rating: Option<u16>| rating.filter(|&rating| rating > 0);
        Self {
            white_rating: rating(record.white_rating),
            black_rating: rating(record.black_rating),
            year: record.year.filter(|year| (1..=LAST_YEAR).contains(year)),
            winner: record.winner,
            game,
        }
    }

    pub(crate) fn rank(&self) -> Rank {
        Rank { rating: Reverse(self.mean_rating()), year: Reverse(self.year), game: self.game }
    }

    /// The mean of both ratings, rounded down; `None` if one of them is unknown.
    pub(crate) fn mean_rating(&self) -> Option<u16> {
        Some(self.white_rating?.midpoint(self.black_rating?))
    }

    pub(crate) fn passes(&self, filter: &GameFilter) -> bool {
        is_within(self.mean_rating(), filter.ratings.as_ref()) && is_within(self.year, filter.years.as_ref())
    }

    /// The game as a count of a move that `mover` made.
    pub(crate) fn tally(&self, mover: Color) -> MoveTally {
        MoveTally::of_game(self.winner, mover.fold_wb(self.white_rating, self.black_rating), self.year)
    }

    pub(crate) fn to_bytes(self) -> [u8; POSTING_BYTES] {
        let winner = match self.winner {
            None => 0,
            Some(Winner::White) => 1,
            Some(Winner::Draw) => 2,
            Some(Winner::Black) => 3,
        };
        let mut bytes = [0; POSTING_BYTES];
        bytes[..2].copy_from_slice(&self.white_rating.unwrap_or(0).to_le_bytes());
        bytes[2..4].copy_from_slice(&self.black_rating.unwrap_or(0).to_le_bytes());
        bytes[4..6].copy_from_slice(&(self.year.unwrap_or(0) << 2 | winner).to_le_bytes());
        bytes[6..].copy_from_slice(&self.game.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; POSTING_BYTES]) -> Self {
        let known = |bytes: &[u8]| Some(number(bytes) as u16).filter(|&number| number > 0);
        let year = number(&bytes[4..6]) as u16;
        Self {
            white_rating: known(&bytes[..2]),
            black_rating: known(&bytes[2..4]),
            year: Some(year >> 2).filter(|&year| year > 0),
            winner: match year & 3 {
                1 => Some(Winner::White),
                2 => Some(Winner::Draw),
                3 => Some(Winner::Black),
                _ => None,
            },
            game: number(&bytes[6..]) as u32,
        }
    }
}

/// True if there is no range, or if the value is known and in it.
fn is_within(value: Option<u16>, range: Option<&RangeInclusive<u16>>) -> bool {
    range.is_none_or(|range| value.is_some_and(|value| range.contains(&value)))
}

/// A posting with the move to whose list it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlacedPosting {
    pub(crate) key: MoveKey,
    pub(crate) posting: Posting,
}

impl Row for PlacedPosting {
    type Key = (MoveKey, Rank);

    fn key(&self) -> Self::Key {
        (self.key, self.posting.rank())
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.key.position.to_le_bytes())?;
        out.write_all(&self.key.packed_move.to_le_bytes())?;
        out.write_all(&self.posting.to_bytes())
    }

    fn read(input: &mut dyn Read) -> io::Result<Self> {
        let mut key = [0; 10];
        let mut posting = [0; POSTING_BYTES];
        input.read_exact(&mut key)?;
        input.read_exact(&mut posting)?;
        let key = MoveKey { position: number(&key[..8]), packed_move: number(&key[8..]) as u16 };
        Ok(Self { key, posting: Posting::from_bytes(&posting) })
    }

    fn absorb(&mut self, _: &Self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posting(white: u16, black: u16, year: u16, game: u32) -> Posting {
        let known = |number: u16| Some(number).filter(|&number| number > 0);
        Posting {
            white_rating: known(white),
            black_rating: known(black),
            year: known(year),
            winner: Some(Winner::Draw),
            game,
        }
    }

    #[test]
    fn bytes_give_the_posting_again() {
        for winner in [None, Some(Winner::White), Some(Winner::Draw), Some(Winner::Black)] {
            for (white, black, year) in [(2851, 2700, 2014), (0, 1500, 0), (u16::MAX, 1, LAST_YEAR)] {
                let written = Posting { winner, ..posting(white, black, year, u32::MAX) };
                assert_eq!(Posting::from_bytes(&written.to_bytes()), written);
            }
        }
    }

    #[test]
    fn the_strongest_come_first_then_the_latest_and_last_those_of_unknown_strength() {
        let mut games = [
            posting(2500, 0, 2020, 0),
            posting(2400, 2401, 1990, 1),
            posting(2600, 2500, 1972, 2),
            posting(2400, 2400, 2001, 3),
            posting(0, 0, 0, 4),
        ];
        games.sort_unstable_by_key(Posting::rank);
        assert_eq!(games.map(|each| each.game), [2, 3, 1, 0, 4]);
    }

    #[test]
    fn ranges_hold_both_ends_and_nothing_unknown() {
        let filter = GameFilter { ratings: Some(2400..=2450), years: Some(1990..=1990) };
        assert!(posting(2400, 2400, 1990, 0).passes(&filter));
        assert!(posting(2300, 2601, 1990, 0).passes(&filter), "the mean of both, rounded down");
        assert!(!posting(2300, 2602, 1990, 0).passes(&filter));
        assert!(!posting(2400, 0, 1990, 0).passes(&filter));
        assert!(!posting(2400, 2400, 0, 0).passes(&filter));
        assert!(posting(0, 0, 0, 0).passes(&GameFilter::default()));
    }
}
