//! The columns of an answer as those of a store.

use std::collections::HashMap;

use datafusion::{
    arrow::{
        array::{Array as _, ArrayRef, AsArray as _, RecordBatch},
        compute::{CastOptions, cast, cast_with_options},
        datatypes::{DataType, Field, Float32Type, Int32Type, Int64Type, UInt32Type, UInt64Type},
    },
    parquet::data_type::{ByteArray, FixedLenByteArray},
};
use dataset::{
    Sample, Split, Store,
    store::rows::{ColumnSource, Lists, samples},
};

use crate::{
    QueryError,
    session::Columns,
    tables::{columns_of_stores, store_name},
};

/// The column of the split.
const SPLIT: &str = "split";

/// The column of the store that a sample is from: its source and engine count in the lists of that store.
const STORE: &str = "store";

/// The column of a store that only some have.
const HISTORY: &str = "history";

/// Where the columns of a store are in an answer.
#[derive(Debug)]
pub(crate) struct StoreColumns {
    /// Those of the Parquet files.
    fields: Vec<(usize, Field)>,
    split: usize,
    /// None where there is but one store to be from.
    store: Option<usize>,
    names: Vec<String>,
    /// Positions kept with each sample, its own included.
    pub(crate) history: usize,
    /// Rows turned into samples so far.
    rows: u64,
}

/// A sample with the index of its store and its split.
pub(crate) type Placed = (usize, Split, Sample);

impl StoreColumns {
    /// Finds the columns of a store in those of an answer that was made of these stores.
    ///
    /// # Errors
    /// [`QueryError::NoSamples`] that names a column which is missing, superfluous, there twice or of a type that is not that of the
    /// store's.
    pub(crate) fn of(columns: &Columns, stores: &[Store]) -> Result<Self, QueryError> {
        let named = || columns.fields().iter().map(|field| field.name());
        if let Some(twice) = named().find(|name| named().filter(|other| other == name).count() > 1) {
            return Err(bad_column(twice, "two of this name", "one"));
        }
        let index = |name: &str| columns.index_of(name).ok();
        let history = match index(HISTORY) {
            Some(_) => common_history(stores)?,
            None => 1,
        };
        let expected = columns_of_stores(history > 1).map_err(|error| QueryError::engine(&error))?;
        let known = |name: &str| name == SPLIT || name == STORE || expected.field_with_name(name).is_ok();
        if let Some(unknown) = named().find(|name| !known(name)) {
            let names: Vec<&str> = expected.fields().iter().map(|field| field.name().as_str()).collect();
            let expected = format!("{SPLIT}, {STORE} and the columns of a store: {}", names.join(", "));
            return Err(bad_column(unknown, "a column that stores have not", &expected));
        }
        let missing = |name: &str, expected: &str| bad_column(name, "none", expected);
        let mut fields = Vec::with_capacity(expected.fields().len());
        for field in expected.fields() {
            let Some(place) = index(field.name()) else {
                return Err(missing(field.name(), "all columns of a store, as SELECT * has them"));
            };
            let found = columns.field(place).data_type();
            if !is_like(field, found) {
                return Err(bad_column(field.name(), &found.to_string(), &kind(field)));
            }
            fields.push((place, field.as_ref().clone()));
        }
        let text = |name: &str, expected: &str| match index(name) {
            Some(place) if columns.field(place).data_type().is_string() => Ok(Some(place)),
            Some(place) => Err(bad_column(name, &columns.field(place).data_type().to_string(), expected)),
            None => Ok(None),
        };
        let splits = "train or validation";
        let store = text(STORE, "the path of a store")?;
        if store.is_none() && stores.len() > 1 {
            return Err(missing(STORE, "the store of each sample, as there are several"));
        }
        Ok(Self {
            fields,
            split: text(SPLIT, splits)?.ok_or_else(|| missing(SPLIT, splits))?,
            store,
            names: stores.iter().map(store_name).collect(),
            history,
            rows: 0,
        })
    }

    /// The samples of some rows.
    ///
    /// # Errors
    /// [`QueryError::NoSamples`] that names the first column or row which no sample can have.
    pub(crate) fn samples(&mut self, batch: &RecordBatch) -> Result<Vec<Placed>, QueryError> {
        let rows = self.rows;
        self.rows += batch.num_rows() as u64;
        let answer = Answer::of(&self.fields, batch)?;
        let splits = texts(SPLIT, batch.column(self.split))?;
        let stores = self.store.map(|place| texts(STORE, batch.column(place))).transpose()?;
        let store_of = |row: usize| {
            let Some(name) = stores.as_ref().map(|names| names.as_string::<i32>().value(row)) else {
                return Ok(0);
            };
            let index = self.names.iter().position(|known| known == name);
            index.ok_or_else(|| bad_column(STORE, &format!("{name:?}"), &self.names.join(" or ")))
        };
        let split_of = |row: usize| {
            let name = splits.as_string::<i32>().value(row);
            let split = Split::ALL.into_iter().find(|split| split.name() == name);
            split.ok_or_else(|| bad_column(SPLIT, &format!("{name:?}"), "train or validation"))
        };
        let placed = |(row, sample): (usize, Result<Sample, String>)| {
            let sample = sample.map_err(|found| QueryError::NoSamples {
                place: format!("row {} of the answer", rows + row as u64 + 1),
                found,
                expected: "a sample".into(),
            })?;
            Ok((store_of(row)?, split_of(row)?, sample))
        };
        samples(&answer, batch.num_rows())?.enumerate().map(placed).collect()
    }
}

/// The history that all stores keep.
fn common_history(stores: &[Store]) -> Result<usize, QueryError> {
    let histories: Vec<usize> = stores.iter().map(|store| store.manifest().history).collect();
    match histories[..] {
        [first, ref others @ ..] if others.iter().all(|other| *other == first) => Ok(first),
        _ => Err(bad_column(
            HISTORY,
            &format!("stores that keep {histories:?} positions"),
            "equal ones, or a query without it: SELECT * EXCEPT (history)",
        )),
    }
}

fn bad_column(name: &str, found: &str, expected: &str) -> QueryError {
    QueryError::NoSamples { place: format!("column {name}"), found: found.into(), expected: expected.into() }
}

/// Whether a column of this type can become one of a store.
fn is_like(field: &Field, found: &DataType) -> bool {
    match field.data_type() {
        _ if found.is_null() => field.is_nullable() || matches!(field.data_type(), DataType::List(_)),
        DataType::Float32 => found.is_numeric(),
        DataType::Utf8 => found.is_string(),
        DataType::Binary => found.is_binary() && !matches!(found, DataType::FixedSizeBinary(_)),
        DataType::List(_) => match found {
            DataType::List(item) | DataType::LargeList(item) => {
                item.data_type().is_integer() || item.data_type().is_null()
            }
            _ => false,
        },
        expected if expected.is_integer() => found.is_integer(),
        expected => found == expected,
    }
}

/// What a column of a store holds, for messages.
fn kind(field: &Field) -> String {
    let null = if field.is_nullable() { " or NULL" } else { "" };
    match field.data_type() {
        DataType::Float32 => "a number".into(),
        DataType::Utf8 => format!("a text{null}"),
        DataType::Binary => "bytes".into(),
        DataType::List(item) => format!("a list of whole numbers ({})", item.data_type()),
        DataType::FixedSizeBinary(_) => "a position".into(),
        integer => format!("a whole number ({integer}){null}"),
    }
}

/// A column of texts, one in each row.
fn texts(name: &str, column: &ArrayRef) -> Result<ArrayRef, QueryError> {
    if column.null_count() > 0 {
        return Err(bad_column(name, "NULL", "a text in each row"));
    }
    cast(column, &DataType::Utf8).map_err(|error| bad_column(name, &error.to_string(), "a text"))
}

/// Rows of an answer, in the types of a store.
struct Answer<'a> {
    columns: HashMap<&'a str, ArrayRef>,
    rows: usize,
}

impl<'a> Answer<'a> {
    fn of(fields: &'a [(usize, Field)], batch: &RecordBatch) -> Result<Self, QueryError> {
        let options = CastOptions { safe: false, ..CastOptions::default() };
        let column = |(place, field): &'a (usize, Field)| {
            let found = batch.column(*place);
            let is_list = matches!(field.data_type(), DataType::List(_));
            if !field.is_nullable() && !is_list && found.null_count() > 0 {
                return Err(bad_column(field.name(), "NULL", &kind(field)));
            }
            let column = cast_with_options(found, field.data_type(), &options);
            let column =
                column.map_err(|error| bad_column(field.name(), &error.to_string(), &kind(field)))?;
            Ok((field.name().as_str(), column))
        };
        let columns = fields.iter().map(column).collect::<Result<_, _>>()?;
        Ok(Self { columns, rows: batch.num_rows() })
    }

    /// A column, which is missing only where the store has no such column.
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
        // One buffer, of which each value is a slice: that saves an allocation a row.
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
            // A list that is NULL, as in stores of version 1, has no numbers.
            let list = if lists.is_valid(row) { ends[0] as usize..ends[1] as usize } else { 0..0 };
            for number in &elements[list] {
                values.push(number.ok_or_else(|| bad_column(name, "NULL in a list", "whole numbers"))?);
            }
            offsets.push(values.len());
        }
        Lists::new(offsets, values).ok_or_else(|| bad_column(name, "broken lists", "whole ones"))
    }
}
