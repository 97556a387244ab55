//! Tables with one ply per row: consecutive rows that name the same game are one record.
//!
//! As with PGN, one row that cannot be read makes its whole game a broken record; the game's remaining rows are
//! skipped.

use std::collections::VecDeque;

use chess::{Chess, Move, Position as _, Score};

use super::{
    BadReason, Problem,
    positions::MAX_PLIES,
    rows::RowReader,
    table::{Columns, Row},
};
use crate::record::{GameRecord, Place, Record, RecordedMove};

/// Reads the rows of such a table.
pub(super) trait PlyReader {
    /// The column that names the game.
    const GAME: &'static str;

    /// A game without moves from its first row.
    fn begin(&self, row: &Row<'_>, place: &Place) -> Result<GrowingGame, Problem>;

    /// Adds the move of a row, including the first row of a game.
    fn add(&self, game: &mut GrowingGame, row: &Row<'_>) -> Result<(), Problem>;
}

/// A game while its moves are read.
pub(super) struct GrowingGame {
    pub(super) record: GameRecord,
    /// The position after its moves.
    position: Chess,
}

impl GrowingGame {
    pub(super) fn new(record: GameRecord) -> Self {
        Self { position: record.start.clone(), record }
    }

    pub(super) fn position(&self) -> &Chess {
        &self.position
    }

    /// Plays a legal move; evaluation and clock are those of the position before it.
    pub(super) fn play(
        &mut self,
        played: Move,
        evaluation: Option<Score>,
        clock_seconds: Option<u32>,
    ) -> Result<(), Problem> {
        if self.record.moves.len() == MAX_PLIES {
            return Err(Problem::new(BadReason::TooLong, format!("more than {MAX_PLIES} half-moves")));
        }
        self.record.moves.push(RecordedMove { evaluation, clock_seconds, ..played.into() });
        self.position.play_unchecked(played);
        Ok(())
    }
}

/// Gathers the rows of each game.
pub(super) struct GameRows<R> {
    reader: R,
    columns: Option<Columns>,
    name: String,
    /// None before the first game and while the rest of a broken one is skipped.
    game: Option<GrowingGame>,
    begun: bool,
}

impl<R: PlyReader> GameRows<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, columns: None, name: String::new(), game: None, begun: false }
    }
}

impl<R: PlyReader> RowReader for GameRows<R> {
    fn read(&mut self, row: &str, place: &Place, records: &mut VecDeque<Record>) -> Result<(), Problem> {
        let Some(columns) = &self.columns else {
            self.columns = Some(Columns::new(row)?);
            return Ok(());
        };
        let row = columns.row(row)?;
        let name = row.field(R::GAME);
        if !self.begun || name != self.name {
            records.extend(self.game.take().map(|game| Record::Game(game.record)));
            name.clone_into(&mut self.name);
            self.begun = true;
            self.game = Some(self.reader.begin(&row, place)?);
        }
        let Some(game) = &mut self.game else { return Ok(()) };
        let added = self.reader.add(game, &row);
        if added.is_err() {
            self.game = None;
        }
        added.map_err(|problem| {
            Problem::new(problem.reason, format!("{} {name}: {}", R::GAME, problem.detail))
        })
    }

    fn goes_on(&self, row: &str) -> bool {
        self.columns.as_ref().is_some_and(|columns| columns.is_open(row))
    }

    fn finish(&mut self, records: &mut VecDeque<Record>) {
        records.extend(self.game.take().map(|game| Record::Game(game.record)));
    }
}
