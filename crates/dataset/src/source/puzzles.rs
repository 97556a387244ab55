//! Lichess's puzzles as CSV (<https://database.lichess.org/#puzzles>).
//!
//! The first move of a row leads to the puzzle and is the mistake that it punishes; from there on every other move is the
//! solver's. Each position in which the solver is to move is a record with that move as the best one.

use chess::{Position as _, parse_uci_move};

use super::{BadReason, PositionRules, Source, input::Input, positions, table};
use crate::{
    policy::PolicyLabel,
    record::{Origin, PositionRecord, Record, SearchEffort},
};

/// Columns that such a table has.
pub(super) const COLUMNS: &[&str] = &["PuzzleId", "FEN", "Moves"];

pub(super) fn open(input: Input) -> Box<dyn Source> {
    table::open(input, |row, place| {
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
        Ok(found)
    })
}
