//! The Lichess evaluation database as CSV (<https://www.kaggle.com/datasets/lichess/chess-evaluations>).

use super::{PositionRules, Source, evaluation_row::EvaluationRow, input::Input, table};
use crate::record::Record;

pub(super) fn open(input: Input, rules: PositionRules) -> Box<dyn Source> {
    table::open(input, move |row, place| {
        let read = EvaluationRow {
            fen: row.field("fen"),
            line: row.field("line"),
            centipawns: row.number("cp")?,
            mate: row.number("mate")?,
            has_mates: row.has("mate"),
            depth: row.number("depth")?,
            thousand_nodes: row.number("knodes")?,
        };
        Ok([Record::Position(Box::new(read.record(place, rules)?))])
    })
}
