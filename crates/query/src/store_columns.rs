//! Maps the columns of a query result to those of a store.

mod answer;

use datafusion::arrow::{
    array::{Array as _, ArrayRef, AsArray as _, RecordBatch},
    compute::cast,
    datatypes::{DataType, Field},
};
use dataset::{Sample, Split, Store, store::rows::samples};

use self::answer::Answer;
use crate::{
    QueryError,
    answer::Columns,
    tables::{columns_of_stores, store_name},
};

const SPLIT: &str = "split";

/// The values of [`SPLIT`], for messages.
const SPLITS: &str = "train or validation";

/// The column of the store that a sample is from: its source and engine are indices into the lists of that store.
const STORE: &str = "store";

/// The column that only some stores have.
const HISTORY: &str = "history";

/// Indices of a store's columns in a query result.
#[derive(Debug)]
pub(crate) struct StoreColumns {
    /// The columns of the Parquet files.
    fields: Vec<(usize, Field)>,
    split: usize,
    /// Index of the column that names the store; `None` with a single store.
    store: Option<usize>,
    names: Vec<String>,
    /// Positions kept with each sample, its own included.
    pub(crate) history: usize,
    /// Rows turned into samples so far.
    rows: u64,
}

/// A sample with the index of its store and its split.
pub(crate) struct Placed {
    pub(crate) store: usize,
    pub(crate) split: Split,
    pub(crate) sample: Sample,
}

impl StoreColumns {
    /// Finds the columns of a store in the result of a query over these stores.
    ///
    /// # Errors
    /// [`QueryError::NoSamples`] that names a column which is missing, superfluous, there twice or not of the type of the
    /// store's column.
    pub(crate) fn of(columns: &Columns, stores: &[Store]) -> Result<Self, QueryError> {
        // Everything that can be wrong with the columns is refused here, before the first row: a query may run for an hour, and a
        // column that is missing or misspelt would otherwise cost it. Columns that no store has are refused as well, because their
        // values would be lost without a word.
        let found: Vec<&str> = columns.fields().iter().map(|field| field.name().as_str()).collect();
        for name in &found {
            if found.iter().filter(|other| *other == name).count() > 1 {
                return Err(bad_column(name, "two of this name", "one"));
            }
        }
        let history = if found.contains(&HISTORY) { common_history(stores)? } else { 1 };
        let expected = columns_of_stores(history > 1).map_err(QueryError::engine)?;
        for name in found {
            if name != SPLIT && name != STORE && expected.field_with_name(name).is_err() {
                let names: Vec<&str> = expected.fields().iter().map(|field| field.name().as_str()).collect();
                let expected = format!("{SPLIT}, {STORE} and the columns of a store: {}", names.join(", "));
                return Err(bad_column(name, "a column that stores do not have", &expected));
            }
        }
        let mut fields = Vec::with_capacity(expected.fields().len());
        for field in expected.fields() {
            let Ok(place) = columns.index_of(field.name()) else {
                return Err(bad_column(field.name(), "none", "all columns of a store, as SELECT * has them"));
            };
            let found = columns.field(place).data_type();
            if !is_like(field, found) {
                return Err(bad_column(field.name(), &found.to_string(), &kind(field)));
            }
            fields.push((place, field.as_ref().clone()));
        }
        let store = text_column(columns, STORE, "the path of a store")?;
        if store.is_none() && stores.len() > 1 {
            return Err(bad_column(STORE, "none", "the store of each sample, as there are several"));
        }
        let split = text_column(columns, SPLIT, SPLITS)?;
        let split = split.ok_or_else(|| bad_column(SPLIT, "none", SPLITS))?;
        let names = stores.iter().map(store_name).collect();
        Ok(Self { fields, split, store, names, history, rows: 0 })
    }

    /// The samples of some rows.
    ///
    /// # Errors
    /// [`QueryError::NoSamples`] that names the first column or row which no sample can have.
    pub(crate) fn samples(&mut self, batch: &RecordBatch) -> Result<Vec<Placed>, QueryError> {
        let before = self.rows;
        self.rows += batch.num_rows() as u64;
        let answer = Answer::of(&self.fields, batch)?;
        let splits = texts(SPLIT, batch.column(self.split))?;
        let stores = self.store.map(|place| texts(STORE, batch.column(place))).transpose()?;
        let mut placed = Vec::with_capacity(batch.num_rows());
        for (row, sample) in samples(&answer, batch.num_rows())?.enumerate() {
            let sample = sample.map_err(|found| QueryError::NoSamples {
                place: format!("row {} of the answer", before + row as u64 + 1),
                found,
                expected: "a sample".into(),
            })?;
            let store = match &stores {
                Some(names) => self.store_named(names.as_string::<i32>().value(row))?,
                None => 0,
            };
            let split = split_named(splits.as_string::<i32>().value(row))?;
            placed.push(Placed { store, split, sample });
        }
        Ok(placed)
    }

    fn store_named(&self, name: &str) -> Result<usize, QueryError> {
        let index = self.names.iter().position(|known| known == name);
        index.ok_or_else(|| bad_column(STORE, &format!("{name:?}"), &self.names.join(" or ")))
    }
}

fn split_named(name: &str) -> Result<Split, QueryError> {
    let split = Split::ALL.into_iter().find(|split| split.name() == name);
    split.ok_or_else(|| bad_column(SPLIT, &format!("{name:?}"), SPLITS))
}

/// Index of a column of texts; `None` if the result has no such column.
fn text_column(columns: &Columns, name: &str, expected: &str) -> Result<Option<usize>, QueryError> {
    let Ok(place) = columns.index_of(name) else { return Ok(None) };
    let found = columns.field(place).data_type();
    if !found.is_string() {
        return Err(bad_column(name, &found.to_string(), expected));
    }
    Ok(Some(place))
}

fn common_history(stores: &[Store]) -> Result<usize, QueryError> {
    let histories: Vec<usize> = stores.iter().map(|store| store.manifest().history).collect();
    match histories[..] {
        [first, ref others @ ..] if others.iter().all(|other| *other == first) => Ok(first),
        _ => Err(bad_column(
            HISTORY,
            &format!("stores that keep {histories:?} positions"),
            "the same history in all stores, or a query without the column: SELECT * EXCEPT (history)",
        )),
    }
}

fn bad_column(name: &str, found: &str, expected: &str) -> QueryError {
    QueryError::NoSamples { place: format!("column {name}"), found: found.into(), expected: expected.into() }
}

/// True if a column of this type can become one of a store.
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

/// Type of a store's column, for messages.
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

fn texts(name: &str, column: &ArrayRef) -> Result<ArrayRef, QueryError> {
    if column.null_count() > 0 {
        return Err(bad_column(name, "NULL", "a text in each row"));
    }
    cast(column, &DataType::Utf8).map_err(|error| bad_column(name, &error.to_string(), "a text"))
}
