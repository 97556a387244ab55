//! Files of the right shape with random numbers, for tests and fuzz targets.

use kernels::sparse::NnuePlan;

use crate::sparse::nnue::{
    features::FEATURES,
    file::{LAYERS, TABLE, VERSION},
};

/// Number of bytes before the table: version, hash, length of the description, a description of four bytes, hash of the
/// table.
pub const HEADER: usize = 20;

/// A file whose numbers are determined by `seed`, with sums and outputs of sizes similar to those of Stockfish's
/// networks.
pub fn file(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes = Vec::with_capacity(48 << 20);
    for word in [VERSION, TABLE ^ LAYERS, 4, u32::from_le_bytes(*b"test"), TABLE] {
        bytes.extend(word.to_le_bytes());
    }
    for _ in 0..NnuePlan::WIDTH {
        bytes.extend((random.within(100) as i16).to_le_bytes());
    }
    for _ in 0..FEATURES * NnuePlan::WIDTH {
        bytes.extend((random.within(24) as i16).to_le_bytes());
    }
    for _ in 0..FEATURES * NnuePlan::STACKS {
        bytes.extend(random.within(3000).to_le_bytes());
    }
    for _ in 0..NnuePlan::STACKS {
        bytes.extend(LAYERS.to_le_bytes());
        for (outputs, inputs, reach) in [(16, NnuePlan::WIDTH, 40), (32, 32, 90), (1, 32, 127)] {
            for _ in 0..outputs {
                bytes.extend(random.within(2000).to_le_bytes());
            }
            bytes.extend((0..outputs * inputs).map(|_| random.within(reach) as u8));
        }
    }
    bytes
}

/// A linear congruential generator (Knuth, MMIX).
struct Random(u64);

impl Random {
    /// A number from `-reach` to `reach`.
    fn within(&mut self, reach: i32) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % (2 * reach as u64 + 1)) as i32 - reach
    }
}
