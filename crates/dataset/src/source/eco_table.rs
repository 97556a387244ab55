//! Openings of the Encyclopaedia of Chess Openings as CSV: code, name and an example line such as `1 e4 e5 2 Nf3`.
//! Each is a game of unknown result; [`super::opening_names`] reads the names.

use std::collections::VecDeque;

use chess::Chess;

use super::{
    Source,
    input::Input,
    rows::{Problem, RowReader, Rows},
    san_moves,
    table::{Columns, has_columns},
};
use crate::record::{Eco, GameRecord, Identity, Place, Players, Record};

#[derive(Default)]
struct Openings(Option<Columns>);

/// True if a text begins with the heading of such a table.
pub(super) fn recognises(beginning: &str) -> bool {
    has_columns(beginning, &["eco", "eco_name", "eco_example"])
}

/// Reads an input that [`recognises`] accepted.
pub(super) fn open(input: Input) -> Box<dyn Source> {
    Box::new(Rows::new(input, Openings::default()))
}

impl RowReader for Openings {
    fn read(&mut self, row: &str, place: &Place, records: &mut VecDeque<Record>) -> Result<(), Problem> {
        let Some(columns) = &self.0 else {
            self.0 = Some(Columns::new(row)?);
            return Ok(());
        };
        let row = columns.row(row)?;
        records.push_back(Record::Game(GameRecord {
            place: place.clone(),
            start: Chess::default(),
            moves: san_moves::parse(row.field("eco_example"))?,
            winner: None,
            white_rating: None,
            black_rating: None,
            time_control: None,
            eco: Eco::parse(row.field("eco").as_bytes()),
            year: None,
            origin: None,
            identity: Identity::named(row.field("eco_name")),
            players: Players::default(),
        }));
        Ok(())
    }
}
