//! EPD: one position per line, followed by operations (PGN standard of 1994, section 16.2).
//!
//! # Label rules
//! 1. The best move is the first of `bm`; a line without one is a position without labels.
//! 2. `ce` is the evaluation in centipawns for the side to move, `dm` the moves to a mate that it gives, `acd` the depth.
//! 3. Lines that begin with `#` are comments.

use std::collections::VecDeque;

use chess::{CastlingMode, Epd, NotationError, Score};

use super::{
    BadReason, Source,
    input::Input,
    positions,
    rows::{Problem, RowReader, Rows},
};
use crate::{
    policy::PolicyLabel,
    record::{Place, PositionRecord, Record, SearchEffort, UnlabelledPosition},
};

struct EpdRows;

/// True if a text begins with a line of EPD.
pub(super) fn recognises(beginning: &str) -> bool {
    let is_row = |line: &&str| !(line.trim().is_empty() || line.starts_with('#'));
    let Some(line) = beginning.lines().find(is_row) else { return false };
    let fields: Vec<&str> = line.split_whitespace().take(4).collect();
    fields.len() == 4 && fields[0].matches('/').count() == 7 && matches!(fields[1], "w" | "b")
}

/// Reads an input that [`recognises`] accepted.
pub(super) fn open(input: Input) -> Box<dyn Source> {
    Box::new(Rows::new(input, EpdRows))
}

impl RowReader for EpdRows {
    fn read(&mut self, row: &str, place: &Place, records: &mut VecDeque<Record>) -> Result<(), Problem> {
        if row.starts_with('#') {
            return Ok(());
        }
        let epd = Epd::parse(row, CastlingMode::Standard)
            .map_err(|error| (BadReason::BadFen, error.to_string()))?;
        let position = epd.game.position().clone();
        positions::check(&position, row)?;
        let unreadable = |error: NotationError| (BadReason::BadAnnotation, error.to_string());
        let moves = epd.best_moves().map_err(|error| (BadReason::IllegalMove, error.to_string()))?;
        let Some(&best_move) = moves.first() else {
            let unlabelled = UnlabelledPosition { place: place.clone(), position };
            records.push_back(Record::Unlabelled(Box::new(unlabelled)));
            return Ok(());
        };
        let mate = epd.number::<i16>("dm").map_err(unreadable)?;
        if mate == Some(0) {
            let detail = "dm 0, expected at least one move: a position with a best move is not mate";
            return Err((BadReason::BadAnnotation, detail.into()));
        }
        let mate = mate.map(|moves| Score::Mate(i32::from(moves)));
        let centipawns = epd.centipawns().map_err(unreadable)?.map(Score::Centipawns);
        let depth = epd.analysis_depth().map_err(unreadable)?.and_then(|depth| u16::try_from(depth).ok());
        records.push_back(Record::Position(Box::new(PositionRecord {
            place: place.clone(),
            position,
            best_move,
            policy: PolicyLabel::BestMove,
            evaluation: mate.or(centipawns),
            effort: SearchEffort { depth, nodes: None },
            origin: None,
        })));
        Ok(())
    }
}
