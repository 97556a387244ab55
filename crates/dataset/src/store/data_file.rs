//! A Parquet file, wherever it lies, with one range of its bytes held in memory.

use std::{
    io::{self, Read},
    ops::Range,
};

use bytes::Bytes;
use parquet::{
    errors::{ParquetError, Result},
    file::{
        metadata::{ColumnChunkMetaData, RowGroupMetaData},
        reader::{ChunkReader, Length},
    },
};

use super::place::Place;
use crate::DatasetError;

/// Bytes fetched first from the end of a file: enough for the metadata of about fifty row groups.
const FOOTER: u64 = 1 << 16;

/// A file of a store as the Parquet library reads it: a read outside the range in memory is a read of the file.
#[derive(Clone, Debug)]
pub(super) struct DataFile {
    place: Place,
    name: String,
    length: u64,
    held: ByteRange,
}

/// Bytes with their place in the file.
#[derive(Clone, Debug, Default)]
struct ByteRange {
    start: u64,
    bytes: Bytes,
}

impl DataFile {
    /// Opens a file of this length and fetches its end, where Parquet files have their metadata.
    pub(super) fn open(place: &Place, name: &str, length: u64) -> std::result::Result<Self, DatasetError> {
        let mut file = Self { place: place.clone(), name: name.into(), length, held: ByteRange::default() };
        if length > 0 {
            file.hold(length.saturating_sub(FOOTER)..length)?;
        }
        Ok(file)
    }

    /// Holds these bytes instead of the previous ones, and returns them.
    pub(super) fn hold(&mut self, range: Range<u64>) -> std::result::Result<&Bytes, DatasetError> {
        self.held = ByteRange::default();
        if !range.is_empty() {
            self.held = ByteRange { start: range.start, bytes: self.place.range(&self.name, range)? };
        }
        Ok(&self.held.bytes)
    }

    /// A range of the file's bytes; shorter if the file ends before.
    //
    // The Parquet library asks for pages and footers piece by piece. From the range in memory they are slices without a copy; what lies
    // outside is a request of its own, slow in a bucket but correct, so that no caller depends on what is held.
    fn bytes(&self, range: Range<u64>) -> Result<Bytes> {
        let held = self.held.start..self.held.end();
        if held.contains(&range.start) && range.end <= held.end {
            let start = (range.start - held.start) as usize;
            return Ok(self.held.bytes.slice(start..(range.end - held.start) as usize));
        }
        let fetched = self.place.range(&self.name, range);
        fetched.map_err(|error| ParquetError::External(Box::new(error)))
    }
}

impl ByteRange {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

#[derive(Debug)]
pub(super) struct FileReader {
    file: DataFile,
    at: u64,
}

impl Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let held = &self.file.held;
        let end = if (held.start..held.end()).contains(&self.at) { held.end() } else { self.file.length };
        let count = end.saturating_sub(self.at).min(buffer.len() as u64);
        if count == 0 {
            return Ok(0);
        }
        let bytes = self.file.bytes(self.at..self.at + count).map_err(io::Error::other)?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }
}

/// Range of a row group's columns in their file, to be held in memory; empty if the metadata are impossible, which the Parquet reader
/// names when it looks for a column there.
pub(super) fn columns_range(group: &RowGroupMetaData) -> Range<u64> {
    let columns: Option<Vec<Range<u64>>> = group.columns().iter().map(column_range).collect();
    let columns = columns.unwrap_or_default();
    let start = columns.iter().map(|column| column.start).min().unwrap_or(0);
    start..columns.iter().map(|column| column.end).max().unwrap_or(start)
}

/// Range of a column, whose dictionary comes first if it has one; `None` for negative or too large numbers.
fn column_range(column: &ColumnChunkMetaData) -> Option<Range<u64>> {
    let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset()).try_into().ok()?;
    let length: u64 = column.compressed_size().try_into().ok()?;
    Some(start..length.checked_add(start)?)
}

impl Length for DataFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for DataFile {
    type T = FileReader;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(FileReader { file: self.clone(), at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.bytes(start..start.saturating_add(length as u64))?;
        if bytes.len() == length {
            return Ok(bytes);
        }
        Err(ParquetError::EOF(format!("found {} bytes at {start}, expected {length}", bytes.len())))
    }
}
