//! The Lichess evaluation database as CSV (<https://www.kaggle.com/datasets/lichess/chess-evaluations>).

use std::collections::VecDeque;

use super::{
    PositionRules, Source,
    evaluation_row::{COLUMNS, EvaluationRow},
    input::Input,
    rows::{Problem, RowReader, Rows},
    table::{Columns, has_columns},
};
use crate::record::{Place, Record};

struct Evaluations {
    columns: Option<Columns>,
    rules: PositionRules,
}

/// True if a text begins with the heading of such a table.
pub(super) fn recognises(beginning: &str) -> bool {
    has_columns(beginning, &COLUMNS)
}

/// Reads an input that [`recognises`] accepted.
pub(super) fn open(input: Input, rules: PositionRules) -> Box<dyn Source> {
    Box::new(Rows::new(input, Evaluations { columns: None, rules }))
}

impl RowReader for Evaluations {
    fn read(&mut self, row: &str, place: &Place, records: &mut VecDeque<Record>) -> Result<(), Problem> {
        let Some(columns) = &self.columns else {
            self.columns = Some(Columns::new(row)?);
            return Ok(());
        };
        let row = columns.row(row)?;
        let read = EvaluationRow {
            fen: row.field("fen"),
            line: row.field("line"),
            centipawns: row.number("cp")?,
            mate: row.number("mate")?,
            has_mates: columns.contain("mate"),
            depth: row.number("depth")?,
            thousand_nodes: row.number("knodes")?,
        };
        records.push_back(Record::Position(Box::new(read.record(place, self.rules)?)));
        Ok(())
    }
}
