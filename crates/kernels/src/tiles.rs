//! GEMMs on a tile unit: Intel's AMX, or an emulation that follows its manual bit for bit.
//!
//! A tile is 16 rows of 64 bytes. One instruction adds the product of a tile of activations (16 positions, in the
//! board's layout) and a tile of packed weights to a 16x16 tile of sums. The 72 positions of a board are four and a
//! half tiles, so eight tiles are enough for the sums of a board for 16 outputs, its activations and the weights.
//!
//! ```text
//! tmm0..tmm3   sums of positions 0..64, 16 in each tile      16 rows x 16 outputs of 32 bits
//! tmm4         sums of positions 64..72                       8 rows
//! tmm5         activations of 16 positions                   16 rows x 64 bytes: 32 channels in bf16, 64 in int8
//! tmm6         weights of 16 outputs                         16 rows, each a group of inputs for all 16 outputs
//! tmm7         activations of the last 8 positions            8 rows
//! ```
//!
//! The rows of a tile of activations are positions of the board in place, one square's width apart. A tile has a single stride,
//! so the ninth position of each rank is multiplied like a square and its sums are ignored: a ninth of the work. Without it a
//! tile could hold one rank, and eight tiles of sums would leave none for operands.
//!
//! The unit wants the right operand with the inputs of a group (2 in bf16, 4 in int8) interleaved per output, the same format as
//! `dpbf16` and `dpbusd` on vectors; only the order of the groups differs from [`crate::gemm`]'s packing.
//!
//! Which configuration is loaded is part of the safety of a program: the number of rows that a load or store touches comes from
//! it, not from the instruction. Under [`TileConfig::WHOLE`] the last half of a board would be read and written with 16 rows,
//! beyond its end.

#[cfg(test)]
mod emulated;
mod gemm;
mod gradient;
#[cfg(target_arch = "x86_64")]
mod hardware;

pub(crate) use gemm::{TOGETHER, Taps, TileWeights, dense};
pub(crate) use gradient::{BOARDS, Block, OuterProducts, SIDE, STEP, Tap, add_block, add_outer_products};
#[cfg(target_arch = "x86_64")]
pub(crate) use hardware::{Hardware, refusal};

#[cfg(test)]
pub(crate) use emulated::Emulated;

use crate::simd::element::{Bf16, Element};

/// Rows of a full tile.
pub(crate) const ROWS: usize = 16;
/// Bytes per tile row.
pub(crate) const ROW_BYTES: usize = 64;

/// The tile with the sums of positions 64 to 71; tiles 0 to 3 hold the sums of positions 0 to 63.
pub(crate) const HALF_SUMS: usize = 4;
/// The tile with the activations of 16 positions.
pub(crate) const INPUT: usize = 5;
/// The tile with the weights of 16 outputs.
pub(crate) const WEIGHTS: usize = 6;
/// The tile with the activations of 8 positions.
pub(crate) const HALF_INPUT: usize = 7;

/// The operand of `LDTILECFG`, palette 1.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct TileConfig {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

impl TileConfig {
    /// All tiles have [`ROWS`] rows except the two for the last half. A row is 64 bytes in every tile: 32 or 64 channels of
    /// activations, a group of weights for 16 outputs, or 16 sums.
    pub(crate) const BOARD: Self = {
        let mut config =
            Self { palette: 1, start_row: 0, reserved: [0; 14], row_bytes: [0; 16], rows: [0; 16] };
        let mut tile = 0;
        while tile < 8 {
            config.row_bytes[tile] = ROW_BYTES as u16;
            config.rows[tile] = if tile == HALF_SUMS || tile == HALF_INPUT { 8 } else { ROWS as u8 };
            tile += 1;
        }
        config
    };

    /// All tiles have [`ROWS`] rows.
    pub(crate) const WHOLE: Self = {
        let mut config = Self::BOARD;
        config.rows[HALF_SUMS] = ROWS as u8;
        config.rows[HALF_INPUT] = ROWS as u8;
        config
    };
}

/// Eight tiles and the instructions on them. Tile numbers are compile-time constants, as in the instructions.
pub(crate) trait TileUnit: Clone + Send + Sync + 'static {
    /// One thread's tiles; `()` if the processor holds them.
    type Tiles: Send;

    /// Tiles that are not configured yet.
    fn tiles(&self) -> Self::Tiles;
    /// `LDTILECFG`: sets the shapes and zeroes all tiles of this thread.
    fn configure(&self, tiles: &mut Self::Tiles, config: &TileConfig);
    /// `TILERELEASE`: back to the initial state, which the operating system need not save when it switches threads. The tiles are
    /// 8 KB, so programs hold them for a pass, never for the life of a thread.
    fn release(&self, tiles: &mut Self::Tiles);
    /// `TILEZERO`.
    ///
    /// # Safety
    /// This thread's tiles are configured. The same holds for all functions below.
    unsafe fn zero<const TILE: usize>(&self, tiles: &mut Self::Tiles);
    /// `TILELOADD`.
    ///
    /// # Safety
    /// Each of the tile's rows must be readable, `stride` bytes from the one before.
    unsafe fn load<const TILE: usize>(&self, tiles: &mut Self::Tiles, from: *const u8, stride: usize);
    /// `TILESTORED`.
    ///
    /// # Safety
    /// Each of the tile's rows must be writable, `stride` bytes from the one before.
    unsafe fn store<const TILE: usize>(&self, tiles: &mut Self::Tiles, to: *mut u8, stride: usize);
    /// Prefetches a cache line into the nearest cache; any address is allowed.
    fn prefetch(&self, from: *const u8);
    /// `TDPBF16PS`: sums += activations x weights.
    ///
    /// # Safety
    /// See [`TileUnit::zero`].
    unsafe fn dot_bf16<const SUMS: usize, const INPUT: usize, const WEIGHTS: usize>(
        &self,
        tiles: &mut Self::Tiles,
    );
    /// `TDPBUSD`: sums += activations x weights.
    ///
    /// # Safety
    /// See [`TileUnit::zero`].
    unsafe fn dot_u8<const SUMS: usize, const INPUT: usize, const WEIGHTS: usize>(
        &self,
        tiles: &mut Self::Tiles,
    );
}

/// Element types that tile units multiply.
pub(crate) trait TileElement: Element {
    /// Elements per tile row.
    const ROW: usize = ROW_BYTES / size_of::<Self>();

    /// Sums += activations x weights.
    ///
    /// # Safety
    /// See [`TileUnit::zero`].
    unsafe fn dot<U: TileUnit, const SUMS: usize, const INPUT: usize, const WEIGHTS: usize>(
        unit: &U,
        tiles: &mut U::Tiles,
    );
}

impl TileElement for Bf16 {
    #[inline(always)]
    unsafe fn dot<U: TileUnit, const SUMS: usize, const INPUT: usize, const WEIGHTS: usize>(
        unit: &U,
        tiles: &mut U::Tiles,
    ) {
        // SAFETY: configured by the caller's promise.
        unsafe { unit.dot_bf16::<SUMS, INPUT, WEIGHTS>(tiles) }
    }
}

impl TileElement for u8 {
    #[inline(always)]
    unsafe fn dot<U: TileUnit, const SUMS: usize, const INPUT: usize, const WEIGHTS: usize>(
        unit: &U,
        tiles: &mut U::Tiles,
    ) {
        // SAFETY: configured by the caller's promise.
        unsafe { unit.dot_u8::<SUMS, INPUT, WEIGHTS>(tiles) }
    }
}
