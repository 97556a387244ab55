//! Sums and dot products of vectors, for slices of any length.

use super::numbers::Number;
use crate::simd::Simd;

/// The dot product of two slices, over the shorter length.
#[inline(always)]
pub(super) fn dot<S: Simd, N: Number>(simd: S, a: &[N], b: &[f32]) -> f32 {
    let [sum] = dots(simd, a, [b]);
    sum
}

/// The dot products of a slice with several others, over the shortest length. Each result is independent of the other
/// slices.
#[inline(always)]
pub(super) fn dots<S: Simd, N: Number, const COUNT: usize>(
    simd: S,
    a: &[N],
    others: [&[f32]; COUNT],
) -> [f32; COUNT] {
    // Independent sums, so that a multiply-add does not wait for the previous one.
    const SUMS: usize = 4;
    let mut length = a.len();
    for other in &others {
        length = length.min(other.len());
    }
    let (step, whole) = (SUMS * S::LANES, length / S::LANES * S::LANES);
    let mut sums = [[simd.splat(0.0); SUMS]; COUNT];
    let mut at = 0;
    // SAFETY: whole vectors below the length of all.
    unsafe {
        while at + step <= whole {
            for number in 0..SUMS {
                let place = at + number * S::LANES;
                let factor = N::load(simd, a.as_ptr().add(place));
                for other in 0..COUNT {
                    let term = simd.load(others[other].as_ptr().add(place));
                    sums[other][number] = simd.fma(factor, term, sums[other][number]);
                }
            }
            at += step;
        }
        while at < whole {
            let factor = N::load(simd, a.as_ptr().add(at));
            for other in 0..COUNT {
                sums[other][0] = simd.fma(factor, simd.load(others[other].as_ptr().add(at)), sums[other][0]);
            }
            at += S::LANES;
        }
    }
    let mut found = [0.0; COUNT];
    for other in 0..COUNT {
        let [first, second, third, fourth] = sums[other];
        let mut rest = 0.0;
        for at in whole..length {
            rest += a[at].to_f32() * others[other][at];
        }
        found[other] = simd.total(simd.add(simd.add(first, second), simd.add(third, fourth))) + rest;
    }
    found
}

/// Computes `to += factor * from`.
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
