//! FNV-1a with 64 bits (Fowler, Noll and Vo, <http://www.isthe.com/chongo/tech/comp/fnv/>). Files and the benchmark's signature
//! store its hashes, so it never changes.

/// Offset basis and prime of the hash with 64 bits.
const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// A hash in progress.
#[derive(Clone, Copy, Debug)]
pub struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(OFFSET_BASIS)
    }
}

impl Fnv1a {
    /// Continues the hash with these bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// The hash of all bytes so far.
    pub fn get(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_authors() {
        // From the test vectors of the authors' page.
        for (text, expected) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            let mut hash = Fnv1a::default();
            hash.add(text.as_bytes());
            assert_eq!(hash.get(), expected, "{text}");
        }
        let mut parts = Fnv1a::default();
        parts.add(b"foo");
        parts.add(b"bar");
        assert_eq!(parts.get(), 0x8594_4171_f739_67e8);
    }
}
