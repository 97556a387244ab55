//! Reads row groups back into samples.

mod columns;

use std::path::Path;

use parquet::{data_type::FixedLenByteArray, file::reader::RowGroupReader};

use self::columns::Columns;
use super::rows::{self, ColumnSource as _};
use crate::{DatasetError, packed_position::PackedPosition, sample::Sample};

/// All rows of a row group, in order.
pub(crate) fn read_row_group(
    group: &dyn RowGroupReader,
    path: &Path,
    row_group: usize,
) -> Result<Vec<Sample>, DatasetError> {
    let rows = group.metadata().num_rows() as usize;
    let samples =
        rows::samples(&Columns { group, rows }, rows).map_err(DatasetError::parquet("read", path))?;
    let bad_row = |row, reason| DatasetError::BadRow { path: path.into(), row_group, row, reason };
    samples.enumerate().map(|(row, sample)| sample.map_err(|reason| bad_row(row, reason))).collect()
}

/// The positions of a row group, in order.
pub(crate) fn read_positions(
    group: &dyn RowGroupReader,
    path: &Path,
    row_group: usize,
) -> Result<Vec<PackedPosition>, DatasetError> {
    let rows = group.metadata().num_rows() as usize;
    let columns = Columns { group, rows };
    let raw = columns.fixed("position");
    let bad_row = |row| DatasetError::BadRow {
        path: path.into(),
        row_group,
        row,
        reason: "position of wrong length".into(),
    };
    let packed = |(row, bytes): (usize, FixedLenByteArray)| {
        bytes.data().try_into().map(PackedPosition).map_err(|_| bad_row(row))
    };
    raw.map_err(DatasetError::parquet("read", path))?.into_iter().enumerate().map(packed).collect()
}
