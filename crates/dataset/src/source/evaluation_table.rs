//! The Lichess evaluation database as CSV (<https://www.kaggle.com/datasets/lichess/chess-evaluations>).

use super::{PositionRules, Source, evaluation_row::EvaluationRow, input::Input, table};
use crate::record::Record;

pub(super) fn open(input: Input, rules: PositionRules) -> Box<dyn Source> {
    table::open(input, move |row, place| {
        let (centipawns, mate) = (row.number("cp"), row.number("mate"));
        let read = EvaluationRow {
            fen: row.field("fen"),
            line: row.field("line"),
            is_unread: centipawns.is_err() || mate.is_err(),
            centipawns: centipawns.unwrap_or_default(),
            mate: mate.unwrap_or_default(),
            has_mates: row.has("mate"),
            depth: row.number("depth")?,
            thousand_nodes: row.number("knodes")?,
        };
        Ok([Record::Position(Box::new(read.record(place, rules)?))])
    })
}
