//! The Lichess evaluation database as Parquet (<https://huggingface.co/datasets/Lichess/chess-position-evaluations>).
//!
//! The line of a record is its row in the file, from 1. Batches of rows are read by all cores.

use std::{collections::VecDeque, str, sync::Arc};

use parquet::data_type::ByteArray;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::{
    BadReason, BadRecord, InputProgress, PositionRules, Problem, Source,
    evaluation_row::{COLUMNS, EvaluationRow},
    parquet::{NumberColumn, ParquetFile, TextColumn},
};
use crate::{
    DatasetError,
    record::{Place, Record},
};

/// Rows that are held in memory at once.
const BATCH_ROWS: u64 = 1 << 14;

struct Evaluations {
    file: ParquetFile,
    rules: PositionRules,
    group: Option<OpenGroup>,
    rows_before: u64,
    ready: VecDeque<Result<Record, BadRecord>>,
    finished: bool,
}

/// A row group that is being read.
struct OpenGroup {
    rows_left: u64,
    fens: TextColumn,
    lines: TextColumn,
    centipawns: Option<NumberColumn>,
    mates: Option<NumberColumn>,
    depths: Option<NumberColumn>,
    thousand_nodes: Option<NumberColumn>,
}

/// Rows as the columns give them.
struct Batch {
    fens: Vec<Option<ByteArray>>,
    lines: Vec<Option<ByteArray>>,
    centipawns: Vec<Option<f64>>,
    mates: Vec<Option<f64>>,
    has_mates: bool,
    depths: Vec<Option<f64>>,
    thousand_nodes: Vec<Option<f64>>,
}

/// True if a file has the columns of such a table.
pub(super) fn recognises(file: &ParquetFile) -> bool {
    file.has_columns(&COLUMNS)
}

/// Reads a file that [`recognises`] accepted.
pub(super) fn open(file: ParquetFile, rules: PositionRules) -> Box<dyn Source> {
    Box::new(Evaluations {
        file,
        rules,
        group: None,
        rows_before: 0,
        ready: VecDeque::new(),
        finished: false,
    })
}

impl Evaluations {
    /// Reads the next batch into `ready`; `false` at the end of the file.
    fn fill(&mut self) -> Result<bool, DatasetError> {
        while self.group.as_ref().is_none_or(|group| group.rows_left == 0) {
            let Some(group) = self.file.next_group()? else { return Ok(false) };
            self.group = Some(OpenGroup {
                rows_left: group.rows,
                fens: group.texts("fen")?,
                lines: group.texts("line")?,
                centipawns: group.numbers("cp")?,
                mates: group.numbers("mate")?,
                depths: group.numbers("depth")?,
                thousand_nodes: group.numbers("knodes")?,
            });
        }
        let Some(group) = &mut self.group else { return Ok(false) };
        let rows = group.rows_left.min(BATCH_ROWS) as usize;
        group.rows_left -= rows as u64;
        let batch = group.read(rows).map_err(self.file.failure())?;
        let (first, path, rules) = (self.rows_before + 1, self.file.path(), self.rules);
        // Positions and moves are parsed on all cores; collecting into a vector keeps the order of the rows.
        let records: Vec<_> = (0..rows)
            .into_par_iter()
            .map(|row| {
                let place = Place { file: Arc::clone(path), line: first + row as u64 };
                batch.record(row, &place, rules).map_err(|problem| problem.at(place))
            })
            .collect();
        self.ready = records.into();
        self.rows_before += rows as u64;
        Ok(true)
    }
}

impl OpenGroup {
    fn read(&mut self, rows: usize) -> Result<Batch, parquet::errors::ParquetError> {
        Ok(Batch {
            fens: self.fens.read(rows)?,
            lines: self.lines.read(rows)?,
            centipawns: numbers(&mut self.centipawns, rows)?,
            has_mates: self.mates.is_some(),
            mates: numbers(&mut self.mates, rows)?,
            depths: numbers(&mut self.depths, rows)?,
            thousand_nodes: numbers(&mut self.thousand_nodes, rows)?,
        })
    }
}

/// The next numbers of a column; all `None` if the file lacks it.
fn numbers(
    column: &mut Option<NumberColumn>,
    rows: usize,
) -> Result<Vec<Option<f64>>, parquet::errors::ParquetError> {
    column.as_mut().map_or_else(|| Ok(vec![None; rows]), |column| column.read(rows))
}

impl Batch {
    fn record(&self, row: usize, place: &Place, rules: PositionRules) -> Result<Record, Problem> {
        let read = EvaluationRow {
            fen: text("fen", self.fens[row].as_ref())?,
            line: text("line", self.lines[row].as_ref())?,
            centipawns: self.centipawns[row],
            mate: self.mates[row],
            is_unread: false,
            has_mates: self.has_mates,
            depth: self.depths[row],
            thousand_nodes: self.thousand_nodes[row],
        };
        Ok(Record::Position(Box::new(read.record(place, rules)?)))
    }
}

fn text<'a>(column: &str, value: Option<&'a ByteArray>) -> Result<&'a str, Problem> {
    let bytes = value.map_or(&b""[..], ByteArray::data);
    str::from_utf8(bytes).map_err(|_| Problem::new(BadReason::BadSyntax, format!("{column} is not UTF-8")))
}

impl Iterator for Evaluations {
    type Item = Result<Result<Record, BadRecord>, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.ready.pop_front() {
                return Some(Ok(record));
            }
            if self.finished {
                return None;
            }
            match self.fill() {
                Ok(more) => self.finished = !more,
                Err(error) => {
                    self.finished = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

impl Source for Evaluations {
    fn progress(&self) -> InputProgress {
        self.file.progress()
    }

    fn digest(&self) -> String {
        self.file.digest()
    }
}
