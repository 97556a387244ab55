//! Vectors on one instruction set.
//!
//! A kernel is written once, over [`Simd`] and [`Lanes`], and runs through [`Simd::run`]. There the compiler may use
//! the instruction set, because everything the kernel calls is inlined there. The implementations are tokens: a token
//! is proof that the processor has the instructions, so the vector operations are safe to call.
//!
//! [`Simd::run`] is the only boundary between code compiled for the baseline and code compiled for an instruction set. A function
//! with `target_feature` cannot be inlined into one without it, so a boundary inside a loop would cost a call per iteration and
//! pass vectors through memory. Hence a kernel is a struct of slices, which is cheap to hand over once, and everything below its
//! `call` is `#[inline(always)]`. The compiler gives no warning where this is violated, only a slow program: an intrinsic that
//! was not inlined shows up in a profile as a function of its own.

/// Calls an intrinsic that requires only the instruction set.
#[cfg(target_arch = "x86_64")]
macro_rules! proven {
    ($call:expr) => {
        // SAFETY: the token proves that the processor has the instruction set; no memory is touched.
        unsafe { $call }
    };
}

/// Functions of [`Simd`] and similar traits that are a single instruction.
#[cfg(target_arch = "x86_64")]
macro_rules! operations {
    ($floats:ty; $($name:ident($($argument:ident),+) = $intrinsic:ident;)+) => {
        $(
            #[inline(always)]
            fn $name(self, $($argument: $floats),+) -> $floats {
                $crate::simd::proven!($intrinsic($($argument),+))
            }
        )+
    };
}

/// Unsafe functions of [`Simd`] and similar traits that access memory; the caller promises that it is readable or
/// writable.
#[cfg(target_arch = "x86_64")]
macro_rules! in_memory {
    ($(fn $name:ident($($argument:tt: $type:ty),+) $(-> $result:ty)? { $($body:tt)+ })+) => {
        $(
            #[inline(always)]
            unsafe fn $name(self, $($argument: $type),+) $(-> $result)? {
                // SAFETY: proven by the token; readable or writable by the caller's promise.
                unsafe { $($body)+ }
            }
        )+
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) use {in_memory, operations, proven};

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod element;
mod floats;
mod portable;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::{Avx512, Avx512Bf16, Avx512Vnni};
pub(crate) use portable::Portable;

use self::element::{Bf16, Element};

/// A piece of work for one instruction set, with its result.
pub(crate) trait Kernel<S, R = ()> {
    /// Runs the kernel. Implementations are `#[inline(always)]`, as is every function on vectors that they call: a function
    /// that is compiled separately, as closures may be, is compiled without the instruction set.
    fn call(self, simd: S) -> R;
}

/// Vectors of 32-bit floats.
pub(crate) trait Simd: Copy + Send + Sync + 'static {
    /// A vector of [`Simd::LANES`] floats.
    type Floats: Copy;
    /// Number of floats in a vector.
    const LANES: usize;
    /// [`Lanes::ROWS`] and [`Lanes::COLUMNS`] of 32-bit floats.
    const FLOAT_BLOCK: [usize; 2];

    /// Runs a kernel with the instruction set enabled.
    fn run<K: Kernel<Self, R>, R>(self, kernel: K) -> R;

    /// # Safety
    /// `from` must be readable for [`Simd::LANES`] numbers.
    unsafe fn load(self, from: *const f32) -> Self::Floats;
    /// # Safety
    /// `to` must be writable for [`Simd::LANES`] numbers.
    unsafe fn store(self, to: *mut f32, values: Self::Floats);
    /// Loads 32-bit integers as floats.
    ///
    /// # Safety
    /// `from` must be readable for [`Simd::LANES`] numbers.
    unsafe fn load_integers(self, from: *const i32) -> Self::Floats;
    /// Loads bf16 numbers as floats.
    ///
    /// # Safety
    /// `from` must be readable for [`Simd::LANES`] numbers.
    unsafe fn load_halves(self, from: *const Bf16) -> Self::Floats;
    /// Loads twice as many bf16 numbers as floats: those at even indices, then those at odd indices. Cheaper than loading two
    /// consecutive vectors.
    ///
    /// # Safety
    /// `from` must be readable for twice [`Simd::LANES`] numbers.
    #[inline(always)]
    unsafe fn load_half_pairs(self, from: *const Bf16) -> [Self::Floats; 2] {
        let mut numbers = [0.0; 32];
        const { assert!(Self::LANES <= 16) };
        // SAFETY: readable by the caller's promise; there is room for two vectors.
        unsafe {
            for (place, number) in numbers[..2 * Self::LANES].iter_mut().enumerate() {
                *number = (*from.add(place)).to_f32();
            }
            self.load_pairs(numbers.as_ptr())
        }
    }
    /// Adds the numbers that [`Simd::load_half_pairs`] reads to the sums of even and odd indices. Numbers must be finite; those
    /// below the smallest normal float may count as zero.
    ///
    /// # Safety
    /// As [`Simd::load_half_pairs`].
    #[inline(always)]
    unsafe fn add_half_pairs(self, sums: [Self::Floats; 2], from: *const Bf16) -> [Self::Floats; 2] {
        // SAFETY: the caller's promise.
        let terms = unsafe { self.load_half_pairs(from) };
        [self.add(sums[0], terms[0]), self.add(sums[1], terms[1])]
    }
    /// Loads twice [`Simd::LANES`] floats: those at even indices, then those at odd indices.
    ///
    /// # Safety
    /// `from` must be readable for twice [`Simd::LANES`] numbers.
    #[inline(always)]
    unsafe fn load_pairs(self, from: *const f32) -> [Self::Floats; 2] {
        let mut numbers = [0.0; 32];
        const { assert!(Self::LANES <= 16) };
        // SAFETY: readable by the caller's promise; there is room for two vectors.
        unsafe {
            for place in 0..2 * Self::LANES {
                numbers[place % 2 * Self::LANES + place / 2] = *from.add(place);
            }
            [self.load(numbers.as_ptr()), self.load(numbers.as_ptr().add(Self::LANES))]
        }
    }
    /// The inverse of [`Simd::load_pairs`].
    ///
    /// # Safety
    /// `to` must be writable for twice [`Simd::LANES`] numbers.
    #[inline(always)]
    unsafe fn store_pairs(self, to: *mut f32, [even, odd]: [Self::Floats; 2]) {
        let mut numbers = [0.0; 32];
        const { assert!(Self::LANES <= 16) };
        // SAFETY: writable by the caller's promise; there is room for two vectors.
        unsafe {
            self.store(numbers.as_mut_ptr(), even);
            self.store(numbers.as_mut_ptr().add(Self::LANES), odd);
            for place in 0..2 * Self::LANES {
                *to.add(place) = numbers[place % 2 * Self::LANES + place / 2];
            }
        }
    }
    /// A vector with `value` in every lane.
    fn splat(self, value: f32) -> Self::Floats;
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn div(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// The larger of each pair.
    fn max(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// The smaller of each pair.
    fn min(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `a b + c`, with a single rounding if the instruction set has a fused multiply-add.
    fn fma(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    /// `c - a b`, rounded like [`Simd::fma`].
    fn fnma(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    /// Rounds each lane to the nearest integer, ties to even.
    fn round(self, values: Self::Floats) -> Self::Floats;
    /// 2 to the power of integers from -126 to 127.
    fn pow2(self, exponents: Self::Floats) -> Self::Floats;
    /// `values` where `gate` is above zero, zero elsewhere.
    fn where_positive(self, gate: Self::Floats, values: Self::Floats) -> Self::Floats;

    /// The sum of the lanes: the upper half is added to the lower half until one lane is left.
    #[inline(always)]
    fn total(self, values: Self::Floats) -> f32 {
        let mut numbers = [0.0; 16];
        const { assert!(Self::LANES <= 16) };
        // SAFETY: there is room for the lanes.
        unsafe { self.store(numbers.as_mut_ptr(), values) };
        let mut width = Self::LANES / 2;
        while width > 0 {
            for lane in 0..width {
                numbers[lane] += numbers[lane + width];
            }
            width /= 2;
        }
        numbers[0]
    }

    /// The largest lane.
    #[inline(always)]
    fn largest(self, values: Self::Floats) -> f32 {
        let mut numbers = [f32::NEG_INFINITY; 16];
        const { assert!(Self::LANES <= 16) };
        // SAFETY: there is room for the lanes.
        unsafe { self.store(numbers.as_mut_ptr(), values) };
        let mut width = Self::LANES / 2;
        while width > 0 {
            for lane in 0..width {
                numbers[lane] = numbers[lane].max(numbers[lane + width]);
            }
            width /= 2;
        }
        numbers[0]
    }

    /// Transposes a block of 16 x 16 floats; the strides are between rows.
    ///
    /// # Safety
    /// Sixteen numbers of each of sixteen rows must be readable and writable.
    #[inline(always)]
    unsafe fn transpose_block(self, from: *const f32, from_stride: usize, to: *mut f32, to_stride: usize) {
        for column in 0..16 {
            for row in 0..16 {
                // SAFETY: the caller's promise.
                unsafe { *to.add(column * to_stride + row) = *from.add(row * from_stride + column) };
            }
        }
    }
}

/// Operations of an instruction set on elements of one type: dot products, and conversion to and from floats.
pub(crate) trait Lanes<E: Element>: Simd {
    /// A vector of sums, one per lane.
    type Sums: Copy;
    /// [`Element::GROUP`] weights for each sum.
    type Weights: Copy;
    /// Rows of the block of sums that stays in registers during a product. Sums, a row of weights and a broadcast activation have
    /// to fit the register file, or the compiler spills sums inside the innermost loop without a warning. At the same time there
    /// have to be enough independent sums to hide the latency: a multiply-add takes four cycles and two can begin in each on
    /// current x86-64 cores, so at least eight. `docs/experiments/inference-kernel-changes.md` has a case between the two limits:
    /// of AVX-VNNI, eight sums reach 89 % of the peak and twelve spill.
    const ROWS: usize;
    /// Columns, in vectors; see [`Lanes::ROWS`].
    const COLUMNS: usize;

    fn no_sums(self) -> Self::Sums;
    /// # Safety
    /// `from` must be readable for [`Element::GROUP`] x [`Simd::LANES`] weights.
    unsafe fn load_weights(self, from: *const E::Weight) -> Self::Weights;
    /// Adds the dot product of a group of activations with each sum's group of weights.
    ///
    /// # Safety
    /// `activations` must be readable for [`Element::GROUP`] elements.
    unsafe fn dot(self, sums: Self::Sums, activations: *const E, weights: Self::Weights) -> Self::Sums;
    /// # Safety
    /// `to` must be writable for [`Simd::LANES`] sums.
    unsafe fn store_sums(self, to: *mut E::Sum, sums: Self::Sums);
    /// Loads elements as floats.
    ///
    /// # Safety
    /// `from` must be readable for [`Simd::LANES`] elements.
    unsafe fn load_elements(self, from: *const E) -> Self::Floats;
    /// Converts floats to the nearest elements, saturating at the ends of the range.
    ///
    /// # Safety
    /// `to` must be writable for [`Simd::LANES`] elements.
    unsafe fn store_elements(self, to: *mut E, values: Self::Floats);
    /// Like [`Lanes::store_elements`], but stores two consecutive vectors.
    ///
    /// # Safety
    /// `to` must be writable for twice [`Simd::LANES`] elements.
    #[inline(always)]
    unsafe fn store_element_pair(self, to: *mut E, first: Self::Floats, second: Self::Floats) {
        // SAFETY: writable by the caller's promise.
        unsafe {
            self.store_elements(to, first);
            self.store_elements(to.add(Self::LANES), second);
        }
    }
}

/// Lanes with float sums that can also interleave rows, which weight gradients require.
pub(crate) trait GradientLanes<E: Element<Weight = E, Sum = f32>>:
    Lanes<E, Sums = <Self as Simd>::Floats>
{
    /// Interleaves [`Element::GROUP`] rows: for each lane, its elements of these rows one after another.
    ///
    /// # Safety
    /// [`Simd::LANES`] elements of each row must be readable, `stride` elements from those of the row before, and `to`
    /// writable for as many.
    unsafe fn interleave(self, from: *const E, stride: usize, to: *mut E);

    /// Transposes one rank of four boards, with sixteen channels, into sixteen rows of 32 squares. Writes three copies: the
    /// values of the squares to the left, of the squares themselves and of the squares to the right, with zeros beyond the edge.
    ///
    /// # Safety
    /// Sixteen elements of eight squares of each board must be readable, `stride` elements from square to square; 32 elements of
    /// each row must be writable, `to_strides[0]` elements from row to row and `to_strides[1]` from copy to copy.
    #[inline(always)]
    unsafe fn transpose(self, from: [*const E; 4], stride: usize, to: *mut E, to_strides: [usize; 2]) {
        for channel in 0..16 {
            for square in 0..32 {
                for copy in 0..3_usize {
                    // SAFETY: the caller's promise; only squares of the boards are read.
                    unsafe {
                        let file = (square % 8 + copy).checked_sub(1).filter(|file| *file < 8);
                        let at = file.map(|file| from[square / 8].add(file * stride + channel));
                        let to = to.add(copy * to_strides[1] + channel * to_strides[0] + square);
                        *to = at.map_or(E::nearest(0.0), |at| *at);
                    }
                }
            }
        }
    }
}
