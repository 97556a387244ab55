//! Vectors of 16-bit sums and dot products of bytes, for each instruction set.
//!
//! # Bounds
//!
//! All instruction sets give the same bits because no intermediate result overflows where one of them would saturate and another
//! wrap:
//!
//! | number | bound | why it fits |
//! |---|---|---|
//! | entry of a table | +-127 | `Table::new` picks the finest step in which the largest weight fits |
//! | sum of rows and bias, 16 bits | saturates at +-32,767 | takes 259 rows of 127 in one column; positions have about a hundred |
//! | clipped sum | 0 to 128 (with 7 fractional bits) | |
//! | product of two, 16 bits | 128 x 128 + 64 = 16,448 | 8 fractional bits would need 256 x 256: hence at most 7 |
//! | hidden unit | 0 to 128 | not 127: one is exact, as in training |
//! | pair of unit x weight in `pmaddubsw`, 16 bits | 2 x 128 x 127 = 32,512 | units up to 255 would saturate here and not in `dpbusd` |
//! | dot product, 32 bits | units x 128 x 127 | fits for 132,000 units |
//!
//! Sums saturate instead of wrapping because a clipped function follows: a sum beyond the range stays at the right end of it.
//! Saturating addition is not associative, so the order of the rows is part of the result, and a row cannot be subtracted again.
//! An accumulator that is updated move by move needs wrapping addition, as [`super::nnue`] has.

use crate::simd::{Portable, Simd};

/// The length of dot products in bytes is a multiple of this.
pub(super) const GROUP: usize = 32;

/// The fixed-point scale of sums when they are turned into hidden units: a sum of 1 is `1 << bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    /// Fractional bits, from 4 to 7. With fewer, products would be coarser than 1/128; with more, the product of two ones
    /// would not fit in 16 bits.
    pub(super) bits: u32,
}

impl Scale {
    /// The fixed-point sum that represents 1.
    pub(super) fn one(self) -> i16 {
        1 << self.bits
    }

    /// The right shift that turns products of two sums into units of 1/128.
    pub(super) fn shift(self) -> u32 {
        2 * self.bits - 7
    }

    /// Half of a unit of the result, added before the shift to round to nearest.
    pub(super) fn half(self) -> i16 {
        1 << (self.shift() - 1)
    }
}

/// Integer operations of an instruction set for sparse networks.
pub(super) trait Integers: Simd {
    /// A vector of [`Integers::SUMS`] 16-bit sums.
    type Sums: Copy;
    /// Number of sums in a vector.
    const SUMS: usize;
    /// The largest number of pairs of vectors that stay in registers.
    const PAIRS: usize;

    /// # Safety
    /// `from` must be readable for [`Integers::SUMS`] numbers.
    unsafe fn load_sums(self, from: *const i16) -> Self::Sums;
    /// # Safety
    /// `to` must be writable for [`Integers::SUMS`] numbers.
    unsafe fn write_sums(self, to: *mut i16, sums: Self::Sums);
    /// `a + b`, wrapping.
    fn add_sums(self, a: Self::Sums, b: Self::Sums) -> Self::Sums;
    /// `a - b`, wrapping.
    fn sub_sums(self, a: Self::Sums, b: Self::Sums) -> Self::Sums;
    /// Adds a row, saturating at 16 bits.
    ///
    /// # Safety
    /// `row` must be readable for [`Integers::SUMS`] numbers.
    unsafe fn add_row(self, sums: Self::Sums, row: *const i8) -> Self::Sums;
    /// Clips sums to the range 0 to 1, multiplies them and writes the products as hidden units.
    ///
    /// # Safety
    /// `to` must be writable for [`Integers::SUMS`] bytes.
    unsafe fn store_products(self, factors: [Self::Sums; 2], scale: Scale, to: *mut u8);
    /// The dot product of hidden units and a row.
    ///
    /// # Safety
    /// Both must be readable for `count` bytes, a multiple of [`GROUP`].
    unsafe fn dot(self, units: *const u8, row: *const i8, count: usize) -> i32;
    /// Prefetches a row; does nothing on instruction sets without a prefetch.
    fn prefetch(self, _row: &[i8]) {}
}

impl Integers for Portable {
    type Sums = [i16; 16];
    const SUMS: usize = 16;
    const PAIRS: usize = 2;

    #[inline(always)]
    unsafe fn load_sums(self, from: *const i16) -> Self::Sums {
        // SAFETY: readable by the caller's promise.
        unsafe { from.cast::<Self::Sums>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn write_sums(self, to: *mut i16, sums: Self::Sums) {
        // SAFETY: writable by the caller's promise.
        unsafe { to.cast::<Self::Sums>().write_unaligned(sums) }
    }

    #[inline(always)]
    fn add_sums(self, mut a: Self::Sums, b: Self::Sums) -> Self::Sums {
        for (a, b) in a.iter_mut().zip(b) {
            *a = a.wrapping_add(b);
        }
        a
    }

    #[inline(always)]
    fn sub_sums(self, mut a: Self::Sums, b: Self::Sums) -> Self::Sums {
        for (a, b) in a.iter_mut().zip(b) {
            *a = a.wrapping_sub(b);
        }
        a
    }

    #[inline(always)]
    unsafe fn add_row(self, mut sums: Self::Sums, row: *const i8) -> Self::Sums {
        // SAFETY: readable by the caller's promise.
        let row = unsafe { row.cast::<[i8; 16]>().read_unaligned() };
        for (sum, weight) in sums.iter_mut().zip(row) {
            *sum = sum.saturating_add(i16::from(weight));
        }
        sums
    }

    #[inline(always)]
    unsafe fn store_products(self, [first, second]: [Self::Sums; 2], scale: Scale, to: *mut u8) {
        let mut units = [0_u8; 16];
        for (unit, (first, second)) in units.iter_mut().zip(first.into_iter().zip(second)) {
            let product = first.clamp(0, scale.one()) * second.clamp(0, scale.one());
            *unit = ((product + scale.half()) >> scale.shift()) as u8;
        }
        // SAFETY: writable by the caller's promise.
        unsafe { to.cast::<[u8; 16]>().write_unaligned(units) }
    }

    #[inline(always)]
    unsafe fn dot(self, units: *const u8, row: *const i8, count: usize) -> i32 {
        // SAFETY: readable by the caller's promise.
        let (units, row) =
            unsafe { (std::slice::from_raw_parts(units, count), std::slice::from_raw_parts(row, count)) };
        units.iter().zip(row).map(|(unit, weight)| i32::from(*unit) * i32::from(*weight)).sum()
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![allow(
        clippy::wildcard_imports,
        reason = "the intrinsics are named by the instructions; a list would be the file again"
    )]

    use std::arch::x86_64::*;

    use super::{GROUP, Integers, Scale};
    use crate::simd::{Avx2, Avx512Vnni, in_memory, operations};

    /// Bytes of a cache line.
    const LINE: usize = 64;

    #[inline(always)]
    fn prefetch(row: &[i8]) {
        for at in (0..row.len()).step_by(LINE) {
            // SAFETY: a hint about an address inside the row; nothing is read.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().add(at)) };
        }
    }

    impl Integers for Avx2 {
        type Sums = __m256i;
        const SUMS: usize = 16;
        const PAIRS: usize = 8;

        operations! {
            __m256i;
            add_sums(a, b) = _mm256_add_epi16;
            sub_sums(a, b) = _mm256_sub_epi16;
        }

        in_memory! {
            fn load_sums(from: *const i16) -> __m256i { _mm256_loadu_si256(from.cast()) }
            fn write_sums(to: *mut i16, sums: __m256i) { _mm256_storeu_si256(to.cast(), sums) }
            fn add_row(sums: __m256i, row: *const i8) -> __m256i {
                _mm256_adds_epi16(sums, _mm256_cvtepi8_epi16(_mm_loadu_si128(row.cast())))
            }
            fn store_products([first, second]: [__m256i; 2], scale: Scale, to: *mut u8) {
                let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(scale.one()));
                // Not with `map`: a closure would be compiled separately, without the instruction set, as two calls per
                // vector.
                let first = _mm256_min_epi16(_mm256_max_epi16(first, zero), one);
                let second = _mm256_min_epi16(_mm256_max_epi16(second, zero), one);
                let product =
                    _mm256_add_epi16(_mm256_mullo_epi16(first, second), _mm256_set1_epi16(scale.half()));
                let units = _mm256_srl_epi16(product, _mm_cvtsi32_si128(scale.shift() as i32));
                // `packus` works within 128-bit halves.
                // Both halves contain eight units twice; the first eight of each are needed.
                let packed = _mm256_permute4x64_epi64::<0b10_00>(_mm256_packus_epi16(units, units));
                _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(packed));
            }
            fn dot(units: *const u8, row: *const i8, count: usize) -> i32 {
                let mut sums = _mm256_setzero_si256();
                for at in (0..count).step_by(GROUP) {
                    let units = _mm256_loadu_si256(units.add(at).cast());
                    let row = _mm256_loadu_si256(row.add(at).cast());
                    // Units are at most 128: a sum of two products fits 16 bits.
                    let pairs = _mm256_maddubs_epi16(units, row);
                    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
                }
                total(sums)
            }
        }

        #[inline(always)]
        fn prefetch(self, row: &[i8]) {
            prefetch(row);
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline(always)]
    unsafe fn total(sums: __m256i) -> i32 {
        // SAFETY: the processor has AVX2 by the caller's promise.
        unsafe {
            let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
            let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
            let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums));
            _mm_cvtsi128_si32(sums)
        }
    }

    impl Integers for Avx512Vnni {
        type Sums = __m512i;
        const SUMS: usize = 32;
        const PAIRS: usize = 8;

        operations! {
            __m512i;
            add_sums(a, b) = _mm512_add_epi16;
            sub_sums(a, b) = _mm512_sub_epi16;
        }

        in_memory! {
            fn load_sums(from: *const i16) -> __m512i { _mm512_loadu_si512(from.cast()) }
            fn write_sums(to: *mut i16, sums: __m512i) { _mm512_storeu_si512(to.cast(), sums) }
            fn add_row(sums: __m512i, row: *const i8) -> __m512i {
                _mm512_adds_epi16(sums, _mm512_cvtepi8_epi16(_mm256_loadu_si256(row.cast())))
            }
            fn store_products([first, second]: [__m512i; 2], scale: Scale, to: *mut u8) {
                let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(scale.one()));
                // Not with `map`: a closure would be compiled separately, without the instruction set, as two calls per
                // vector.
                let first = _mm512_min_epi16(_mm512_max_epi16(first, zero), one);
                let second = _mm512_min_epi16(_mm512_max_epi16(second, zero), one);
                let product =
                    _mm512_add_epi16(_mm512_mullo_epi16(first, second), _mm512_set1_epi16(scale.half()));
                let units = _mm512_srl_epi16(product, _mm_cvtsi32_si128(scale.shift() as i32));
                _mm256_storeu_si256(to.cast(), _mm512_cvtepi16_epi8(units));
            }
            // The token's VL part has VNNI on short vectors. `dpbusd` accumulates in 32 bits without saturation, and so do the
            // two steps of AVX2 for units of at most 128: all instruction sets give the same bits. There are four sums, so
            // that an addition does not wait for the previous one.
            fn dot(units: *const u8, row: *const i8, count: usize) -> i32 {
                let mut sums = [_mm512_setzero_si512(); 4];
                let whole = count / LINE * LINE;
                for at in (0..whole).step_by(4 * LINE) {
                    for (number, sum) in sums.iter_mut().enumerate() {
                        let at = at + number * LINE;
                        if at < whole {
                            let units = _mm512_loadu_si512(units.add(at).cast());
                            *sum = _mm512_dpbusd_epi32(*sum, units, _mm512_loadu_si512(row.add(at).cast()));
                        }
                    }
                }
                let sums =
                    _mm512_add_epi32(_mm512_add_epi32(sums[0], sums[1]), _mm512_add_epi32(sums[2], sums[3]));
                let mut short =
                    _mm256_add_epi32(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64::<1>(sums));
                // Rows are multiples of half a line, so at most one short vector is left.
                if whole < count {
                    let units = _mm256_loadu_si256(units.add(whole).cast());
                    short = _mm256_dpbusd_epi32(short, units, _mm256_loadu_si256(row.add(whole).cast()));
                }
                total(short)
            }
        }

        #[inline(always)]
        fn prefetch(self, row: &[i8]) {
            prefetch(row);
        }
    }
}
