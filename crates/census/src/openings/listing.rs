//! The games behind a count of a table: counts of some of them, and the games themselves.

use std::{
    cmp::Reverse,
    collections::HashMap,
    ops::{Range, RangeInclusive},
};

use chess::{
    Chess, Move, Position as _,
    polyglot::{BookEntry, polyglot_key},
};
use dataset::record::GameRecord;

use crate::openings::{
    ExplorerError, GameList, ListSizes, MoveTally, Table, TableMove,
    game_record::{self, MOST_RECORD_BYTES},
    list_maker::LISTS_IN_BLOCK,
    posting::{POSTING_BYTES, Posting},
    table::{FoundEntries, bisect, offset},
};

/// Games that are looked through for one answer: 100 MB of postings. More are refused instead of sampled, because an estimate would
/// look like a count.
pub const MOST_FILTERED: u64 = 10_000_000;

/// Games of a position that can be listed, the strongest first.
pub const MOST_LISTED: usize = 1000;

/// Postings read at a time.
const BLOCK: u64 = 6000;

/// Which games of a table count. A game whose rating or year is not known is outside of every range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFilter {
    /// Mean rating of both players, rounded down. The explorer of Lichess groups its games by the same number (`RatingGroup::select`
    /// in `src/model/lichess.rs` of lichess-org/lila-openingexplorer).
    pub ratings: Option<RangeInclusive<u16>>,
    /// Year in which the game was played.
    pub years: Option<RangeInclusive<u16>>,
}

impl GameFilter {
    /// True if all games pass.
    pub fn is_empty(&self) -> bool {
        self.ratings.is_none() && self.years.is_none()
    }
}

/// Which games to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameQuery {
    /// Only games in which this move was played; all games of the position for `None`.
    pub chess_move: Option<Move>,
    /// Only games that pass.
    pub filter: GameFilter,
    /// Games to skip.
    pub from: usize,
    /// Number of games after these. None are listed after the [`MOST_LISTED`]th.
    pub most: usize,
}

/// Some of the games behind a count.
#[derive(Clone, Debug)]
pub struct GamePage {
    /// The strongest first (mean of both ratings), the latest of equal strength first; games without ratings are the last.
    pub games: Vec<ListedGame>,
    /// Number of games that the query fits, listed or not.
    pub total: u64,
}

/// A game of a table.
#[derive(Clone, Debug)]
pub struct ListedGame {
    /// Players, ratings, result, year, start and moves; nothing else is kept.
    pub record: GameRecord,
    /// Half-moves before the position was reached for the first time.
    pub ply: usize,
}

/// The games with a move.
struct MoveGames {
    chess_move: Move,
    /// Their indices among all postings.
    range: Range<u64>,
}

/// The first games of a list, and the number of all of them.
struct Matches {
    first: Vec<Posting>,
    count: u64,
}

impl Table {
    /// The moves of a position, of the games that pass: most games first, as [`Table::moves`], moves of as many games in any order.
    ///
    /// # Errors
    /// [`ExplorerError::NoGames`] for a filter of a table without lists, [`ExplorerError::ManyGames`] for more than
    /// [`MOST_FILTERED`] games, and the errors of [`Table::moves`].
    pub fn filtered_moves(
        &mut self,
        position: &Chess,
        filter: &GameFilter,
    ) -> Result<Vec<TableMove>, ExplorerError> {
        if filter.is_empty() {
            return self.moves(position);
        }
        let lists = self.lists(position, None, filter)?;
        let mut moves = Vec::new();
        for MoveGames { chess_move, range } in lists {
            let mut tally = MoveTally::default();
            self.scan(range, |posting| {
                if posting.passes(filter) {
                    tally.add(&posting.tally(position.turn()));
                }
            })?;
            if tally.games() > 0 {
                moves.push(TableMove { chess_move, tally });
            }
        }
        moves.sort_by_key(|each| Reverse(each.tally.games()));
        Ok(moves)
    }

    /// Games that reached a position within the half-moves that the table has of each.
    ///
    /// # Errors
    /// As [`Table::filtered_moves`]; also [`ExplorerError::Format`] for a game that is damaged.
    pub fn games(&mut self, position: &Chess, query: &GameQuery) -> Result<GamePage, ExplorerError> {
        let end = query.from.saturating_add(query.most).min(MOST_LISTED);
        let mut found = Vec::new();
        let mut total = 0;
        for MoveGames { range, .. } in self.lists(position, query.chess_move, &query.filter)? {
            let Matches { first, count } = self.matches(range, &query.filter, end)?;
            found.extend(first);
            total += count;
        }
        found.sort_unstable_by_key(Posting::rank);
        let key = polyglot_key(position);
        let page = found.iter().take(end).skip(query.from);
        let games = page.map(|posting| self.game(posting.game, key)).collect::<Result<_, _>>()?;
        Ok(GamePage { games, total })
    }

    /// The first `most` games of a list that pass, and the number of all that do.
    fn matches(
        &mut self,
        range: Range<u64>,
        filter: &GameFilter,
        most: usize,
    ) -> Result<Matches, ExplorerError> {
        let mut first = Vec::new();
        if filter.is_empty() {
            let count = range.end - range.start;
            let end = range.start + count.min(most as u64);
            self.scan(range.start..end, |posting| first.push(posting))?;
            return Ok(Matches { first, count });
        }
        let mut count = 0;
        self.scan(range, |posting| {
            if posting.passes(filter) {
                count += 1;
                if first.len() < most {
                    first.push(posting);
                }
            }
        })?;
        Ok(Matches { first, count })
    }

    /// The lists of a position's moves, or of one of them, without games outside of the range of ratings as far as bisection finds
    /// them.
    fn lists(
        &mut self,
        position: &Chess,
        only: Option<Move>,
        filter: &GameFilter,
    ) -> Result<Vec<MoveGames>, ExplorerError> {
        let sizes = self.sizes()?;
        let FoundEntries { first, entries } = self.entries(polyglot_key(position))?;
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        // As in `Table::moves`, moves of another position with the same key are left out.
        let legal = position.legal_moves();
        let packed = legal.iter().map(|&legal| BookEntry::new(position, legal, 0).packed_move);
        let legal: HashMap<u16, Move> = packed.zip(legal.iter().copied()).collect();
        let mut lists = Vec::new();
        let mut whole = 0;
        let mut start = self.place_of_list(first)?;
        for entry in entries {
            let end = start.saturating_add(entry.tally.games());
            if end > sizes.postings {
                return Err(self.damaged(format!("a list up to game {end}"), format!("{sizes:?}")));
            }
            let range = start..end;
            start = end;
            let Some(&chess_move) = legal.get(&entry.key.packed_move) else { continue };
            if only.is_some_and(|only| only != chess_move) {
                continue;
            }
            let range = self.narrowed(range, filter.ratings.as_ref())?;
            whole += range.end - range.start;
            lists.push(MoveGames { chess_move, range });
        }
        if !filter.is_empty() && whole > MOST_FILTERED {
            return Err(ExplorerError::ManyGames { found: whole, most: MOST_FILTERED });
        }
        Ok(lists)
    }

    /// Where the list of a move begins: the sum of all counts before its own.
    fn place_of_list(&mut self, index: u64) -> Result<u64, ExplorerError> {
        let block = index / LISTS_IN_BLOCK;
        let mut place = self.number_at(self.places_offset()? + block * 8)?;
        for entry in self.entries_at(block * LISTS_IN_BLOCK, index % LISTS_IN_BLOCK)? {
            place = place.saturating_add(entry.tally.games());
        }
        Ok(place)
    }

    /// The part of a list whose ratings are in a range. Short lists stay whole: reading one takes less than bisecting it.
    fn narrowed(
        &mut self,
        list: Range<u64>,
        ratings: Option<&RangeInclusive<u16>>,
    ) -> Result<Range<u64>, ExplorerError> {
        let Some(ratings) = ratings else { return Ok(list) };
        if list.end - list.start <= BLOCK {
            return Ok(list);
        }
        // Ratings fall along a list, and unknown ones, which are less than any number, are at its end.
        let start = bisect(list.clone(), |at| Ok(self.rating_at(at)? <= Some(*ratings.end())))?;
        let end = bisect(start..list.end, |at| Ok(self.rating_at(at)? < Some(*ratings.start())))?;
        Ok(start..end)
    }

    fn rating_at(&mut self, posting: u64) -> Result<Option<u16>, ExplorerError> {
        let mut bytes = [0; POSTING_BYTES];
        self.read_at(self.postings_offset() + posting * POSTING_BYTES as u64, &mut bytes)?;
        Ok(Posting::from_bytes(&bytes).mean_rating())
    }

    /// Passes on some postings, in order.
    fn scan(&mut self, range: Range<u64>, mut pass: impl FnMut(Posting)) -> Result<(), ExplorerError> {
        let mut start = range.start;
        let mut bytes = Vec::new();
        while start < range.end {
            let count = (range.end - start).min(BLOCK);
            bytes.resize(count as usize * POSTING_BYTES, 0);
            self.read_at(self.postings_offset() + start * POSTING_BYTES as u64, &mut bytes)?;
            bytes.as_chunks().0.iter().map(Posting::from_bytes).for_each(&mut pass);
            start += count;
        }
        Ok(())
    }

    /// What is known of a game, and where in it the position with a key is.
    fn game(&mut self, number: u32, key: u64) -> Result<ListedGame, ExplorerError> {
        let sizes = self.sizes()?;
        let number = u64::from(number);
        if number >= sizes.games {
            return Err(self.damaged(format!("game {number}"), format!("one of {} games", sizes.games)));
        }
        let starts = self.places_offset()? + self.info().moves.div_ceil(LISTS_IN_BLOCK) * 8;
        let start = self.number_at(starts + number * 8)?;
        let end = if number + 1 < sizes.games {
            self.number_at(starts + (number + 1) * 8)?
        } else {
            sizes.record_bytes
        };
        let length = end.checked_sub(start).filter(|&length| length <= MOST_RECORD_BYTES);
        let Some(length) = length.filter(|_| end <= sizes.record_bytes) else {
            let found = format!("game {number} in bytes {start} to {end}");
            return Err(
                self.damaged(found, format!("at most {MOST_RECORD_BYTES} of {} bytes", sizes.record_bytes))
            );
        };
        let mut bytes = vec![0; length as usize];
        self.read_at(starts + sizes.games * 8 + start, &mut bytes)?;
        let record = game_record::from_bytes(&bytes)
            .map_err(|found| self.damaged(format!("{found} ({number})"), "a game as it was read"))?;
        Ok(ListedGame { ply: ply_of(&record, key), record })
    }

    fn number_at(&mut self, offset: u64) -> Result<u64, ExplorerError> {
        let mut bytes = [0; 8];
        self.read_at(offset, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn sizes(&self) -> Result<ListSizes, ExplorerError> {
        let reason = match self.info().game_list {
            GameList::Kept(sizes) => return Ok(sizes),
            GameList::Older if self.info().lacks_games() => "an older version made it; read the games again",
            GameList::Older | GameList::LeftOut => "it was made without them, or of a book or a sample store",
        };
        Err(ExplorerError::NoGames { name: self.info().name.clone(), reason })
    }

    fn postings_offset(&self) -> u64 {
        offset(self.info().moves)
    }

    fn places_offset(&self) -> Result<u64, ExplorerError> {
        Ok(self.postings_offset() + self.sizes()?.postings * POSTING_BYTES as u64)
    }
}

/// Half-moves of a game before the position with a key; 0 if a flaw of its source hides it.
fn ply_of(record: &GameRecord, key: u64) -> usize {
    let mut game = record.game(0);
    for (ply, recorded) in record.moves.iter().enumerate() {
        if polyglot_key(game.position()) == key {
            return ply;
        }
        game.play_unchecked(recorded.played);
    }
    0
}
