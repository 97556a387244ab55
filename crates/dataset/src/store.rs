//! Sample stores: a directory of Parquet files and a manifest.

mod data_file;
mod integrity;
pub mod manifest;
mod place;
mod publish;
pub(crate) mod reader;
pub mod rows;
mod sample_view;
pub(crate) mod schema;
pub(crate) mod writer;

use std::{
    collections::HashSet,
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use parquet::{
    file::{
        metadata::{ParquetMetaData, ParquetMetaDataReader},
        properties::ReaderProperties,
        reader::{FileReader, RowGroupReader},
        serialized_reader::{SerializedFileReader, SerializedRowGroupReader},
    },
    schema::types::Type,
};
use serde::{Deserialize, Serialize};

use self::{
    data_file::DataFile,
    integrity::Part,
    manifest::{Manifest, StoreFile},
    place::Place,
};
#[cfg(feature = "objects")]
use crate::storage;
use crate::{DatasetError, packed_position::PackedPosition, sample::Sample};

pub use integrity::verify;
pub use publish::{expect_vacant, make, publish};
pub use sample_view::SampleView;
pub use schema::{ROW_GROUP_ROWS, columns};

/// The two halves of a store; a game lies wholly in one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// Samples that networks are trained on.
    Train,
    /// Samples that networks are validated on.
    Validation,
}

impl Split {
    /// Both splits, training first.
    pub const ALL: [Self; 2] = [Self::Train, Self::Validation];

    /// Name of the split in file names and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Validation => "validation",
        }
    }

    /// The split of a record with this hash, if a share of all is for validation. It depends on nothing else, so equal
    /// records fall into the same split in every store with this share.
    pub fn of(hash: u64, share: f64) -> Self {
        if (hash as f64) < share * 2f64.powi(64) { Self::Validation } else { Self::Train }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowGroup {
    pub(crate) file: usize,
    pub(crate) index: usize,
    pub(crate) rows: usize,
    /// Its bytes and their hash, if the manifest names them.
    pub(crate) part: Option<Part>,
}

/// The files of a split and their row groups, in order.
#[derive(Clone, Debug)]
pub(crate) struct SplitFiles {
    place: Place,
    files: Vec<SplitFile>,
    pub(crate) row_groups: Vec<RowGroup>,
    /// Engines in the manifest.
    engines: usize,
}

#[derive(Clone, Debug)]
struct SplitFile {
    name: String,
    bytes: u64,
}

/// A sample store opened for reading.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
    manifest: Manifest,
    hash: String,
    train: SplitFiles,
    validation: SplitFiles,
}

impl Store {
    /// Opens a store and checks that its files exist and have the rows and columns of the manifest. Its path may be the
    /// address of a bucket: `s3://BUCKET/PREFIX`.
    ///
    /// # Errors
    /// [`DatasetError`] naming the file, what was found and what was expected.
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        let place = Place::of(path)?;
        if let Place::Folder(path) = &place
            && !path.is_dir()
        {
            let found = if path.exists() { "a file" } else { "nothing" };
            return Err(DatasetError::bad_store(path, found, "a directory made by `tabiya data build`"));
        }
        Self::open_at(&place)
    }

    fn open_at(place: &Place) -> Result<Self, DatasetError> {
        let manifest = Manifest::read_from(place)?;
        let train = open_split(place, &manifest, &manifest.train)?;
        let validation = open_split(place, &manifest, &manifest.validation)?;
        let hash = manifest.content_hash();
        Ok(Self { path: place.path(""), manifest, hash, train, validation })
    }

    /// The directory, or the address of the bucket.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files of the store by their names in the manifest, for programs that read Parquet on their own.
    ///
    /// # Errors
    /// [`DatasetError::Storage`].
    #[cfg(feature = "objects")]
    pub fn objects(&self) -> Result<storage::Objects, DatasetError> {
        // Both splits lie in the same place. Connections belong to the runtime that opened them, so a bucket is opened again.
        Ok(match &self.train.place {
            Place::Folder(folder) => storage::objects(&folder.display().to_string())?,
            Place::Bucket(storage) => storage::objects(storage.place())?,
        })
    }

    /// Contents and origin of the store.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Number of samples of a split.
    pub fn positions(&self, split: Split) -> u64 {
        self.files(split).row_groups.iter().map(|group| group.rows as u64).sum()
    }

    /// Names the store's content for provenance: [`Manifest::content_hash`].
    pub fn hash(&self) -> String {
        self.hash.clone()
    }

    /// The samples of a split in stored order (games one after another), a row group at a time.
    pub fn row_groups(
        &self,
        split: Split,
    ) -> impl ExactSizeIterator<Item = Result<Vec<Sample>, DatasetError>> + '_ {
        let files = self.files(split);
        files.row_groups.iter().map(move |group| files.read(group))
    }

    /// One sample by its place in stored order; `None` beyond the end.
    ///
    /// # Errors
    /// [`DatasetError`] when its file cannot be read.
    pub fn sample(&self, split: Split, row: u64) -> Result<Option<Sample>, DatasetError> {
        let files = self.files(split);
        let mut before = 0;
        for group in &files.row_groups {
            let inside = row - before;
            if inside < group.rows as u64 {
                return Ok(files.read(group)?.into_iter().nth(inside as usize));
            }
            before += group.rows as u64;
        }
        Ok(None)
    }

    /// The subset of these [keys](PackedPosition::key) whose positions are in a split. Reads no other column.
    ///
    /// # Errors
    /// [`DatasetError`] when a file cannot be read.
    pub fn known(&self, split: Split, keys: &HashSet<u64>) -> Result<HashSet<u64>, DatasetError> {
        let files = self.files(split);
        let mut found = HashSet::new();
        for group in &files.row_groups {
            let positions = files.positions(group)?;
            found.extend(positions.iter().map(PackedPosition::key).filter(|key| keys.contains(key)));
        }
        Ok(found)
    }

    /// The error for rows that contradict the manifest or each other.
    pub fn contradiction(&self, found: String, expected: String) -> DatasetError {
        DatasetError::BadStore { path: self.path.clone(), found, expected }
    }

    pub(crate) fn files(&self, split: Split) -> &SplitFiles {
        match split {
            Split::Train => &self.train,
            Split::Validation => &self.validation,
        }
    }
}

impl SplitFiles {
    pub(crate) fn read(&self, group: &RowGroup) -> Result<Vec<Sample>, DatasetError> {
        let samples = self.read_with(group, reader::read_row_group)?;
        for (row, sample) in samples.iter().enumerate() {
            if sample.engine.is_some_and(|engine| usize::from(engine) >= self.engines) {
                return Err(DatasetError::BadRow {
                    path: self.path(group),
                    row_group: group.index,
                    row,
                    reason: format!("an engine beyond the {} of the manifest", self.engines),
                });
            }
        }
        Ok(samples)
    }

    /// Only the positions of a row group.
    fn positions(&self, group: &RowGroup) -> Result<Vec<PackedPosition>, DatasetError> {
        self.read_with(group, reader::read_positions)
    }

    pub(crate) fn path(&self, group: &RowGroup) -> PathBuf {
        self.place.path(&self.files[group.file].name)
    }

    /// Reads the bytes of a row group at once and compares them with their hash.
    //
    // The metadata is read again for each row group, because a store stays open during a whole training run and its files may be replaced
    // meanwhile: offsets from the opening would then point into other bytes. The columns of a row group lie next to each other, so one
    // request fetches them all, which matters in a bucket, and one hash covers them: no byte is decoded that was not compared with the
    // manifest. Where the manifest names no parts, the range of the columns is held unchecked.
    fn read_with<T>(
        &self,
        group: &RowGroup,
        read: impl FnOnce(&dyn RowGroupReader, &Path, usize) -> Result<T, DatasetError>,
    ) -> Result<T, DatasetError> {
        let path = self.path(group);
        let SplitFile { name, bytes } = &self.files[group.file];
        let (mut file, metadata) = open_data_file(&self.place, name, *bytes)?;
        let Some(rows) = metadata.row_groups().get(group.index) else {
            let found = format!("{} row groups", metadata.num_row_groups());
            let expected = format!("row group {}, as when the store was opened", group.index);
            return Err(DatasetError::bad_store(&path, found, expected));
        };
        match &group.part {
            Some(part) => part.check(file.hold(part.range())?, &path)?,
            None => _ = file.hold(data_file::columns_range(rows))?,
        }
        let properties = Arc::new(ReaderProperties::builder().build());
        let reader = SerializedRowGroupReader::new(Arc::new(file), rows, None, properties)
            .map_err(DatasetError::parquet("read", &path))?;
        read(&reader, &path, group.index)
    }
}

/// Opens a data file and reads its own metadata.
fn open_data_file(
    place: &Place,
    name: &str,
    bytes: u64,
) -> Result<(DataFile, ParquetMetaData), DatasetError> {
    let file = DataFile::open(place, name, bytes)?;
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file);
    let metadata = metadata.map_err(DatasetError::parquet("read", &place.path(name)))?;
    Ok((file, metadata))
}

/// The samples of one data file, a row group at a time.
pub(crate) fn read_file(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Vec<Sample>, DatasetError>>, DatasetError> {
    let reader = open_parquet(path)?;
    let path = path.to_path_buf();
    Ok((0..reader.num_row_groups()).map(move |index| {
        let group = reader.get_row_group(index).map_err(DatasetError::parquet("read", &path))?;
        reader::read_row_group(group.as_ref(), &path, index)
    }))
}

fn open_parquet(path: &Path) -> Result<SerializedFileReader<File>, DatasetError> {
    let file = File::open(path).map_err(DatasetError::io("open", path))?;
    SerializedFileReader::new(file).map_err(DatasetError::parquet("read", path))
}

/// The names of the columns, or those of another type, as found and as expected.
fn differing_columns(found: &Type, expected: &Type) -> (String, String) {
    let (found_names, expected_names) = (column_names(found), column_names(expected));
    if found_names != expected_names {
        return (found_names, expected_names);
    }
    let pairs = found.get_fields().iter().zip(expected.get_fields());
    let other: Vec<&str> = pairs.filter(|(one, other)| one != other).map(|(one, _)| one.name()).collect();
    (format!("other types in the columns {}", other.join(", ")), "those that docs/formats.md lists".into())
}

fn column_names(columns: &Type) -> String {
    let names: Vec<&str> = columns.get_fields().iter().map(|column| column.name()).collect();
    format!("the columns {}", names.join(", "))
}

fn open_split(place: &Place, manifest: &Manifest, files: &[StoreFile]) -> Result<SplitFiles, DatasetError> {
    let mut split = SplitFiles {
        place: place.clone(),
        files: Vec::new(),
        row_groups: Vec::new(),
        engines: manifest.engines.len(),
    };
    for (number, file) in files.iter().enumerate() {
        let path = place.path(&file.name);
        let mut parts = integrity::parts(file);
        if let Some(footer) = parts.pop() {
            footer.check(&place.range(&file.name, footer.range())?, &path)?;
        }
        let bytes = place.length(&file.name)?;
        let (_, metadata) = open_data_file(place, &file.name, bytes)?;
        let expected = schema::schema(manifest.history > 1)
            .map_err(DatasetError::parquet("prepare the columns of", &path))?;
        let found: &Type = metadata.file_metadata().schema();
        if found.get_fields() != expected.get_fields() {
            let (found, expected) = differing_columns(found, &expected);
            return Err(DatasetError::bad_store(&path, found, expected));
        }
        let rows = metadata.file_metadata().num_rows();
        if rows.cast_unsigned() != file.rows {
            let expected = format!("{} rows as the manifest says", file.rows);
            return Err(DatasetError::bad_store(&path, format!("{rows} rows"), expected));
        }
        for (index, group) in metadata.row_groups().iter().enumerate() {
            split.row_groups.push(RowGroup {
                file: number,
                index,
                rows: group.num_rows() as usize,
                part: parts.get(index).cloned(),
            });
        }
        split.files.push(SplitFile { name: file.name.clone(), bytes });
    }
    Ok(split)
}

#[cfg(test)]
mod tests;
