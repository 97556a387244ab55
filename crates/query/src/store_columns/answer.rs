//! Rows of a query result as columns of a store.

use std::collections::HashMap;

use datafusion::{
    arrow::{
        array::{Array as _, ArrayRef, AsArray as _, RecordBatch},
        compute::{CastOptions, cast, cast_with_options},
        datatypes::{DataType, Field, Float32Type, Int32Type, Int64Type, UInt32Type, UInt64Type},
    },
    parquet::data_type::{ByteArray, FixedLenByteArray},
};
use dataset::store::rows::{ColumnSource, Lists};

use super::{bad_column, kind};
use crate::QueryError;

/// Rows of a query result, in the types of a store.
pub(super) struct Answer<'a> {
    columns: HashMap<&'a str, ArrayRef>,
    rows: usize,
}

impl<'a> Answer<'a> {
    pub(super) fn of(fields: &'a [(usize, Field)], batch: &RecordBatch) -> Result<Self, QueryError> {
        // Computed columns have wider types than those of a store: a sum of 16-bit numbers has 64 bits. Numbers that fit are accepted,
        // whatever their type. A safe cast would turn one that does not fit into NULL, which is a label that is missing.
        let options = CastOptions { safe: false, ..CastOptions::default() };
        let mut columns = HashMap::with_capacity(fields.len());
        for (place, field) in fields {
            let found = batch.column(*place);
            let is_list = matches!(field.data_type(), DataType::List(_));
            if !field.is_nullable() && !is_list && found.null_count() > 0 {
                return Err(bad_column(field.name(), "NULL", &kind(field)));
            }
            let column = cast_with_options(found, field.data_type(), &options)
                .map_err(|error| bad_column(field.name(), &error.to_string(), &kind(field)))?;
            columns.insert(field.name().as_str(), column);
        }
        Ok(Self { columns, rows: batch.num_rows() })
    }

    /// A column, which is missing only if the store has no such column.
    fn column(&self, name: &str) -> Option<&ArrayRef> {
        self.columns.get(name)
    }

    /// A column as numbers of 32 bits.
    fn narrow(&self, name: &str) -> Result<Option<Vec<Option<i32>>>, QueryError> {
        self.column(name).map(|column| numbers(name, column)).transpose()
    }
}

/// Numbers of at most 32 bits.
fn numbers(name: &str, column: &ArrayRef) -> Result<Vec<Option<i32>>, QueryError> {
    if let Some(unsigned) = column.as_primitive_opt::<UInt32Type>() {
        return Ok(unsigned.iter().map(|number| number.map(u32::cast_signed)).collect());
    }
    let column = cast(column, &DataType::Int32);
    let column = column.map_err(|error| bad_column(name, &error.to_string(), "a whole number"))?;
    Ok(column.as_primitive::<Int32Type>().iter().collect())
}

impl ColumnSource for Answer<'_> {
    type Error = QueryError;

    fn fixed(&self, name: &str) -> Result<Vec<FixedLenByteArray>, QueryError> {
        let column = self.column(name).ok_or_else(|| bad_column(name, "none", "one"))?.as_fixed_size_binary();
        // One buffer, of which each value is a slice: that saves one allocation per row.
        let length = column.value_length() as usize;
        let buffer = ByteArray::from(column.iter().flatten().flatten().copied().collect::<Vec<u8>>());
        Ok((0..self.rows).map(|row| buffer.slice(row * length, length).into()).collect())
    }

    fn present(&self, name: &str) -> Result<Vec<i32>, QueryError> {
        let numbers = self.narrow(name)?.and_then(|numbers| numbers.into_iter().collect());
        numbers.ok_or_else(|| bad_column(name, "NULL", "a whole number"))
    }

    fn numbers(&self, name: &str) -> Result<Vec<Option<i32>>, QueryError> {
        Ok(self.narrow(name)?.unwrap_or_else(|| vec![None; self.rows]))
    }

    fn long_numbers(&self, name: &str) -> Result<Vec<Option<i64>>, QueryError> {
        let Some(column) = self.column(name) else { return Ok(vec![None; self.rows]) };
        if let Some(unsigned) = column.as_primitive_opt::<UInt64Type>() {
            return Ok(unsigned.iter().map(|number| number.map(u64::cast_signed)).collect());
        }
        Ok(column.as_primitive::<Int64Type>().iter().collect())
    }

    fn reals(&self, name: &str) -> Result<Vec<Option<f32>>, QueryError> {
        let Some(column) = self.column(name) else { return Ok(vec![None; self.rows]) };
        Ok(column.as_primitive::<Float32Type>().iter().collect())
    }

    fn bytes(&self, name: &str) -> Result<Vec<Option<ByteArray>>, QueryError> {
        let Some(column) = self.column(name) else { return Ok(vec![None; self.rows]) };
        let values: Vec<Option<&[u8]>> = match column.as_string_opt::<i32>() {
            Some(texts) => texts.iter().map(|text| text.map(str::as_bytes)).collect(),
            None => column.as_binary::<i32>().iter().collect(),
        };
        Ok(values.into_iter().map(|value| value.map(|bytes| ByteArray::from(bytes.to_vec()))).collect())
    }

    fn lists(&self, name: &str) -> Result<Lists, QueryError> {
        let Some(column) = self.column(name) else { return Ok(Lists::empty(self.rows)) };
        let lists = column.as_list::<i32>();
        let elements = numbers(name, lists.values())?;
        let (mut offsets, mut values) = (vec![0], Vec::with_capacity(elements.len()));
        for (row, ends) in lists.value_offsets().windows(2).enumerate() {
            // A list that is NULL has no numbers.
            let list = if lists.is_valid(row) { ends[0] as usize..ends[1] as usize } else { 0..0 };
            for number in &elements[list] {
                values.push(number.ok_or_else(|| bad_column(name, "NULL in a list", "whole numbers"))?);
            }
            offsets.push(values.len());
        }
        Lists::new(offsets, values).ok_or_else(|| bad_column(name, "broken lists", "complete lists"))
    }
}
