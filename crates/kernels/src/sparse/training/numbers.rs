//! Formats of tables and gradients of samples: 32 bits, or 16, which halves the memory traffic of a step. All sums are
//! in 32 bits.

use std::ops::Range;

use crate::{
    Isa,
    simd::{Kernel, Simd, element::Bf16},
};

/// Numbers in one of the formats.
#[derive(Clone, Debug)]
pub enum Numbers {
    /// 32-bit floats.
    Single(Vec<f32>),
    /// The upper 16 of them.
    Half(Vec<Bf16>),
}

/// Some of them, to be read.
#[derive(Clone, Copy, Debug)]
pub enum NumbersRef<'a> {
    /// 32-bit floats.
    Single(&'a [f32]),
    /// The upper 16 of them.
    Half(&'a [Bf16]),
}

/// Some of them, to be written.
#[derive(Debug)]
pub enum NumbersMut<'a> {
    /// 32-bit floats.
    Single(&'a mut [f32]),
    /// The upper 16 of them.
    Half(&'a mut [Bf16]),
}

impl Numbers {
    /// `length` zeros, in 16 bits if `half`.
    #[must_use]
    pub fn zeros(half: bool, length: usize) -> Self {
        let mut numbers = if half { Self::Half(Vec::new()) } else { Self::Single(Vec::new()) };
        numbers.resize(length);
        numbers
    }

    /// Changes the length; new numbers are zero.
    pub fn resize(&mut self, length: usize) {
        match self {
            Self::Single(values) => values.resize(length, 0.0),
            Self::Half(values) => values.resize(length, Bf16::default()),
        }
    }

    /// The first of them.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn first(&self, length: usize) -> NumbersRef<'_> {
        match self {
            Self::Single(values) => NumbersRef::Single(&values[..length]),
            Self::Half(values) => NumbersRef::Half(&values[..length]),
        }
    }

    /// Chunks of them, the last of which may be shorter.
    pub fn chunks_mut(&mut self, length: usize) -> Vec<NumbersMut<'_>> {
        match self {
            Self::Single(values) => values.chunks_mut(length).map(NumbersMut::Single).collect(),
            Self::Half(values) => values.chunks_mut(length).map(NumbersMut::Half).collect(),
        }
    }
}

impl NumbersMut<'_> {
    /// Writes numbers from a place on, rounded to the format.
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
    type Output = ();

    #[inline(always)]
    fn call(self, _simd: S) {
        // A loop that the compiler vectorises; a closure would be compiled apart, without the instruction set.
        for (to, from) in self.to.iter_mut().zip(self.from) {
            *to = Bf16::from_f32(*from);
        }
    }
}

/// A format that kernels read.
pub(super) trait Number: Copy {
    /// # Safety
    /// `from` must be readable for [`Simd::LANES`] numbers.
    unsafe fn load<S: Simd>(simd: S, from: *const Self) -> S::Floats;

    fn to_f32(self) -> f32;
}

impl Number for f32 {
    #[inline(always)]
    unsafe fn load<S: Simd>(simd: S, from: *const Self) -> S::Floats {
        // SAFETY: the caller's promise.
        unsafe { simd.load(from) }
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
    fn to_f32(self) -> f32 {
        Self::to_f32(self)
    }
}

/// A matrix in one format, row by row.
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

    /// Asks for the cache lines of some columns of a row that will be read soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, row: u32, columns: Range<usize>) {
        const LINE: usize = 64;
        let numbers = (LINE / size_of::<N>()).max(1);
        for column in columns.step_by(numbers) {
            prefetch(self.values, row as usize * self.width + column);
        }
    }
}

/// Asks for a cache line that will be read soon.
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
