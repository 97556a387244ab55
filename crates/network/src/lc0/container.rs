//! From a file's bytes to the decoded message.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use prost::Message as _;

use super::{error::Lc0Problem, message::Net};

/// First two bytes of a gzip stream (RFC 1952, section 2.3.1).
pub(super) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// First field of every weights file (`kWeightMagic` in lc0's `loader.cc`).
const WEIGHTS_MAGIC: u32 = 0x1c0;

/// The most uncompressed bytes that are read. The largest convolutional network lc0 ever trained (T60, 30 blocks x 384)
/// takes 160 MB.
pub(super) const LIMIT: u64 = 512 << 20;

/// Decodes the content of a `.pb` or `.pb.gz` file; which of the two it is shows in its first bytes.
pub(super) fn decode(bytes: &[u8]) -> Result<Net, Lc0Problem> {
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
