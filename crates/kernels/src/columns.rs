//! Kernels that process rows of whole vectors a few columns at a time.

use crate::simd::Simd;

/// A kernel that processes a few columns over all rows, so that the per-column values stay in registers.
pub(crate) trait Columns<S: Simd> {
    /// Processes `VECTORS` vectors of neighbouring columns, starting at `column`.
    ///
    /// # Safety
    /// The columns must lie within the rows.
    unsafe fn columns<const VECTORS: usize>(&mut self, simd: S, column: usize);
}

/// Processes all columns, four vectors at a time as long as at least four remain: memory is read in longer runs, and the
/// sums are independent of each other.
///
/// # Safety
/// The kernel's rows must have `width` columns.
#[inline(always)]
pub(crate) unsafe fn by_columns<S: Simd>(simd: S, width: usize, kernel: &mut impl Columns<S>) {
    assert!(width.is_multiple_of(S::LANES), "a part of a vector");
    let mut column = 0;
    while column < width {
        // SAFETY: the caller's promise.
        unsafe {
            column += S::LANES
                * match (width - column) / S::LANES {
                    4.. => {
                        kernel.columns::<4>(simd, column);
                        4
                    }
                    2.. => {
                        kernel.columns::<2>(simd, column);
                        2
                    }
                    _ => {
                        kernel.columns::<1>(simd, column);
                        1
                    }
                };
        }
    }
}
