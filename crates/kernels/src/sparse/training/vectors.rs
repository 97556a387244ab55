//! Sums and dot products of vectors, for slices of any length, and the magnitude of gradients.

use super::numbers::Number;
use crate::{
    Isa,
    simd::{Kernel, Simd},
};

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

/// The sum of the squares of some values.
pub fn squares(isa: Isa, values: &[f32]) -> f32 {
    isa.run(Squares(values))
}

struct Squares<'a>(&'a [f32]);

impl<S: Simd> Kernel<S, f32> for Squares<'_> {
    #[inline(always)]
    fn call(self, simd: S) -> f32 {
        dot(simd, self.0, self.0)
    }
}

/// The sum of the squares of some values in double precision, the same on every instruction set.
pub fn squares_in_double(isa: Isa, values: &[f32]) -> f64 {
    isa.run(SquaresInDouble(values))
}

struct SquaresInDouble<'a>(&'a [f32]);

impl<S: Simd> Kernel<S, f64> for SquaresInDouble<'_> {
    #[inline(always)]
    fn call(self, _simd: S) -> f64 {
        // Several independent sums, because each addition to a single one would wait for the previous one. Chosen, not tuned: sixteen
        // sums of 64 bits fill two AVX-512 registers, or four of AVX2. Arrays and indices, so that the compiler vectorises the loop
        // with the instruction set of this function, which closures would not have.
        const SUMS: usize = 16;
        let mut sums = [0.0; SUMS];
        let (whole, rest) = self.0.as_chunks::<SUMS>();
        for chunk in whole {
            for number in 0..SUMS {
                sums[number] += f64::from(chunk[number] * chunk[number]);
            }
        }
        for (number, value) in rest.iter().enumerate() {
            sums[number] += f64::from(value * value);
        }
        let mut total = 0.0;
        for sum in sums {
            total += sum;
        }
        total
    }
}

/// True if no value exceeds a limit in magnitude; a NaN counts as exceeding it. The gradients of rows are summed while the
/// optimiser moves the rows and are never in memory, so whether they are finite has to be known before: if no number of a
/// sample exceeds a limit, no sum of a batch can overflow.
pub fn are_within(isa: Isa, limit: f32, values: &[f32]) -> bool {
    isa.run(Within { limit, values })
}

struct Within<'a> {
    limit: f32,
    values: &'a [f32],
}

impl<S: Simd> Kernel<S, bool> for Within<'_> {
    #[inline(always)]
    fn call(self, _simd: S) -> bool {
        // Counts without branches, so the compiler vectorises the loop.
        let mut within = 0_u32;
        for value in self.values {
            within += u32::from(value.abs() <= self.limit);
        }
        within as usize == self.values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_added_up_and_no_number_beyond_the_limit_is_missed() {
        for isa in Isa::available() {
            for length in [0, 1, 15, 16, 100] {
                let mut values: Vec<f32> = (0..length).map(|number| (number % 7) as f32 - 3.0).collect();
                let expected: f32 = values.iter().map(|value| value * value).sum();
                assert!((squares(isa, &values) - expected).abs() < 1e-3, "{isa} {length}");
                // Small integers, so that the sum is exact.
                assert_eq!(squares_in_double(isa, &values), f64::from(expected), "{isa} {length}");
                assert!(are_within(isa, 3.0, &values), "{isa} {length}");
                for at in 0..length {
                    for beyond in [3.5, -3.5, f32::INFINITY, f32::NAN] {
                        let value = std::mem::replace(&mut values[at], beyond);
                        assert!(!are_within(isa, 3.0, &values), "{isa} {length}: {beyond} at {at}");
                        values[at] = value;
                    }
                }
            }
        }
    }
}
