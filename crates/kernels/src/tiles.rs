//! GEMMs on a tile unit: Intel's AMX, or an emulation that follows its manual bit for bit.
//!
//! A tile is 16 rows of 64 bytes. One instruction adds the product of a tile of activations (16 positions, in the
//! board's layout) and a tile of packed weights to a 16x16 tile of sums. The 72 positions of a board are four and a
//! half tiles, so eight tiles are enough for the sums of a board for 16 outputs, its activations and the weights.

#[cfg(test)]
mod emulated;
mod gemm;
mod gradient;
#[cfg(target_arch = "x86_64")]
mod hardware;

pub(crate) use gemm::{Taps, TileWeights, dense};
pub(crate) use gradient::{BOARDS, OuterProducts, SIDE, STEP, Tap, add_outer_products};
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
    /// All tiles have [`ROWS`] rows except the two for the last half.
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
    /// `TILERELEASE`.
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
