//! Whole columns of a row group by their names.

use parquet::{
    column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader},
    data_type::{DataType, Int32Type},
    errors::ParquetError,
    file::reader::RowGroupReader,
};

/// The columns of a row group. A column that its version of the store lacks has no value in any row.
pub(super) struct Columns<'a> {
    pub(super) group: &'a dyn RowGroupReader,
    pub(super) rows: usize,
}

/// Lists of numbers, one a row.
pub(super) struct Lists {
    offsets: Vec<usize>,
    values: Vec<i32>,
}

impl Lists {
    /// The list of a row.
    pub(super) fn row(&self, row: usize) -> &[i32] {
        &self.values[self.offsets[row]..self.offsets[row + 1]]
    }
}

impl Columns<'_> {
    /// A column with a value in each row.
    pub(super) fn required<T: DataType>(&self, name: &str) -> Result<Vec<T::T>, ParquetError> {
        let mut values = Vec::with_capacity(self.rows);
        let Some(mut reader) = self.reader::<T>(name)? else {
            return Err(ParquetError::General(format!("no column {name}")));
        };
        let (rows, ..) = reader.read_records(self.rows, None, None, &mut values)?;
        self.check(name, rows)?;
        Ok(values)
    }

    /// A column that may lack a value in some rows, or altogether.
    pub(super) fn optional<T: DataType>(&self, name: &str) -> Result<Vec<Option<T::T>>, ParquetError> {
        let Some(mut reader) = self.reader::<T>(name)? else { return Ok(vec![None; self.rows]) };
        let mut values = Vec::with_capacity(self.rows);
        let mut levels = Vec::with_capacity(self.rows);
        let (rows, ..) = reader.read_records(self.rows, Some(&mut levels), None, &mut values)?;
        self.check(name, rows)?;
        if levels.is_empty() {
            return Ok(values.into_iter().map(Some).collect());
        }
        let mut values = values.into_iter();
        Ok(levels.into_iter().map(|level| if level == 1 { values.next() } else { None }).collect())
    }

    /// A column of lists, which may be absent.
    pub(super) fn lists(&self, name: &str) -> Result<Lists, ParquetError> {
        let Some(mut reader) = self.reader::<Int32Type>(name)? else {
            return Ok(Lists { offsets: vec![0; self.rows + 1], values: Vec::new() });
        };
        let (mut values, mut levels, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        let (rows, ..) =
            reader.read_records(self.rows, Some(&mut levels), Some(&mut repetitions), &mut values)?;
        self.check(name, rows)?;
        let mut offsets = Vec::with_capacity(rows + 1);
        let mut count = 0;
        for (level, repetition) in levels.into_iter().zip(repetitions) {
            if repetition == 0 {
                offsets.push(count);
            }
            count += usize::from(level == 1);
        }
        offsets.push(count);
        if offsets.len() != self.rows + 1 || count != values.len() {
            let found = offsets.len() - 1;
            return Err(ParquetError::General(format!(
                "column {name} has {found} lists, expected {}",
                self.rows
            )));
        }
        Ok(Lists { offsets, values })
    }

    fn reader<T: DataType>(&self, name: &str) -> Result<Option<ColumnReaderImpl<T>>, ParquetError> {
        let columns = self.group.metadata().schema_descr().columns();
        let Some(index) = columns.iter().position(|column| column.path().parts()[0] == name) else {
            return Ok(None);
        };
        let reader: ColumnReader = self.group.get_column_reader(index)?;
        Ok(Some(get_typed_column_reader(reader)))
    }

    fn check(&self, name: &str, rows: usize) -> Result<(), ParquetError> {
        if rows == self.rows {
            return Ok(());
        }
        Err(ParquetError::General(format!("column {name} has {rows} rows, expected {}", self.rows)))
    }
}
