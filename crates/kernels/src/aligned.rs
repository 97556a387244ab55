//! Slices aligned to cache lines.

use std::{
    marker::PhantomData,
    mem::{MaybeUninit, size_of},
    ops::{Deref, DerefMut},
    slice,
};

use crate::use_large_pages;

/// The size in bytes of a cache line, and of the widest vector.
const LINE: usize = 64;

/// A slice of fixed length whose first element starts a cache line.
#[derive(Clone)]
pub(crate) struct Aligned<T> {
    lines: Vec<Line>,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Plain> Aligned<T> {
    /// A slice of `len` elements, all `value`.
    pub(crate) fn filled(len: usize, value: T) -> Self {
        let count = (len * size_of::<T>()).div_ceil(LINE);
        let mut lines: Vec<Line> = Vec::with_capacity(count);
        use_large_pages(lines.spare_capacity_mut());
        // The last line is filled to its end, beyond `len`, because cloning the vector reads whole lines.
        // SAFETY: the lines have room for this many elements, all of which are written.
        unsafe {
            let elements = lines.as_mut_ptr().cast::<MaybeUninit<T>>();
            slice::from_raw_parts_mut(elements, count * (LINE / size_of::<T>()))
                .fill(MaybeUninit::new(value));
            lines.set_len(count);
        }
        Self { lines, len, elements: PhantomData }
    }
}

impl<T: Plain> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the lines hold at least `len` elements, aligned for T, and every bit pattern is a T.
        unsafe { slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T: Plain> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`; the lines are borrowed mutably.
        unsafe { slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

/// Types for which every bit pattern is a valid value.
///
/// # Safety
/// The type has no padding, no invalid bit patterns, and an alignment of at most a cache line.
pub(crate) unsafe trait Plain: Copy + Send + Sync + 'static {}

// SAFETY: numbers have no padding and no invalid bit patterns.
unsafe impl Plain for f32 {}
// SAFETY: as above.
unsafe impl Plain for i32 {}
// SAFETY: as above.
unsafe impl Plain for i16 {}
// SAFETY: as above.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for i8 {}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_a_line_and_holds_its_values() {
        let mut numbers = Aligned::filled(17, 1.5_f32);
        assert_eq!(numbers.as_ptr() as usize % LINE, 0);
        assert_eq!(&numbers[..], [1.5; 17]);
        numbers[16] = 2.0;
        assert_eq!(numbers.iter().sum::<f32>(), 26.0);
        assert!(Aligned::filled(0, 0_u8).is_empty());
    }
}
