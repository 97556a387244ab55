//! Counts of a move in a position, and their bytes.

use dataset::record::Winner;
use serde::Serialize;

use crate::openings::ReadMove;

/// Bytes of an entry: key 8, move 2, tally 32, all little endian.
pub(crate) const ENTRY_BYTES: usize = 42;

/// The games in which a move was played in a position. Counts stop at their largest number instead of wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct MoveTally {
    pub white: u32,
    pub draws: u32,
    pub black: u32,
    /// Games whose result is not known; the weight of a book's move.
    pub unknown: u32,
    /// Games in which the rating of the player who made the move is known.
    pub rated: u32,
    /// The sum of these ratings.
    pub rating_sum: u64,
    /// The first year in which it was played; 0 if no year is known.
    pub first_year: u16,
    /// The last such year.
    pub last_year: u16,
}

impl MoveTally {
    pub(crate) fn of(played: &ReadMove<'_>) -> Self {
        Self::of_game(played.winner, played.rating, played.year)
    }

    /// One game; `rating` is that of the player who made the move.
    pub(crate) fn of_game(winner: Option<Winner>, rating: Option<u16>, year: Option<u16>) -> Self {
        let year = year.unwrap_or(0);
        Self {
            white: u32::from(winner == Some(Winner::White)),
            draws: u32::from(winner == Some(Winner::Draw)),
            black: u32::from(winner == Some(Winner::Black)),
            unknown: u32::from(winner.is_none()),
            rated: u32::from(rating.is_some()),
            rating_sum: rating.map_or(0, u64::from),
            first_year: year,
            last_year: year,
        }
    }

    /// Number of games, including those without a known result.
    pub fn games(&self) -> u64 {
        [self.white, self.draws, self.black, self.unknown].into_iter().map(u64::from).sum()
    }

    /// The mean rating of the players who made the move, if any is known.
    pub fn rating(&self) -> Option<u16> {
        let mean = self.rating_sum.checked_div(u64::from(self.rated))?;
        u16::try_from(mean).ok()
    }

    /// First and last year, if any is known.
    pub fn years(&self) -> Option<(u16, u16)> {
        (self.last_year > 0).then_some((self.first_year, self.last_year))
    }

    /// Adds other games of the same move.
    pub(crate) fn add(&mut self, other: &Self) {
        self.white = self.white.saturating_add(other.white);
        self.draws = self.draws.saturating_add(other.draws);
        self.black = self.black.saturating_add(other.black);
        self.unknown = self.unknown.saturating_add(other.unknown);
        self.rated = self.rated.saturating_add(other.rated);
        self.rating_sum = self.rating_sum.saturating_add(other.rating_sum);
        self.first_year = match (self.first_year, other.first_year) {
            (0, year) | (year, 0) => year,
            (one, other) => one.min(other),
        };
        self.last_year = self.last_year.max(other.last_year);
    }
}

/// A move in a position. Tables are in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MoveKey {
    /// `chess::polyglot::polyglot_key` of the position.
    pub(crate) position: u64,
    /// The move in Polyglot's bits.
    pub(crate) packed_move: u16,
}

/// A row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: MoveKey,
    pub(crate) tally: MoveTally,
}

impl Entry {
    pub(crate) fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let MoveTally { white, draws, black, unknown, rated, rating_sum, first_year, last_year } = self.tally;
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..8].copy_from_slice(&self.key.position.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.key.packed_move.to_le_bytes());
        for (place, number) in
            bytes[10..30].as_chunks_mut().0.iter_mut().zip([white, draws, black, unknown, rated])
        {
            *place = number.to_le_bytes();
        }
        bytes[30..38].copy_from_slice(&rating_sum.to_le_bytes());
        bytes[38..40].copy_from_slice(&first_year.to_le_bytes());
        bytes[40..].copy_from_slice(&last_year.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; ENTRY_BYTES]) -> Self {
        Self {
            key: MoveKey { position: number(&bytes[..8]), packed_move: number(&bytes[8..10]) as u16 },
            tally: MoveTally {
                white: number(&bytes[10..14]) as u32,
                draws: number(&bytes[14..18]) as u32,
                black: number(&bytes[18..22]) as u32,
                unknown: number(&bytes[22..26]) as u32,
                rated: number(&bytes[26..30]) as u32,
                rating_sum: number(&bytes[30..38]),
                first_year: number(&bytes[38..40]) as u16,
                last_year: number(&bytes[40..]) as u16,
            },
        }
    }
}

/// The little-endian number in at most eight bytes.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tally() -> impl Strategy<Value = MoveTally> {
        let counts = prop::array::uniform5(any::<u32>());
        (counts, any::<u64>(), any::<u16>(), any::<u16>()).prop_map(
            |([white, draws, black, unknown, rated], rating_sum, first_year, last_year)| MoveTally {
                white,
                draws,
                black,
                unknown,
                rated,
                rating_sum,
                first_year,
                last_year,
            },
        )
    }

    proptest! {
        #[test]
        fn bytes_give_the_entry_again(position in any::<u64>(), packed_move in any::<u16>(), tally in tally()) {
            let entry = Entry { key: MoveKey { position, packed_move }, tally };
            prop_assert_eq!(Entry::from_bytes(&entry.to_bytes()), entry);
        }
    }

    #[test]
    fn years_are_the_first_and_the_last_that_are_known() {
        let mut tally = MoveTally::default();
        assert_eq!(tally.years(), None);
        for year in [0, 1994, 1972, 0, 2021] {
            tally.add(&MoveTally { first_year: year, last_year: year, ..MoveTally::default() });
        }
        assert_eq!(tally.years(), Some((1972, 2021)));
    }
}
