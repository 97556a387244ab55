//! Openings of the Encyclopaedia of Chess Openings as CSV: code, name and an example line such as `1 e4 e5 2 Nf3`.
//! Each is a game of unknown result; [`super::opening_names`] reads the names.

use super::{Source, input::Input, positions, table};
use crate::record::{Eco, GameRecord, Identity, Record};

/// Columns that such a table has.
pub(super) const COLUMNS: &[&str] = &["eco", "eco_name", "eco_example"];

pub(super) fn open(input: Input) -> Box<dyn Source> {
    table::open(input, |row, place| {
        Ok([Record::Game(GameRecord {
            place: place.clone(),
            moves: positions::parse_moves(row.field("eco_example"))?,
            eco: Eco::parse(row.field("eco").as_bytes()),
            identity: Identity::named(row.field("eco_name")),
            ..GameRecord::default()
        })])
    })
}
