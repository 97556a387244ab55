//! Sums of vectors and products of them, for slices of any length.

use super::numbers::Number;
use crate::simd::Simd;

/// The dot product of two slices, over the shorter length.
#[inline(always)]
pub(super) fn dot<S: Simd, N: Number>(simd: S, a: &[N], b: &[f32]) -> f32 {
    // Independent sums, so that a multiply-add need not wait for the one before it.
    const SUMS: usize = 4;
    let length = a.len().min(b.len());
    let (step, whole) = (SUMS * S::LANES, length / S::LANES * S::LANES);
    let mut sums = [simd.splat(0.0); SUMS];
    let mut at = 0;
    // SAFETY: whole vectors below the length of both.
    unsafe {
        while at + step <= whole {
            for (number, sum) in sums.iter_mut().enumerate() {
                let place = at + number * S::LANES;
                *sum = simd.fma(N::load(simd, a.as_ptr().add(place)), simd.load(b.as_ptr().add(place)), *sum);
            }
            at += step;
        }
        while at < whole {
            sums[0] = simd.fma(N::load(simd, a.as_ptr().add(at)), simd.load(b.as_ptr().add(at)), sums[0]);
            at += S::LANES;
        }
    }
    let sum = simd.add(simd.add(sums[0], sums[1]), simd.add(sums[2], sums[3]));
    let rest: f32 = a[whole..length].iter().zip(&b[whole..length]).map(|(a, b)| a.to_f32() * b).sum();
    total(simd, sum) + rest
}

/// `to += factor * from`.
#[inline(always)]
pub(super) fn add_scaled<S: Simd, N: Number>(simd: S, to: &mut [f32], factor: f32, from: &[N]) {
    let length = to.len().min(from.len());
    let whole = length / S::LANES * S::LANES;
    let factors = simd.splat(factor);
    for at in (0..whole).step_by(S::LANES) {
        // SAFETY: whole vectors below the length of both.
        unsafe {
            let place = to.as_mut_ptr().add(at);
            let term = N::load(simd, from.as_ptr().add(at));
            simd.store(place, simd.fma(factors, term, simd.load(place)));
        }
    }
    for (to, from) in to[whole..length].iter_mut().zip(&from[whole..length]) {
        *to += factor * from.to_f32();
    }
}

/// The sum of the numbers of a vector.
#[inline(always)]
fn total<S: Simd>(simd: S, values: S::Floats) -> f32 {
    let mut numbers = [0.0; 16];
    const { assert!(S::LANES <= 16) };
    // SAFETY: there is room for the lanes.
    unsafe { simd.store(numbers.as_mut_ptr(), values) };
    let mut width = S::LANES / 2;
    while width > 0 {
        for lane in 0..width {
            numbers[lane] += numbers[lane + width];
        }
        width /= 2;
    }
    numbers[0]
}
