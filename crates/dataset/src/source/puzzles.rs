//! Lichess's puzzles as CSV (<https://database.lichess.org/#puzzles>), with a heading or without one.
//!
//! The first move of a row leads to the puzzle and is the mistake that it punishes; from there on every other move is the
//! solver's. Each position in which the solver is to move is a record with that move as the best one.

use chess::{Position as _, notation::fen::parse_any_fen, parse_uci_move, shakmaty::uci::UciMove};

use super::{
    BadReason, PositionRules, Problem, Source,
    input::Input,
    positions,
    table::{self, Columns, Row, first_row, has_columns},
};
use crate::record::{Origin, Place, PositionRecord, Record};

/// Columns that such a table has.
const COLUMNS: &[&str] = &["PuzzleId", "FEN", "Moves"];

/// All columns of the published file, in its order.
const ALL_COLUMNS: &[&str] = &[
    "PuzzleId",
    "FEN",
    "Moves",
    "Rating",
    "RatingDeviation",
    "Popularity",
    "NbPlays",
    "Themes",
    "GameUrl",
    "OpeningTags",
];

/// True if a text begins with the heading of such a table, or with a row of one without a heading.
pub fn recognises(beginning: &str) -> bool {
    has_columns(beginning, COLUMNS) || columns_without_heading(beginning).is_some()
}

/// The columns of a table that begins with a puzzle instead of a heading; fewer than all may be there.
pub fn columns_without_heading(beginning: &str) -> Option<Columns> {
    let first = first_row(beginning).trim_end_matches([' ', '\r']);
    let columns = Columns::of_row(ALL_COLUMNS, first)?;
    let row = columns.row(first).ok()?;
    let mut moves = row.field("Moves").split_whitespace().peekable();
    let is_puzzle = moves.peek().is_some()
        && moves.all(|text| text.parse::<UciMove>().is_ok())
        && parse_any_fen(row.field("FEN")).is_ok();
    drop(row);
    is_puzzle.then_some(columns)
}

/// Reads an input that [`recognises`] accepted.
pub(super) fn open(input: Input) -> Box<dyn Source> {
    match columns_without_heading(input.beginning()) {
        Some(columns) => table::open_with(input, columns, records),
        None => table::open(input, records),
    }
}

fn records(row: &Row<'_>, place: &Place) -> Result<Vec<Record>, Problem> {
    let (mut position, castling_mode) = positions::parse(row.field("FEN"), PositionRules::Strict)?;
    let mut found = Vec::new();
    for (index, text) in row.field("Moves").split_whitespace().enumerate() {
        let played = parse_uci_move(&position, text)
            .map_err(|error| Problem::new(BadReason::IllegalMove, format!("move {}: {error}", index + 1)))?;
        if index % 2 == 1 {
            found.push(Record::Position(Box::new(PositionRecord {
                origin: Some(Origin::Puzzle),
                ..PositionRecord::new(place.clone(), position.clone(), castling_mode, played)
            })));
        }
        position.play_unchecked(played);
    }
    if found.is_empty() {
        return Err(Problem::new(BadReason::NoMoves, "a puzzle needs two moves or more"));
    }
    Ok(found)
}
