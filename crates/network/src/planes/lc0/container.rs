//! Decoding of a file's bytes to its message.

use std::{io::Read as _, path::Path};

use flate2::read::MultiGzDecoder;
use prost::Message as _;

use crate::planes::lc0::{error::Lc0Problem, message::Net};

/// The first two bytes of a gzip stream (RFC 1952, section 2.3.1).
pub(super) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The first field of every weights file (`kWeightMagic` in lc0's `loader.cc`).
const WEIGHTS_MAGIC: u32 = 0x1c0;

/// The magic number as the first field of an uncompressed message.
const MAGIC_FIELD: [u8; 5] = [0x0d, 0xc0, 0x01, 0x00, 0x00];

/// Limit on the number of uncompressed bytes that are read. The largest convolutional network lc0 ever trained (T60, 30
/// blocks x 384) takes 160 MB.
const LIMIT: u64 = 512 << 20;

/// True if a file appears to be an lc0 network: gzip, lc0's magic number, or a name with the ending of such files.
pub fn is_network(bytes: &[u8], file: &str) -> bool {
    // A safetensors file may start with the same five bytes; its ninth byte opens a JSON object.
    let message = bytes.starts_with(&MAGIC_FIELD) && bytes.get(8) != Some(&b'{');
    let extension = Path::new(file.trim_end_matches(".gz")).extension();
    message || bytes.starts_with(&GZIP_MAGIC) || extension.is_some_and(|name| name == "pb")
}

/// Decodes the content of a `.pb` or `.pb.gz` file. The format is recognised from the first bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<Net, Lc0Problem> {
    if bytes.starts_with(&GZIP_MAGIC) {
        return decode_message(&decompress(bytes)?);
    }
    decode_message(bytes)
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>, Lc0Problem> {
    let mut content = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(LIMIT + 1).read_to_end(&mut content);
    read.map_err(|reason| Lc0Problem::Gzip { offset: content.len(), reason })?;
    Ok(content)
}

fn decode_message(content: &[u8]) -> Result<Net, Lc0Problem> {
    if content.len() as u64 > LIMIT {
        return Err(Lc0Problem::TooLarge { limit: LIMIT });
    }
    if let [version @ (b'1' | b'2'), b'\n', ..] = content {
        return Err(Lc0Problem::TextFormat { version: char::from(*version) });
    }
    let net = Net::decode(content)?;
    match net.magic.unwrap_or_default() {
        WEIGHTS_MAGIC => Ok(net),
        found => Err(Lc0Problem::Magic { found }),
    }
}
