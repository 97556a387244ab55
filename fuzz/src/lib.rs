//! Helpers for several fuzz targets.

/// Damage to a valid file: a few bytes are replaced, and perhaps the end is missing. Random bytes alone would hardly
/// ever get past the first line of a format with a checksum or a header.
pub type Damage = (Vec<(u16, u8)>, u16);

/// `file` after `damage`. Places count from the start if they are even and from the end if they are odd, because
/// formats keep their descriptions at either end.
pub fn damaged(file: &[u8], (replaced, missing): &Damage) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for &(place, byte) in replaced {
        let distance = usize::from(place / 2) % bytes.len();
        let place = if place % 2 == 0 { distance } else { bytes.len() - 1 - distance };
        bytes[place] = byte;
    }
    bytes.truncate(bytes.len() - usize::from(*missing).min(bytes.len()));
    bytes
}
