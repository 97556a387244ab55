//! The tile unit in plain Rust, following the pseudocode in Intel's manual (volume 2, TDPBF16PS and TDPBUSD), so that
//! the programs written for it are tested on every machine. One thing it leaves out: the unit takes denormal bf16 operands for
//! zero and flushes denormal results, which no test depends on.

use super::{ROW_BYTES, ROWS, TileConfig, TileUnit};
use crate::simd::element::Bf16;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Emulated;

#[derive(Clone, Copy, Debug)]
struct Tile {
    rows: usize,
    row_bytes: usize,
    bytes: [[u8; ROW_BYTES]; ROWS],
}

/// The tiles of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    configured: bool,
    tiles: [Tile; 8],
}

impl Tile {
    const EMPTY: Self = Self { rows: 0, row_bytes: 0, bytes: [[0; ROW_BYTES]; ROWS] };

    fn word(&self, row: usize, column: usize) -> [u8; 4] {
        self.bytes[row][column * 4..][..4].try_into().unwrap()
    }

    fn bf16(&self, row: usize, column: usize) -> f32 {
        Bf16(u16::from_le_bytes(self.bytes[row][column * 2..][..2].try_into().unwrap())).to_f32()
    }
}

impl Tiles {
    /// The operands of a product, with the checks of the real unit, where a mismatch is an invalid-opcode fault.
    fn operands(&mut self, sums: usize, input: usize, weights: usize) -> (&mut Tile, Tile, Tile) {
        assert!(self.configured, "tiles are used before they are configured");
        let (input, weights) = (self.tiles[input], self.tiles[weights]);
        let sums = &mut self.tiles[sums];
        assert_eq!(sums.rows, input.rows, "rows of sums and activations");
        assert_eq!(input.row_bytes / 4, weights.rows, "columns of activations, rows of weights");
        assert_eq!(sums.row_bytes, weights.row_bytes, "columns of sums and weights");
        (sums, input, weights)
    }
}

impl TileUnit for Emulated {
    type Tiles = Tiles;

    fn tiles(&self) -> Tiles {
        Tiles { configured: false, tiles: [Tile::EMPTY; 8] }
    }

    fn configure(&self, tiles: &mut Tiles, config: &TileConfig) {
        assert!(config.palette == 1 && config.start_row == 0 && config.reserved == [0; 14], "palette 1");
        assert!(config.rows[8..] == [0; 8] && config.row_bytes[8..] == [0; 8], "eight tiles");
        tiles.configured = true;
        for (number, tile) in tiles.tiles.iter_mut().enumerate() {
            let (rows, row_bytes) = (config.rows[number].into(), config.row_bytes[number].into());
            assert!(
                (1..=ROWS).contains(&rows) && (1..=ROW_BYTES).contains(&row_bytes),
                "the limits of palette 1"
            );
            *tile = Tile { rows, row_bytes, ..Tile::EMPTY };
        }
    }

    fn release(&self, tiles: &mut Tiles) {
        *tiles = self.tiles();
    }

    unsafe fn zero<const TILE: usize>(&self, tiles: &mut Tiles) {
        assert!(tiles.configured);
        tiles.tiles[TILE].bytes = [[0; ROW_BYTES]; ROWS];
    }

    unsafe fn load<const TILE: usize>(&self, tiles: &mut Tiles, from: *const u8, stride: usize) {
        assert!(tiles.configured);
        let tile = &mut tiles.tiles[TILE];
        tile.bytes = [[0; ROW_BYTES]; ROWS];
        for row in 0..tile.rows {
            // SAFETY: readable by the caller's promise.
            unsafe { from.add(row * stride).copy_to(tile.bytes[row].as_mut_ptr(), tile.row_bytes) };
        }
    }

    unsafe fn store<const TILE: usize>(&self, tiles: &mut Tiles, to: *mut u8, stride: usize) {
        assert!(tiles.configured);
        let tile = &tiles.tiles[TILE];
        for row in 0..tile.rows {
            // SAFETY: writable by the caller's promise.
            unsafe { to.add(row * stride).copy_from(tile.bytes[row].as_ptr(), tile.row_bytes) };
        }
    }

    fn prefetch(&self, _from: *const u8) {}

    unsafe fn dot_bf16<const SUMS: usize, const INPUT: usize, const WEIGHTS: usize>(
        &self,
        tiles: &mut Tiles,
    ) {
        let (sums, input, weights) = tiles.operands(SUMS, INPUT, WEIGHTS);
        for row in 0..sums.rows {
            for column in 0..sums.row_bytes / 4 {
                let (mut even, mut odd) = (0.0_f32, 0.0_f32);
                for pair in 0..input.row_bytes / 4 {
                    even = input.bf16(row, 2 * pair).mul_add(weights.bf16(pair, 2 * column), even);
                    odd = input.bf16(row, 2 * pair + 1).mul_add(weights.bf16(pair, 2 * column + 1), odd);
                }
                let sum = f32::from_le_bytes(sums.word(row, column)) + (even + odd);
                sums.bytes[row][column * 4..][..4].copy_from_slice(&sum.to_le_bytes());
            }
        }
    }

    unsafe fn dot_u8<const SUMS: usize, const INPUT: usize, const WEIGHTS: usize>(&self, tiles: &mut Tiles) {
        let (sums, input, weights) = tiles.operands(SUMS, INPUT, WEIGHTS);
        for row in 0..sums.rows {
            for column in 0..sums.row_bytes / 4 {
                let mut sum = i32::from_le_bytes(sums.word(row, column));
                for group in 0..input.row_bytes / 4 {
                    for byte in 0..4 {
                        let activation = i32::from(input.bytes[row][group * 4 + byte]);
                        let weight = i32::from(weights.bytes[group][column * 4 + byte].cast_signed());
                        sum = sum.wrapping_add(activation * weight);
                    }
                }
                sums.bytes[row][column * 4..][..4].copy_from_slice(&sum.to_le_bytes());
            }
        }
    }
}
