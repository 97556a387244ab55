//! Writes one column after another.

use std::io::Write;

use parquet::{
    data_type::{ByteArray, DataType, Int32Type},
    errors::ParquetError,
    file::writer::SerializedRowGroupWriter,
};

use crate::{packed_position::PACKED_POSITION_BYTES, sample::Sample};

/// A row group whose columns are written in the order of the schema.
pub(super) struct Columns<'a, 'file, W: Write> {
    pub(super) group: SerializedRowGroupWriter<'file, W>,
    pub(super) rows: &'a [Sample],
}

impl<W: Write + Send> Columns<'_, '_, W> {
    pub(super) fn required<T: DataType>(
        &mut self,
        value: impl Fn(&Sample) -> T::T,
    ) -> Result<(), ParquetError> {
        let values: Vec<T::T> = self.rows.iter().map(value).collect();
        self.write::<T>(&values, None, None)
    }

    /// A column without a value in some rows.
    pub(super) fn optional<T: DataType>(
        &mut self,
        value: impl Fn(&Sample) -> Option<T::T>,
    ) -> Result<(), ParquetError> {
        let mut values = Vec::with_capacity(self.rows.len());
        let mut levels = Vec::with_capacity(self.rows.len());
        for sample in self.rows {
            let value = value(sample);
            levels.push(i16::from(value.is_some()));
            values.extend(value);
        }
        self.write::<T>(&values, Some(&levels), None)
    }

    /// A column of byte strings, which are slices of one buffer: that saves one allocation per row.
    pub(super) fn bytes<T: DataType>(
        &mut self,
        bytes: impl Fn(&Sample) -> Option<&[u8]>,
        wrap: fn(ByteArray) -> T::T,
    ) -> Result<(), ParquetError> {
        let mut buffer = Vec::with_capacity(self.rows.len() * PACKED_POSITION_BYTES);
        let mut levels = Vec::with_capacity(self.rows.len());
        for sample in self.rows {
            let bytes = bytes(sample);
            levels.push(i16::from(bytes.is_some()));
            buffer.extend_from_slice(bytes.unwrap_or_default());
        }
        let buffer = ByteArray::from(buffer);
        let mut start = 0;
        let present = self.rows.iter().filter_map(bytes);
        let values: Vec<T::T> = present
            .map(|bytes| {
                start += bytes.len();
                wrap(buffer.slice(start - bytes.len(), bytes.len()))
            })
            .collect();
        self.write::<T>(&values, Some(&levels), None)
    }

    /// A column of lists; `fill` appends those of a sample.
    pub(super) fn lists(&mut self, fill: impl Fn(&Sample, &mut Vec<i32>)) -> Result<(), ParquetError> {
        let (mut values, mut levels, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        for sample in self.rows {
            let start = values.len();
            fill(sample, &mut values);
            let length = values.len() - start;
            levels.extend(std::iter::repeat_n(i16::from(length > 0), length.max(1)));
            repetitions.push(0);
            repetitions.extend(std::iter::repeat_n(1, length.saturating_sub(1)));
        }
        self.write::<Int32Type>(&values, Some(&levels), Some(&repetitions))
    }

    fn write<T: DataType>(
        &mut self,
        values: &[T::T],
        levels: Option<&[i16]>,
        repetitions: Option<&[i16]>,
    ) -> Result<(), ParquetError> {
        let Some(mut column) = self.group.next_column()? else {
            return Err(ParquetError::General("more columns than the schema has".into()));
        };
        column.typed::<T>().write_batch(values, levels, repetitions)?;
        column.close()
    }
}
