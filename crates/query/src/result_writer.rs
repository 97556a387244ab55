//! Rows as text.

use std::io::Write;

use datafusion::arrow::{
    array::RecordBatch, csv, error::ArrowError, json, util::pretty::pretty_format_batches_with_schema,
};

use crate::{
    QueryError,
    answer::{Columns, RowObserver, Rows},
};

/// Maximum rows of a table for reading, which is held in memory.
const TABLE_ROWS: usize = 1000;

/// Format of written rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Columns of even width, the first thousand rows.
    Table,
    /// Comma-separated values with a heading. Lists have no form in it.
    Csv,
    /// A JSON object a line.
    JsonLines,
}

/// Writes the rows of a query as they arrive.
#[derive(Debug)]
pub struct ResultWriter<W> {
    format: Format,
    out: W,
    schema: Option<Columns>,
    shown: Vec<RecordBatch>,
    rows: u64,
}

impl<W: Write> ResultWriter<W> {
    /// A writer of rows that writes to `out`.
    pub fn new(format: Format, out: W) -> Self {
        Self { format, out, schema: None, shown: Vec::new(), rows: 0 }
    }

    /// Rows written so far.
    pub fn written(&self) -> u64 {
        self.rows
    }

    /// Writes text of one of Arrow's writers, which lose the cause of a system error.
    fn write(&mut self, rows: impl FnOnce(&mut Vec<u8>) -> Result<(), ArrowError>) -> Result<(), QueryError> {
        let mut text = Vec::new();
        rows(&mut text).map_err(|error| refused(&error))?;
        Ok(self.out.write_all(&text)?)
    }

    /// Writes the remaining rows, and returns the output.
    ///
    /// # Errors
    /// [`QueryError::Output`].
    pub fn finish(mut self) -> Result<W, QueryError> {
        if let (Format::Table, Some(schema)) = (self.format, &self.schema) {
            let table = pretty_format_batches_with_schema(schema.clone(), &self.shown)
                .map_err(|error| refused(&error))?;
            writeln!(self.out, "{table}")?;
            if self.rows > TABLE_ROWS as u64 {
                writeln!(self.out, "{TABLE_ROWS} of {} rows; --csv and --json write all", self.rows)?;
            }
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

impl<W: Write> RowObserver for ResultWriter<W> {
    fn begin(&mut self, schema: &Columns) -> Result<(), QueryError> {
        self.schema = Some(schema.clone());
        if self.format == Format::Csv {
            let heading = RecordBatch::new_empty(schema.clone());
            self.write(|text| csv::WriterBuilder::new().with_header(true).build(text).write(&heading))?;
        }
        Ok(())
    }

    fn rows(&mut self, batch: &Rows) -> Result<(), QueryError> {
        match self.format {
            Format::Table => {
                let room = TABLE_ROWS.saturating_sub(self.rows as usize).min(batch.num_rows());
                if room > 0 {
                    self.shown.push(batch.slice(0, room));
                }
            }
            Format::Csv => {
                self.write(|text| csv::WriterBuilder::new().with_header(false).build(text).write(batch))?;
            }
            Format::JsonLines => self.write(|text| {
                let builder = json::WriterBuilder::new().with_explicit_nulls(true);
                builder.build::<_, json::writer::LineDelimited>(text).write(batch)
            })?,
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }
}

fn refused(error: &ArrowError) -> QueryError {
    QueryError::Query(error.to_string())
}
