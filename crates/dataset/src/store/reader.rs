//! Reads row groups back into samples.

use std::path::Path;

use parquet::{
    column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader},
    data_type::{
        ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, FloatType, Int32Type,
        Int64Type,
    },
    errors::ParquetError,
    file::reader::RowGroupReader,
};

use super::rows::{self, ColumnSource, Lists};
use crate::{DatasetError, packed_position::PackedPosition, sample::Sample};

/// All rows of a row group, in order.
pub(crate) fn read_row_group(
    group: &dyn RowGroupReader,
    path: &Path,
    row_group: usize,
) -> Result<Vec<Sample>, DatasetError> {
    let rows = group.metadata().num_rows() as usize;
    let read = rows::samples(&Columns { group, rows }, rows).map_err(DatasetError::parquet("read", path))?;
    let mut samples = Vec::with_capacity(rows);
    for (row, sample) in read.enumerate() {
        match sample {
            Ok(sample) => samples.push(sample),
            Err(reason) => return Err(DatasetError::BadRow { path: path.into(), row_group, row, reason }),
        }
    }
    Ok(samples)
}

/// The positions of a row group, in order.
pub(crate) fn read_positions(
    group: &dyn RowGroupReader,
    path: &Path,
    row_group: usize,
) -> Result<Vec<PackedPosition>, DatasetError> {
    let rows = group.metadata().num_rows() as usize;
    let raw = Columns { group, rows }.fixed("position").map_err(DatasetError::parquet("read", path))?;
    let mut positions = Vec::with_capacity(rows);
    for (row, bytes) in raw.iter().enumerate() {
        let Ok(bytes) = bytes.data().try_into() else {
            let reason = "position of wrong length".into();
            return Err(DatasetError::BadRow { path: path.into(), row_group, row, reason });
        };
        positions.push(PackedPosition(bytes));
    }
    Ok(positions)
}

/// The values of a column that may lack some, one for each definition level: 1 where there is a value, 0 where there is none. A column in
/// which every row has a value is stored without levels.
pub(crate) fn with_nulls<T>(values: Vec<T>, levels: Vec<i16>) -> Vec<Option<T>> {
    if levels.is_empty() {
        return values.into_iter().map(Some).collect();
    }
    let mut values = values.into_iter();
    levels.into_iter().map(|level| if level == 1 { values.next() } else { None }).collect()
}

/// The columns of a row group. A column that its version of the store lacks has no value in any row.
struct Columns<'a> {
    group: &'a dyn RowGroupReader,
    rows: usize,
}

impl ColumnSource for Columns<'_> {
    type Error = ParquetError;

    fn fixed(&self, name: &str) -> Result<Vec<FixedLenByteArray>, ParquetError> {
        self.required::<FixedLenByteArrayType>(name)
    }

    fn present(&self, name: &str) -> Result<Vec<i32>, ParquetError> {
        self.required::<Int32Type>(name)
    }

    fn numbers(&self, name: &str) -> Result<Vec<Option<i32>>, ParquetError> {
        self.optional::<Int32Type>(name)
    }

    fn long_numbers(&self, name: &str) -> Result<Vec<Option<i64>>, ParquetError> {
        self.optional::<Int64Type>(name)
    }

    fn reals(&self, name: &str) -> Result<Vec<Option<f32>>, ParquetError> {
        self.optional::<FloatType>(name)
    }

    fn bytes(&self, name: &str) -> Result<Vec<Option<ByteArray>>, ParquetError> {
        self.optional::<ByteArrayType>(name)
    }

    fn lists(&self, name: &str) -> Result<Lists, ParquetError> {
        let Some(mut reader) = self.reader::<Int32Type>(name)? else {
            return Ok(Lists::empty(self.rows));
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
        let lists = Lists::new(offsets, values).filter(|lists| lists.len() == self.rows);
        lists.ok_or_else(|| ParquetError::General(format!("column {name} has not {} whole lists", self.rows)))
    }
}

impl Columns<'_> {
    fn required<T: DataType>(&self, name: &str) -> Result<Vec<T::T>, ParquetError> {
        let mut values = Vec::with_capacity(self.rows);
        let Some(mut reader) = self.reader::<T>(name)? else {
            return Err(ParquetError::General(format!("no column {name}")));
        };
        let (rows, ..) = reader.read_records(self.rows, None, None, &mut values)?;
        self.check(name, rows)?;
        Ok(values)
    }

    /// A column that may lack a value in some rows, or altogether.
    fn optional<T: DataType>(&self, name: &str) -> Result<Vec<Option<T::T>>, ParquetError> {
        let Some(mut reader) = self.reader::<T>(name)? else { return Ok(vec![None; self.rows]) };
        let mut values = Vec::with_capacity(self.rows);
        let mut levels = Vec::with_capacity(self.rows);
        let (rows, ..) = reader.read_records(self.rows, Some(&mut levels), None, &mut values)?;
        self.check(name, rows)?;
        Ok(with_nulls(values, levels))
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
