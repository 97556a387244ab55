//! Magnitude of gradients. The gradients of rows are summed while the optimiser moves the rows and are never in memory, so
//! whether they are finite has to be known before: if no number of a sample exceeds a limit, no sum of a batch can overflow.

use super::vectors::dot;
use crate::{
    Isa,
    simd::{Kernel, Simd},
};

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

/// True if no value exceeds a limit in magnitude; a NaN counts as exceeding it.
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
