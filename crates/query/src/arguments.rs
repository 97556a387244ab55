//! The arguments of a chess function, a batch of rows at a time.

use std::sync::Arc;

use chess::Chess;
use datafusion::{
    arrow::{
        array::{
            Array, ArrayRef, AsArray as _, FixedSizeBinaryArray, Float64Array, Int64Array, StringArray,
            UInt64Array,
        },
        datatypes::{DataType, Field, Float64Type, Int64Type, UInt64Type},
    },
    common::exec_err,
    error::{DataFusionError, Result},
    logical_expr::ColumnarValue,
    scalar::ScalarValue,
};
use dataset::packed_position::{PACKED_POSITION_BYTES, PackedPosition};

/// Types of arguments and results of the chess functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Position,
    Integer,
    /// A hash, or a number that is not below 0.
    Key,
    Real,
    Truth,
    Text,
    Texts,
}

impl Kind {
    pub(crate) fn data_type(self) -> DataType {
        match self {
            Self::Position => DataType::FixedSizeBinary(PACKED_POSITION_BYTES as i32),
            Self::Integer => DataType::Int64,
            Self::Key => DataType::UInt64,
            Self::Real => DataType::Float64,
            Self::Truth => DataType::Boolean,
            Self::Text => DataType::Utf8,
            Self::Texts => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
        }
    }
}

/// The arguments of a call for the rows of a batch.
#[derive(Debug)]
pub(crate) struct Arguments {
    columns: Vec<Column>,
    rows: usize,
    /// True if all rows have the same arguments.
    constant: bool,
}

#[derive(Debug)]
enum Column {
    Positions(FixedSizeBinaryArray),
    Integers(Int64Array),
    Keys(UInt64Array),
    Reals(Float64Array),
    Texts(StringArray),
}

impl Column {
    fn of(array: &ArrayRef) -> Result<Self> {
        Ok(match array.data_type() {
            DataType::FixedSizeBinary(_) => Self::Positions(array.as_fixed_size_binary().clone()),
            DataType::Int64 => Self::Integers(array.as_primitive::<Int64Type>().clone()),
            DataType::UInt64 => Self::Keys(array.as_primitive::<UInt64Type>().clone()),
            DataType::Float64 => Self::Reals(array.as_primitive::<Float64Type>().clone()),
            DataType::Utf8 => Self::Texts(array.as_string().clone()),
            other => {
                return exec_err!(
                    "found an argument of type {other}, expected a position, a number or a text"
                );
            }
        })
    }
}

impl Arguments {
    pub(crate) fn new(values: &[ColumnarValue]) -> Result<Self> {
        let arrays = ColumnarValue::values_to_arrays(values)?;
        Ok(Self {
            columns: arrays.iter().map(Column::of).collect::<Result<_>>()?,
            rows: arrays.first().map_or(0, Array::len),
            constant: values.iter().all(|value| matches!(value, ColumnarValue::Scalar(_))),
        })
    }

    /// True if the call has an argument in this place.
    pub(crate) fn has(&self, index: usize) -> bool {
        index < self.columns.len()
    }

    /// The position in a row; none if it is NULL.
    pub(crate) fn packed(&self, index: usize, row: usize) -> Option<PackedPosition> {
        let Some(Column::Positions(array)) = self.columns.get(index) else { return None };
        let bytes = array.is_valid(row).then(|| array.value(row))?;
        bytes.try_into().ok().map(PackedPosition)
    }

    /// The argument as an unpacked position; `None` for NULL.
    pub(crate) fn position(&self, index: usize, row: usize) -> Result<Option<Chess>> {
        let position = self.packed(index, row).map(|packed| packed.at_ply(0)).transpose();
        position.map_err(|error| DataFusionError::Execution(error.to_string()))
    }

    /// The number in a row; none if it is NULL.
    pub(crate) fn integer(&self, index: usize, row: usize) -> Option<i64> {
        let Some(Column::Integers(array)) = self.columns.get(index) else { return None };
        array.is_valid(row).then(|| array.value(row))
    }

    /// The hash in a row; none if it is NULL.
    pub(crate) fn key(&self, index: usize, row: usize) -> Option<u64> {
        let Some(Column::Keys(array)) = self.columns.get(index) else { return None };
        array.is_valid(row).then(|| array.value(row))
    }

    /// The real number in a row; none if it is NULL.
    pub(crate) fn real(&self, index: usize, row: usize) -> Option<f64> {
        let Some(Column::Reals(array)) = self.columns.get(index) else { return None };
        array.is_valid(row).then(|| array.value(row))
    }

    /// The number in a row in a narrower type; `name` names it in errors.
    pub(crate) fn number<T: TryFrom<i64>>(&self, index: usize, row: usize, name: &str) -> Result<Option<T>> {
        let Some(number) = self.integer(index, row) else { return Ok(None) };
        if let Ok(number) = T::try_from(number) {
            Ok(Some(number))
        } else {
            exec_err!("the {name} {number} is out of range")
        }
    }

    /// The text in a row; none if it is NULL.
    pub(crate) fn text(&self, index: usize, row: usize) -> Option<&str> {
        let Some(Column::Texts(array)) = self.columns.get(index) else { return None };
        array.is_valid(row).then(|| array.value(row))
    }

    /// The column of the function's results for each row.
    pub(crate) fn map<A, T>(&self, function: impl FnMut(usize) -> Result<Option<T>>) -> Result<ArrayRef>
    where
        A: Array + FromIterator<Option<T>> + 'static,
    {
        Ok(Arc::new((0..self.rows).map(function).collect::<Result<A>>()?))
    }

    /// The rows of the batch.
    pub(crate) fn rows(&self) -> std::ops::Range<usize> {
        0..self.rows
    }

    /// The value of the call: one for all rows if its arguments are.
    pub(crate) fn value(&self, result: ArrayRef) -> Result<ColumnarValue> {
        // One value and not a column, so that a function of this result is evaluated only once as well.
        if self.constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?));
        }
        Ok(ColumnarValue::Array(result))
    }
}
