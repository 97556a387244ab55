//! [`Lanes`] of 32-bit floats, implemented with the vectors themselves: the same code for every instruction set.

use super::{GradientLanes, Lanes, Simd};

impl<S: Simd> Lanes<f32> for S {
    type Sums = S::Floats;
    type Weights = S::Floats;
    const ROWS: usize = S::FLOAT_BLOCK[0];
    const COLUMNS: usize = S::FLOAT_BLOCK[1];

    #[inline(always)]
    fn no_sums(self) -> S::Floats {
        self.splat(0.0)
    }

    #[inline(always)]
    unsafe fn load_weights(self, from: *const f32) -> S::Floats {
        // SAFETY: readable by the caller's promise.
        unsafe { self.load(from) }
    }

    #[inline(always)]
    unsafe fn dot(self, sums: S::Floats, activations: *const f32, weights: S::Floats) -> S::Floats {
        // SAFETY: readable by the caller's promise.
        let activation = unsafe { *activations };
        self.fma(self.splat(activation), weights, sums)
    }

    #[inline(always)]
    unsafe fn store_sums(self, to: *mut f32, sums: S::Floats) {
        // SAFETY: writable by the caller's promise.
        unsafe { self.store(to, sums) }
    }

    #[inline(always)]
    unsafe fn load_elements(self, from: *const f32) -> S::Floats {
        // SAFETY: readable by the caller's promise.
        unsafe { self.load(from) }
    }

    #[inline(always)]
    unsafe fn store_elements(self, to: *mut f32, values: S::Floats) {
        // SAFETY: writable by the caller's promise.
        unsafe { self.store(to, values) }
    }
}

impl<S: Simd> GradientLanes<f32> for S {
    #[inline(always)]
    unsafe fn interleave(self, from: *const f32, _stride: usize, to: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { self.store(to, self.load(from)) }
    }
}
