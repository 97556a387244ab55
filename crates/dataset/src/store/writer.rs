//! Writes the rows of one split, a row group at a time, into numbered Parquet files.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use chess::Score;
use parquet::{
    data_type::{
        ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
    },
    errors::ParquetError,
    file::{
        properties::WriterPropertiesPtr,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::TypePtr,
};
use xxhash_rust::xxh3::Xxh3;

use super::{
    manifest::StoreFile,
    schema::{FILE_ROW_GROUPS, ROW_GROUP_ROWS, schema, writer_properties},
};
use crate::{DatasetError, GameResult, packed_position::PACKED_POSITION_BYTES, sample::Sample};

/// The writer of one split.
pub(crate) struct SplitWriter {
    directory: PathBuf,
    name: &'static str,
    schema: TypePtr,
    properties: WriterPropertiesPtr,
    rows: Vec<Sample>,
    open: Option<OpenFile>,
    files: Vec<StoreFile>,
}

struct OpenFile {
    name: String,
    path: PathBuf,
    writer: SerializedFileWriter<Digested<BufWriter<File>>>,
    row_groups: usize,
    rows: u64,
}

impl SplitWriter {
    /// A writer of files `NAME-00000.parquet`, `NAME-00001.parquet`...
    pub(crate) fn new(
        directory: &Path,
        name: &'static str,
        with_history: bool,
    ) -> Result<Self, DatasetError> {
        let refused = DatasetError::parquet("prepare", directory);
        let prepared = schema(with_history).and_then(|schema| Ok((schema, writer_properties()?)));
        let (schema, properties) = prepared.map_err(refused)?;
        Ok(Self {
            directory: directory.into(),
            name,
            schema,
            properties: Arc::new(properties),
            rows: Vec::with_capacity(ROW_GROUP_ROWS),
            open: None,
            files: Vec::new(),
        })
    }

    /// Takes the samples, writing row groups as they fill.
    pub(crate) fn write(&mut self, samples: &mut Vec<Sample>) -> Result<(), DatasetError> {
        for sample in samples.drain(..) {
            self.rows.push(sample);
            if self.rows.len() == ROW_GROUP_ROWS {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes what is left and closes the last file.
    pub(crate) fn finish(mut self) -> Result<Vec<StoreFile>, DatasetError> {
        self.flush()?;
        self.close_file()?;
        Ok(self.files)
    }

    fn flush(&mut self) -> Result<(), DatasetError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut file = match self.open.take() {
            Some(file) => file,
            None => self.create_file()?,
        };
        let written = file.writer.next_row_group().and_then(|group| write_row_group(group, &self.rows));
        written.map_err(DatasetError::parquet("write", &file.path))?;
        file.rows += self.rows.len() as u64;
        file.row_groups += 1;
        let full = file.row_groups == FILE_ROW_GROUPS;
        self.open = Some(file);
        self.rows.clear();
        if full { self.close_file() } else { Ok(()) }
    }

    fn create_file(&self) -> Result<OpenFile, DatasetError> {
        let name = format!("{}-{:05}.parquet", self.name, self.files.len());
        let path = self.directory.join(&name);
        let file = File::create_new(&path).map_err(DatasetError::io("create", &path))?;
        let sink = Digested { inner: BufWriter::with_capacity(1 << 20, file), digest: Xxh3::new(), bytes: 0 };
        let writer = SerializedFileWriter::new(sink, self.schema.clone(), self.properties.clone())
            .map_err(DatasetError::parquet("write", &path))?;
        Ok(OpenFile { name, path, writer, row_groups: 0, rows: 0 })
    }

    fn close_file(&mut self) -> Result<(), DatasetError> {
        let Some(mut file) = self.open.take() else {
            return Ok(());
        };
        file.writer.finish().map_err(DatasetError::parquet("write", &file.path))?;
        let sink = file.writer.inner_mut();
        // A full disk can show only now; the manifest must not be written over lost data.
        sink.flush().map_err(DatasetError::io("write", &file.path))?;
        sink.inner.get_ref().sync_all().map_err(DatasetError::io("write", &file.path))?;
        self.files.push(StoreFile {
            name: file.name,
            rows: file.rows,
            bytes: sink.bytes,
            xxh3: format!("{:032x}", sink.digest.digest128()),
        });
        Ok(())
    }
}

/// Hashes and counts what passes through.
struct Digested<W> {
    inner: W,
    digest: Xxh3,
    bytes: u64,
}

impl<W: Write> Write for Digested<W> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(buffer)?;
        self.digest.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// Writes the columns in the order of [`super::schema::Column`].
fn write_row_group<W: Write + Send>(
    mut group: SerializedRowGroupWriter<'_, W>,
    rows: &[Sample],
) -> Result<(), ParquetError> {
    write_bytes::<FixedLenByteArrayType, _>(
        &mut group,
        rows,
        &|sample| &sample.position.0,
        FixedLenByteArray::from,
    )?;
    required(&mut group, rows, |sample| i32::from(sample.best_move.0))?;
    optional(&mut group, rows, |sample| sample.played_move.map(|played| i32::from(played.0)))?;
    optional(&mut group, rows, |sample| match sample.evaluation {
        Some(Score::Centipawns(centipawns)) => Some(centipawns),
        _ => None,
    })?;
    optional(&mut group, rows, |sample| match sample.evaluation {
        Some(Score::Mate(moves)) => Some(moves),
        _ => None,
    })?;
    optional(&mut group, rows, |sample| sample.result.map(result_number))?;
    required(&mut group, rows, |sample| i32::from(sample.ply))?;
    optional(&mut group, rows, |sample| sample.white_rating.map(i32::from))?;
    optional(&mut group, rows, |sample| sample.black_rating.map(i32::from))?;
    let games: Vec<i64> = rows.iter().map(|sample| sample.game.cast_signed()).collect();
    write_column::<Int64Type, _>(&mut group, &games, None)?;
    required(&mut group, rows, |sample| i32::from(sample.repetitions))?;
    required(&mut group, rows, |sample| i32::from(sample.slips))?;
    required(&mut group, rows, |sample| i32::from(sample.source))?;
    write_history(&mut group, rows)?;
    group.close()?;
    Ok(())
}

/// Seen by the side to move: 1 won, 0 drawn, -1 lost.
fn result_number(result: GameResult) -> i32 {
    match result {
        GameResult::Win => 1,
        GameResult::Draw => 0,
        GameResult::Loss => -1,
    }
}

fn required<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Sample],
    value: impl Fn(&Sample) -> i32,
) -> Result<(), ParquetError> {
    let values: Vec<i32> = rows.iter().map(value).collect();
    write_column::<Int32Type, _>(group, &values, None)
}

fn optional<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Sample],
    value: impl Fn(&Sample) -> Option<i32>,
) -> Result<(), ParquetError> {
    let mut values = Vec::with_capacity(rows.len());
    let mut levels = Vec::with_capacity(rows.len());
    for sample in rows {
        let value = value(sample);
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    write_column::<Int32Type, _>(group, &values, Some(&levels))
}

/// A column of byte strings that are slices of one buffer, which saves an allocation a row.
fn write_bytes<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Sample],
    bytes: &dyn Fn(&Sample) -> &[u8],
    wrap: fn(ByteArray) -> T::T,
) -> Result<(), ParquetError> {
    let mut buffer = Vec::with_capacity(rows.len() * PACKED_POSITION_BYTES);
    for sample in rows {
        buffer.extend_from_slice(bytes(sample));
    }
    let buffer = ByteArray::from(buffer);
    let mut start = 0;
    let values: Vec<T::T> = rows
        .iter()
        .map(|sample| {
            let length = bytes(sample).len();
            start += length;
            wrap(buffer.slice(start - length, length))
        })
        .collect();
    write_column::<T, W>(group, &values, None)
}

/// The history is the last column, and only there when the schema has it.
fn write_history<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Sample],
) -> Result<(), ParquetError> {
    if rows.iter().all(|sample| sample.history.is_empty()) {
        return Ok(());
    }
    write_bytes::<ByteArrayType, W>(group, rows, &|sample| &sample.history.0, std::convert::identity)
}

fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("more columns than the schema has".into()));
    };
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}
