//! Compression, recognised by the first bytes of a file.

use std::io::{self, BufRead, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

/// Compression of a file, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Bzip2,
    Gzip,
    Zstandard,
}

/// First bytes of foreign formats, which are recognised for a better error message (xz and 7z file formats, PKWARE
/// APPNOTE 4.3.7, Parquet).
const FOREIGN: &[(&[u8], &str)] = &[
    (b"\xfd7zXZ\0", "an xz file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"PK\x03\x04", "a zip archive inside another file, in a bucket or on stdin"),
    (b"PAR1", "a Parquet file inside another file, in a bucket or on stdin"),
];

/// Names a foreign file format from its magic bytes, for the error message; `None` for other content.
pub(super) fn foreign(start: &[u8]) -> Option<&'static str> {
    FOREIGN.iter().find(|(magic, _)| start.starts_with(magic)).map(|&(_, name)| name)
}

impl Compression {
    /// The compression of a file with these first bytes.
    pub(super) fn of(start: &[u8]) -> Self {
        if start.starts_with(&[0x1f, 0x8b]) {
            Self::Gzip
        } else if start.starts_with(b"BZh") {
            Self::Bzip2
        } else if is_zstandard(start) {
            Self::Zstandard
        } else {
            Self::None
        }
    }

    /// Name of the compression; `None` for a file without one.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Bzip2 => Some("bzip2"),
            Self::Gzip => Some("gzip"),
            Self::Zstandard => Some("zstd"),
        }
    }

    pub(super) fn decode(self, raw: impl BufRead + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::None => Box::new(raw),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(raw)),
            Self::Gzip => Box::new(MultiGzDecoder::new(raw)),
            Self::Zstandard => {
                let mut decoder = zstd::Decoder::with_buffer(raw)?;
                // Files packed with `zstd --long=31` need the largest window; others allocate only what they state.
                decoder.window_log_max(31)?;
                Box::new(decoder)
            }
        })
    }
}

/// The magic number of a frame or of a skippable frame (RFC 8878, 3.1.1 and 3.1.2).
fn is_zstandard(start: &[u8]) -> bool {
    start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
        || (start.len() >= 4 && start[0] & 0xf0 == 0x50 && start[1..4] == [0x2a, 0x4d, 0x18])
}
