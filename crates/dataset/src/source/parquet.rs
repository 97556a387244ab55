//! Parquet files from outside, read a batch of rows at a time.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::PathBuf,
    sync::Arc,
};

use parquet::{
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{reader::FileReader, serialized_reader::SerializedFileReader},
};
use xxhash_rust::xxh3::Xxh3;

use super::{
    InputProgress,
    input::{Location, begins_with},
};
use crate::{DatasetError, store::reader::with_nulls};

/// First and last bytes of every such file (Parquet format, "File format").
const MAGIC: &[u8] = b"PAR1";

pub(super) struct ParquetFile {
    reader: SerializedFileReader<File>,
    file: File,
    path: Arc<PathBuf>,
    /// Hash of the bytes before `hashed`.
    digest: Xxh3,
    hashed: u64,
    next_group: usize,
}

impl ParquetFile {
    /// Opens a location if a Parquet file lies there: a file on disk, because it is read from its end.
    pub(super) fn open(location: &Location) -> Result<Option<Self>, DatasetError> {
        let Location::File(path) = location else { return Ok(None) };
        if !path.is_file() || !begins_with(path, MAGIC)? {
            return Ok(None);
        }
        // Opened twice, so that each handle has its own read position.
        let file = File::open(path).map_err(DatasetError::io("open", path))?;
        let reader = File::open(path).map_err(DatasetError::io("open", path))?;
        let reader =
            guarded(|| SerializedFileReader::new(reader)).map_err(DatasetError::parquet("read", path))?;
        Ok(Some(Self {
            reader,
            file,
            path: Arc::new(path.clone()),
            digest: Xxh3::new(),
            hashed: 0,
            next_group: 0,
        }))
    }

    pub(super) fn path(&self) -> &Arc<PathBuf> {
        &self.path
    }

    pub(super) fn columns(&self) -> Vec<&str> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        schema.columns().iter().map(|column| column.path().parts()[0].as_str()).collect()
    }

    /// True if it has all of these columns.
    pub(super) fn has_columns(&self, wanted: &[&str]) -> bool {
        let columns = self.columns();
        wanted.iter().all(|wanted| columns.contains(wanted))
    }

    /// The next row group; `None` after the last one.
    pub(super) fn next_group(&mut self) -> Result<Option<Group<'_>>, DatasetError> {
        let metadata = self.reader.metadata();
        if self.next_group == metadata.num_row_groups() {
            self.hash_to(u64::MAX).map_err(DatasetError::io("read", &self.path))?;
            return Ok(None);
        }
        let group = metadata.row_group(self.next_group);
        let ends = group.columns().iter().map(|column| {
            let start = column.data_page_offset().max(0).cast_unsigned();
            start.saturating_add(column.compressed_size().max(0).cast_unsigned())
        });
        let (end, rows) = (ends.max().unwrap_or(0), group.num_rows().max(0).cast_unsigned());
        let index = self.next_group;
        self.next_group += 1;
        self.hash_to(end).map_err(DatasetError::io("read", &self.path))?;
        Ok(Some(Group { file: self, index, rows }))
    }

    pub(super) fn progress(&self) -> InputProgress {
        InputProgress { file_bytes: self.hashed, text_bytes: self.hashed }
    }

    /// XXH3 of the bytes read so far.
    pub(super) fn digest(&self) -> String {
        files::hash_text(self.digest.digest128())
    }

    pub(super) fn failure(&self) -> impl FnOnce(ParquetError) -> DatasetError + '_ {
        DatasetError::parquet("read", &self.path)
    }

    /// Reads up to a byte for the digest; the columns are read from the same places and find them in memory.
    //
    // The digest of a source is that of its bytes in their order, as for every other format, but Parquet is read column by column and from
    // the end. So the file is read a second time, in order, up to the end of each row group before the group is decoded.
    fn hash_to(&mut self, end: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.hashed))?;
        let mut rest = (&mut self.file).take(end.saturating_sub(self.hashed));
        let mut buffer = vec![0; 1 << 18];
        loop {
            let count = rest.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            self.digest.update(&buffer[..count]);
            self.hashed += count as u64;
        }
    }
}

/// Calls the Parquet library, which asserts some of the invariants that a damaged file breaks, and turns panics into
/// errors. Values that panicked must not be used again.
fn guarded<T>(call: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    chess::guarded(call).unwrap_or_else(|_| Err(ParquetError::General("the file is damaged".into())))
}

/// A row group of the file.
pub(super) struct Group<'a> {
    file: &'a ParquetFile,
    index: usize,
    pub(super) rows: u64,
}

impl Group<'_> {
    pub(super) fn texts(&self, name: &str) -> Result<TextColumn, DatasetError> {
        match self.column(name)? {
            Some(ColumnReader::ByteArrayColumnReader(reader)) => Ok(TextColumn(reader)),
            _ => Err(self.bad_column(name, "a column of texts")),
        }
    }

    /// The numbers of a column, of any width; `None` if the file lacks it.
    pub(super) fn numbers(&self, name: &str) -> Result<Option<NumberColumn>, DatasetError> {
        Ok(Some(match self.column(name)? {
            None => return Ok(None),
            Some(ColumnReader::Int32ColumnReader(reader)) => NumberColumn::Int32(reader),
            Some(ColumnReader::Int64ColumnReader(reader)) => NumberColumn::Int64(reader),
            Some(ColumnReader::FloatColumnReader(reader)) => NumberColumn::Float(reader),
            Some(ColumnReader::DoubleColumnReader(reader)) => NumberColumn::Double(reader),
            Some(_) => return Err(self.bad_column(name, "a column of numbers")),
        }))
    }

    /// A column, if there is one of this name; nested columns and lists are refused.
    fn column(&self, name: &str) -> Result<Option<ColumnReader>, DatasetError> {
        let reader = &self.file.reader;
        let schema = reader.metadata().file_metadata().schema_descr();
        let Some(index) = schema.columns().iter().position(|column| column.path().parts()[0] == name) else {
            return Ok(None);
        };
        let column = schema.column(index);
        if column.path().parts().len() > 1 || column.max_rep_level() > 0 || column.max_def_level() > 1 {
            return Err(self.bad_column(name, "a plain column"));
        }
        let column = guarded(|| reader.get_row_group(self.index)?.get_column_reader(index));
        column.map(Some).map_err(self.file.failure())
    }

    fn bad_column(&self, name: &str, expected: &str) -> DatasetError {
        let found = format!("column {name:?} missing or of another type");
        DatasetError::bad_source(&self.file.path, found, expected)
    }
}

/// A column of byte arrays, read as texts.
pub(super) struct TextColumn(ColumnReaderImpl<ByteArrayType>);

/// A column of numbers of any physical type, read as `f64`.
pub(super) enum NumberColumn {
    /// Integers of up to 32 bits.
    Int32(ColumnReaderImpl<Int32Type>),
    Int64(ColumnReaderImpl<Int64Type>),
    /// Floats of 32 bits.
    Float(ColumnReaderImpl<FloatType>),
    /// Floats of 64 bits.
    Double(ColumnReaderImpl<DoubleType>),
}

impl TextColumn {
    /// The texts of the next `rows` rows, `None` for a null.
    pub(super) fn read(&mut self, rows: usize) -> Result<Vec<Option<ByteArray>>, ParquetError> {
        read(&mut self.0, rows)
    }
}

impl NumberColumn {
    /// The numbers of the next `rows` rows, `None` for a null.
    pub(super) fn read(&mut self, rows: usize) -> Result<Vec<Option<f64>>, ParquetError> {
        match self {
            Self::Int32(reader) => read_numbers(reader, rows, f64::from),
            Self::Int64(reader) => read_numbers(reader, rows, |value: i64| value as f64),
            Self::Float(reader) => read_numbers(reader, rows, f64::from),
            Self::Double(reader) => read(reader, rows),
        }
    }
}

fn read_numbers<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    number: impl Fn(T::T) -> f64,
) -> Result<Vec<Option<f64>>, ParquetError> {
    let values = read(reader, rows)?;
    Ok(values.into_iter().map(|value| value.map(&number)).collect())
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
    Ok(with_nulls(values, levels))
}
