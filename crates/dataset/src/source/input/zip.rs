//! Files in zip archives.

use std::{
    fs::File,
    io::{self, Read, Seek as _, SeekFrom, Take},
    path::{Path, PathBuf},
};

use flate2::{Crc, read::DeflateDecoder};
use zip::{CompressionMethod, ZipArchive, result::ZipError};

use crate::DatasetError;

/// A file in a zip archive.
#[derive(Clone, Debug)]
pub struct Member {
    archive: PathBuf,
    name: String,
    start: u64,
    bytes: u64,
    is_deflated: bool,
    checksum: u32,
}

impl Member {
    /// All files of an archive in its own order.
    pub(super) fn all(archive: &Path) -> Result<Vec<Self>, DatasetError> {
        let file = File::open(archive).map_err(DatasetError::io("open", archive))?;
        let mut zip = ZipArchive::new(file).map_err(|error| unreadable(archive, &error))?;
        let mut members = Vec::new();
        for index in 0..zip.len() {
            let member = zip.by_index_raw(index).map_err(|error| unreadable(archive, &error))?;
            if !member.is_file() {
                continue;
            }
            let name = member.name().map_err(|error| unreadable(archive, &error))?.into_owned();
            let is_deflated = match member.compression() {
                CompressionMethod::Stored => false,
                CompressionMethod::Deflated => true,
                other => return Err(bad_archive(archive, format!("{name} compressed as {other}"))),
            };
            if member.encrypted() {
                return Err(bad_archive(archive, format!("{name} with a password")));
            }
            let start =
                member.data_start().ok_or_else(|| bad_archive(archive, format!("{name} without data")))?;
            members.push(Self {
                archive: archive.into(),
                name,
                start,
                bytes: member.compressed_size(),
                is_deflated,
                checksum: member.crc32(),
            });
        }
        Ok(members)
    }

    /// The archive and the name in it.
    pub(super) fn path(&self) -> PathBuf {
        self.archive.join(&self.name)
    }

    /// Its size in the archive.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn open(&self) -> Result<impl Read + Send + use<>, DatasetError> {
        let mut file = File::open(&self.archive).map_err(DatasetError::io("open", &self.archive))?;
        file.seek(SeekFrom::Start(self.start)).map_err(DatasetError::io("read", &self.archive))?;
        // The data of a member is one piece of the archive. Reading it there, rather than through `ZipArchive`, which lends itself to one
        // member at a time, makes members independent of each other; the checksum that the library would compare is compared below.
        let data = file.take(self.bytes);
        let data =
            if self.is_deflated { Data::Deflated(DeflateDecoder::new(data)) } else { Data::Stored(data) };
        Ok(Checked { data, checksum: Crc::new(), expected: self.checksum })
    }
}

fn bad_archive(archive: &Path, found: String) -> DatasetError {
    let expected = "a whole zip archive of files that are stored or deflated, without a password";
    DatasetError::bad_source(archive, found, expected)
}

fn unreadable(archive: &Path, error: &ZipError) -> DatasetError {
    bad_archive(archive, format!("a zip archive that cannot be read: {error}"))
}

enum Data {
    Stored(Take<File>),
    Deflated(DeflateDecoder<Take<File>>),
}

/// Compares the checksum when everything has been read.
struct Checked {
    data: Data,
    checksum: Crc,
    expected: u32,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.data {
            Data::Stored(data) => data.read(buffer)?,
            Data::Deflated(data) => data.read(buffer)?,
        };
        self.checksum.update(&buffer[..count]);
        if count == 0 && !buffer.is_empty() && self.checksum.sum() != self.expected {
            let found = self.checksum.sum();
            let expected = self.expected;
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the zip archive is damaged: checksum {found:08x}, expected {expected:08x}"),
            ));
        }
        Ok(count)
    }
}
