//! Lichess's puzzles as CSV (<https://database.lichess.org/#puzzles>).
//!
//! The first move of a row leads to the puzzle and is the mistake that it punishes; from there on every other move is the
//! solver's. Each position in which the solver is to move is a record with that move as the best one.

use std::collections::VecDeque;

use chess::{Position as _, parse_uci_move};

use super::{
    BadReason, PositionRules, Source,
    input::Input,
    positions,
    rows::{Problem, RowReader, Rows},
    table::{Columns, has_columns},
};
use crate::{
    policy::PolicyLabel,
    record::{Origin, Place, PositionRecord, Record, SearchEffort},
};

#[derive(Default)]
struct Puzzles(Option<Columns>);

/// True if a text begins with the heading of such a table.
pub(super) fn recognises(beginning: &str) -> bool {
    has_columns(beginning, &["PuzzleId", "FEN", "Moves"])
}

/// Reads an input that [`recognises`] accepted.
pub(super) fn open(input: Input) -> Box<dyn Source> {
    Box::new(Rows::new(input, Puzzles::default()))
}

impl RowReader for Puzzles {
    fn read(&mut self, row: &str, place: &Place, records: &mut VecDeque<Record>) -> Result<(), Problem> {
        let Some(columns) = &self.0 else {
            self.0 = Some(Columns::new(row)?);
            return Ok(());
        };
        let row = columns.row(row)?;
        let mut position = positions::parse(row.field("FEN"), PositionRules::Strict)?;
        let mut found = Vec::new();
        for (index, text) in row.field("Moves").split_whitespace().enumerate() {
            let played = parse_uci_move(&position, text)
                .map_err(|error| (BadReason::IllegalMove, format!("move {}: {error}", index + 1)))?;
            if index % 2 == 1 {
                found.push(Record::Position(Box::new(PositionRecord {
                    place: place.clone(),
                    position: position.clone(),
                    best_move: played,
                    policy: PolicyLabel::BestMove,
                    evaluation: None,
                    effort: SearchEffort::default(),
                    origin: Some(Origin::Puzzle),
                })));
            }
            position.play_unchecked(played);
        }
        if found.is_empty() {
            return Err((BadReason::NoMoves, "a puzzle needs two moves or more".into()));
        }
        records.extend(found);
        Ok(())
    }
}
