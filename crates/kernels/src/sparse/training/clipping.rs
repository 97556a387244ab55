//! Sums of rows to hidden units: forward and backward.

use crate::{
    Isa,
    simd::{Kernel, Simd},
    sparse::Clipping,
};

impl Clipping {
    /// Computes the hidden units of samples.
    ///
    /// # Shapes
    /// sums `[samples][width]`, hidden `[samples][units(width)]`.
    ///
    /// # Panics
    /// If a shape does not fit.
    pub fn forward(self, isa: Isa, width: usize, sums: &[f32], hidden: &mut [f32]) {
        assert!(sums.len() / width * self.units(width) == hidden.len(), "as many samples");
        isa.run(Forward { clipping: self, width, sums, hidden });
    }

    /// Replaces sums with their gradients; the gradient of a clipped sum is 0.
    ///
    /// # Shapes
    /// sums `[samples][width]`, gradient of the hidden units `[samples][units(width)]`.
    ///
    /// # Panics
    /// If a shape does not fit.
    pub fn backward(self, isa: Isa, width: usize, sums: &mut [f32], gradient: &[f32]) {
        assert!(sums.len() / width * self.units(width) == gradient.len(), "as many samples");
        isa.run(Backward { clipping: self, width, sums, gradient });
    }
}

struct Forward<'a> {
    clipping: Clipping,
    width: usize,
    sums: &'a [f32],
    hidden: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Forward<'_> {
    #[inline(always)]
    fn call(self, _simd: S) {
        let units = self.clipping.units(self.width);
        for (sums, hidden) in self.sums.chunks_exact(self.width).zip(self.hidden.chunks_exact_mut(units)) {
            match self.clipping {
                Clipping::Pairwise => {
                    let (first, second) = sums.split_at(units);
                    for ((unit, first), second) in hidden.iter_mut().zip(first).zip(second) {
                        *unit = cut(*first) * cut(*second);
                    }
                }
                Clipping::Squared => {
                    for (unit, sum) in hidden.iter_mut().zip(sums) {
                        *unit = cut(*sum) * cut(*sum);
                    }
                }
            }
        }
    }
}

struct Backward<'a> {
    clipping: Clipping,
    width: usize,
    sums: &'a mut [f32],
    gradient: &'a [f32],
}

impl<S: Simd> Kernel<S> for Backward<'_> {
    #[inline(always)]
    fn call(self, _simd: S) {
        let units = self.clipping.units(self.width);
        for (sums, gradient) in self.sums.chunks_exact_mut(self.width).zip(self.gradient.chunks_exact(units))
        {
            match self.clipping {
                Clipping::Pairwise => {
                    let (first, second) = sums.split_at_mut(units);
                    for ((first, second), gradient) in first.iter_mut().zip(second).zip(gradient) {
                        let (one, other) = (cut(*first), cut(*second));
                        (*first, *second) =
                            (gradient * other * slope(*first), gradient * one * slope(*second));
                    }
                }
                Clipping::Squared => {
                    for (sum, gradient) in sums.iter_mut().zip(gradient) {
                        *sum = gradient * 2.0 * cut(*sum) * slope(*sum);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn cut(value: f32) -> f32 {
    value.clamp(0.0, 1.0)
}

/// The derivative of [`cut`], 0 at both ends.
#[inline(always)]
fn slope(value: f32) -> f32 {
    if value > 0.0 && value < 1.0 { 1.0 } else { 0.0 }
}
