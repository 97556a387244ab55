//! Number formats of tables and of the gradients of samples: 32 bits, or 16 bits, which halves the memory traffic of a
//! step. All sums are in 32 bits.

use std::ops::{Deref, DerefMut, Range};

use crate::{
    Isa,
    aligned::Aligned,
    simd::{Kernel, Simd, element::Bf16},
    use_large_pages,
};

/// Floats aligned to cache lines, so that no vector of them spans two lines.
#[derive(Clone)]
pub struct Floats(Aligned<f32>);

impl Floats {
    /// `length` zeros.
    #[must_use]
    pub fn zeros(length: usize) -> Self {
        Self(Aligned::filled(length, 0.0))
    }
}

impl From<&[f32]> for Floats {
    fn from(values: &[f32]) -> Self {
        let mut floats = Self::zeros(values.len());
        floats.copy_from_slice(values);
        floats
    }
}

impl Deref for Floats {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.0
    }
}

impl DerefMut for Floats {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.0
    }
}

/// The format of tables and of the gradients of samples in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFormat {
    /// 32-bit floats.
    Single,
    /// The upper 16 bits of 32-bit floats (bf16).
    Half,
}

/// Numbers in one of the formats, aligned to cache lines.
#[derive(Clone)]
pub struct Numbers(Kept);

#[derive(Clone)]
enum Kept {
    /// 32-bit floats.
    Single(Aligned<f32>),
    /// The upper 16 bits of 32-bit floats.
    Half(Aligned<Bf16>),
}

/// A slice of [`Numbers`], for reading.
#[derive(Clone, Copy, Debug)]
pub enum NumbersRef<'a> {
    /// 32-bit floats.
    Single(&'a [f32]),
    /// The upper 16 bits of 32-bit floats.
    Half(&'a [Bf16]),
}

/// A slice of [`Numbers`], for writing.
#[derive(Debug)]
pub enum NumbersMut<'a> {
    /// 32-bit floats.
    Single(&'a mut [f32]),
    /// The upper 16 bits of 32-bit floats.
    Half(&'a mut [Bf16]),
}

impl Numbers {
    /// `length` zeros.
    #[must_use]
    pub fn zeros(format: NumberFormat, length: usize) -> Self {
        Self(match format {
            NumberFormat::Single => Kept::Single(Aligned::filled(length, 0.0)),
            NumberFormat::Half => Kept::Half(Aligned::filled(length, Bf16::default())),
        })
    }

    /// Makes room for at least this many numbers; this may set all of them to zero.
    pub fn fit(&mut self, length: usize) {
        let (format, found) = match &self.0 {
            Kept::Single(values) => (NumberFormat::Single, values.len()),
            Kept::Half(values) => (NumberFormat::Half, values.len()),
        };
        if found < length {
            *self = Self::zeros(format, length);
        }
    }

    /// Asks the system for large pages ([`use_large_pages`]).
    pub fn use_large_pages(&mut self) {
        match &mut self.0 {
            Kept::Single(values) => use_large_pages(values),
            Kept::Half(values) => use_large_pages(values),
        }
    }

    /// The first `length` numbers.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn first(&self, length: usize) -> NumbersRef<'_> {
        match &self.0 {
            Kept::Single(values) => NumbersRef::Single(&values[..length]),
            Kept::Half(values) => NumbersRef::Half(&values[..length]),
        }
    }

    /// Chunks of `length` numbers; the last may be shorter.
    pub fn chunks_mut(&mut self, length: usize) -> Vec<NumbersMut<'_>> {
        match &mut self.0 {
            Kept::Single(values) => values.chunks_mut(length).map(NumbersMut::Single).collect(),
            Kept::Half(values) => values.chunks_mut(length).map(NumbersMut::Half).collect(),
        }
    }
}

impl NumbersMut<'_> {
    /// Writes numbers starting at index `at`, rounded to the format.
    ///
    /// # Panics
    /// If they do not fit.
    pub fn write(&mut self, isa: Isa, at: usize, from: &[f32]) {
        let range = at..at + from.len();
        match self {
            Self::Single(values) => values[range].copy_from_slice(from),
            Self::Half(values) => isa.run(Round { from, to: &mut values[range] }),
        }
    }
}

struct Round<'a> {
    from: &'a [f32],
    to: &'a mut [Bf16],
}

impl<S: Simd> Kernel<S> for Round<'_> {
    #[inline(always)]
    fn call(self, _simd: S) {
        // The compiler vectorises this loop; a closure would be compiled separately, without the instruction set.
        for (to, from) in self.to.iter_mut().zip(self.from) {
            *to = Bf16::from_f32(*from);
        }
    }
}

/// A number format that kernels can read.
pub(super) trait Number: Copy {
    /// # Safety
    /// `from` must be readable for [`Simd::LANES`] numbers.
    unsafe fn load<S: Simd>(simd: S, from: *const Self) -> S::Floats;

    /// Two vectors of consecutive numbers, in the order that is cheapest to read in this format.
    ///
    /// # Safety
    /// `from` must be readable for twice [`Simd::LANES`] numbers.
    unsafe fn load_two<S: Simd>(simd: S, from: *const Self) -> [S::Floats; 2];

    /// Adds the numbers that [`Number::load_two`] reads to sums.
    ///
    /// # Safety
    /// `from` must be readable for twice [`Simd::LANES`] numbers.
    unsafe fn add_two<S: Simd>(simd: S, sums: [S::Floats; 2], from: *const Self) -> [S::Floats; 2];

    /// Loads sums in the order of [`Number::load_two`].
    ///
    /// # Safety
    /// `from` must be readable for twice [`Simd::LANES`] numbers.
    unsafe fn load_sums<S: Simd>(simd: S, from: *const f32) -> [S::Floats; 2];

    /// The inverse of [`Number::load_sums`].
    ///
    /// # Safety
    /// `to` must be writable for twice [`Simd::LANES`] numbers.
    unsafe fn store_sums<S: Simd>(simd: S, to: *mut f32, sums: [S::Floats; 2]);

    fn to_f32(self) -> f32;
}

impl Number for f32 {
    #[inline(always)]
    unsafe fn load<S: Simd>(simd: S, from: *const Self) -> S::Floats {
        // SAFETY: the caller's promise.
        unsafe { simd.load(from) }
    }

    #[inline(always)]
    unsafe fn load_two<S: Simd>(simd: S, from: *const Self) -> [S::Floats; 2] {
        // SAFETY: the caller's promise.
        unsafe { [simd.load(from), simd.load(from.add(S::LANES))] }
    }

    #[inline(always)]
    unsafe fn add_two<S: Simd>(
        simd: S,
        [first, second]: [S::Floats; 2],
        from: *const Self,
    ) -> [S::Floats; 2] {
        // SAFETY: the caller's promise.
        let terms = unsafe { Self::load_two(simd, from) };
        [simd.add(first, terms[0]), simd.add(second, terms[1])]
    }

    #[inline(always)]
    unsafe fn load_sums<S: Simd>(simd: S, from: *const f32) -> [S::Floats; 2] {
        // SAFETY: the caller's promise.
        unsafe { Self::load_two(simd, from) }
    }

    #[inline(always)]
    unsafe fn store_sums<S: Simd>(simd: S, to: *mut f32, [first, second]: [S::Floats; 2]) {
        // SAFETY: the caller's promise.
        unsafe {
            simd.store(to, first);
            simd.store(to.add(S::LANES), second);
        }
    }

    #[inline(always)]
    fn to_f32(self) -> f32 {
        self
    }
}

impl Number for Bf16 {
    #[inline(always)]
    unsafe fn load<S: Simd>(simd: S, from: *const Self) -> S::Floats {
        // SAFETY: the caller's promise.
        unsafe { simd.load_halves(from) }
    }

    #[inline(always)]
    unsafe fn load_two<S: Simd>(simd: S, from: *const Self) -> [S::Floats; 2] {
        // SAFETY: the caller's promise.
        unsafe { simd.load_half_pairs(from) }
    }

    #[inline(always)]
    unsafe fn add_two<S: Simd>(simd: S, sums: [S::Floats; 2], from: *const Self) -> [S::Floats; 2] {
        // SAFETY: the caller's promise.
        unsafe { simd.add_half_pairs(sums, from) }
    }

    #[inline(always)]
    unsafe fn load_sums<S: Simd>(simd: S, from: *const f32) -> [S::Floats; 2] {
        // SAFETY: the caller's promise.
        unsafe { simd.load_pairs(from) }
    }

    #[inline(always)]
    unsafe fn store_sums<S: Simd>(simd: S, to: *mut f32, sums: [S::Floats; 2]) {
        // SAFETY: the caller's promise.
        unsafe { simd.store_pairs(to, sums) }
    }

    #[inline(always)]
    fn to_f32(self) -> f32 {
        Self::to_f32(self)
    }
}

/// A matrix in one format, in row-major order.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, N> {
    pub(super) values: &'a [N],
    pub(super) width: usize,
}

impl<'a, N> Rows<'a, N> {
    /// Some columns of a row.
    ///
    /// # Panics
    /// If the row or a column is out of range.
    #[inline(always)]
    pub(super) fn part(&self, row: u32, columns: Range<usize>) -> &'a [N] {
        &self.values[row as usize * self.width..][..self.width][columns]
    }

    /// Prefetches the cache lines of some columns of a row.
    #[inline(always)]
    pub(super) fn prefetch(&self, row: u32, columns: Range<usize>) {
        // The size of a cache line on x86-64 in bytes. On machines with longer lines, some are prefetched twice.
        const LINE: usize = 64;
        let numbers = (LINE / size_of::<N>()).max(1);
        for column in columns.step_by(numbers) {
            prefetch(self.values, row as usize * self.width + column);
        }
    }
}

/// Prefetches a cache line.
#[inline(always)]
fn prefetch<N>(values: &[N], at: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE, and a prefetch of any address is harmless.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().wrapping_add(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, at);
}
