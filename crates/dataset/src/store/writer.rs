//! Writes the rows of one split, a row group at a time, into numbered Parquet files.

mod row_group;

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use parquet::{
    file::{properties::WriterPropertiesPtr, writer::SerializedFileWriter},
    schema::types::TypePtr,
};
use xxhash_rust::xxh3::Xxh3;

use super::{
    manifest::{FilePart, StoreFile},
    schema::{FILE_ROW_GROUPS, ROW_GROUP_ROWS, schema, writer_properties},
};
use crate::{DatasetError, sample::Sample};

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
    parts: Vec<FilePart>,
}

impl OpenFile {
    /// Notes the part of the file that was written since the last one.
    fn end_part(&mut self) -> Result<(), DatasetError> {
        self.writer.flush().map_err(DatasetError::io("write", &self.path))?;
        let before: u64 = self.parts.iter().map(|part| part.bytes).sum();
        let sink = self.writer.inner_mut();
        self.parts
            .push(FilePart { bytes: sink.bytes - before, xxh3: format!("{:016x}", sink.part.digest()) });
        sink.part.reset();
        Ok(())
    }
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

    /// Writes the remaining rows and closes the last file.
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
        let written = file.writer.next_row_group().and_then(|group| row_group::write(group, &self.rows));
        written.map_err(DatasetError::parquet("write", &file.path))?;
        file.end_part()?;
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
        let sink = Digested {
            inner: BufWriter::with_capacity(1 << 20, file),
            digest: Xxh3::new(),
            part: Xxh3::new(),
            bytes: 0,
        };
        let writer = SerializedFileWriter::new(sink, self.schema.clone(), self.properties.clone())
            .map_err(DatasetError::parquet("write", &path))?;
        Ok(OpenFile { name, path, writer, row_groups: 0, rows: 0, parts: Vec::new() })
    }

    fn close_file(&mut self) -> Result<(), DatasetError> {
        let Some(mut file) = self.open.take() else {
            return Ok(());
        };
        file.writer.finish().map_err(DatasetError::parquet("write", &file.path))?;
        file.end_part()?;
        let sink = file.writer.inner_mut();
        // A full disk may show only now; the manifest must not be written over lost data.
        sink.flush().map_err(DatasetError::io("write", &file.path))?;
        sink.inner.get_ref().sync_all().map_err(DatasetError::io("write", &file.path))?;
        self.files.push(StoreFile {
            name: file.name,
            rows: file.rows,
            bytes: sink.bytes,
            xxh3: files::hash_text(sink.digest.digest128()),
            parts: file.parts,
        });
        Ok(())
    }
}

/// Hashes and counts the bytes written through it.
struct Digested<W> {
    inner: W,
    digest: Xxh3,
    /// Hash of the part being written.
    part: Xxh3,
    bytes: u64,
}

impl<W: Write> Write for Digested<W> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(buffer)?;
        self.digest.update(&buffer[..count]);
        self.part.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}
