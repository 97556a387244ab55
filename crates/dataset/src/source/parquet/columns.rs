//! Columns of a row group, read from their beginning to their end in pieces.

use parquet::{
    column::reader::ColumnReaderImpl,
    data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
};

use super::guarded;

/// A column of byte arrays, read as texts.
pub(in crate::source) struct TextColumn(ColumnReaderImpl<ByteArrayType>);

/// A column of numbers of any physical type, read as `f64`.
pub(in crate::source) enum NumberColumn {
    /// Integers of up to 32 bits.
    Int32(ColumnReaderImpl<Int32Type>),
    Int64(ColumnReaderImpl<Int64Type>),
    /// Floats of 32 bits.
    Float(ColumnReaderImpl<FloatType>),
    /// Floats of 64 bits.
    Double(ColumnReaderImpl<DoubleType>),
}

impl TextColumn {
    pub(super) fn new(reader: ColumnReaderImpl<ByteArrayType>) -> Self {
        Self(reader)
    }

    /// The texts of the next `rows` rows, `None` for a null.
    pub(in crate::source) fn read(&mut self, rows: usize) -> Result<Vec<Option<ByteArray>>, ParquetError> {
        read(&mut self.0, rows)
    }
}

impl NumberColumn {
    /// The numbers of the next `rows` rows, `None` for a null.
    pub(in crate::source) fn read(&mut self, rows: usize) -> Result<Vec<Option<f64>>, ParquetError> {
        fn numbers<T>(values: Vec<Option<T>>, number: impl Fn(T) -> f64) -> Vec<Option<f64>> {
            values.into_iter().map(|value| value.map(&number)).collect()
        }
        Ok(match self {
            Self::Int32(reader) => numbers(read(reader, rows)?, f64::from),
            Self::Int64(reader) => numbers(read(reader, rows)?, |value| value as f64),
            Self::Float(reader) => numbers(read(reader, rows)?, f64::from),
            Self::Double(reader) => numbers(read(reader, rows)?, |value| value),
        })
    }
}

fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
) -> Result<Vec<Option<T::T>>, ParquetError> {
    let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let (found, ..) = guarded(|| reader.read_records(rows, Some(&mut levels), None, &mut values))?;
    if found != rows {
        return Err(ParquetError::General(format!("a column ends after {found} of {rows} rows")));
    }
    if levels.is_empty() {
        return Ok(values.into_iter().map(Some).collect());
    }
    let mut values = values.into_iter();
    Ok(levels.into_iter().map(|level| if level == 1 { values.next() } else { None }).collect())
}
