//! The gate of squeeze-and-excitation (Hu et al. 2018, arXiv:1709.01507) with the shifts that lc0 adds, and what is computed in the same
//! pass over memory.

use super::element_wise::{GradientSums, Scale};
use crate::{
    Activation,
    layout::{CHANNEL_BLOCK, padded},
    simd::GradientLanes,
};

/// The gate of one board: `activation(input * sigmoid(first half of the gates) + second half + skip)` for each channel.
pub(super) struct Gate<'a> {
    pub(super) input: &'a [f32],
    pub(super) gates: &'a [f32],
    pub(super) channels: usize,
    pub(super) skip: Option<&'a [f32]>,
    pub(super) activation: Activation,
}

impl Gate<'_> {
    /// Factor and shift of each channel, padded to whole vectors.
    fn coefficients(&self) -> [Vec<f32>; 2] {
        let width = padded(self.channels, CHANNEL_BLOCK);
        let [mut factor, mut shift] = [vec![0.0; width], vec![0.0; width]];
        for channel in 0..self.channels {
            factor[channel] = 1.0 / (1.0 + (-self.gates[channel]).exp());
            shift[channel] = self.gates[self.channels + channel];
        }
        [factor, shift]
    }

    pub(super) fn forward<S: GradientLanes<f32>>(&self, simd: S, output: &mut [f32]) {
        let Self { input, skip, activation, .. } = *self;
        let [factor, shift] = &self.coefficients();
        simd.run(Scale { input, factor, shift, skip, activation, output });
    }

    /// Turns the gradient of the output into that before the activation, which is the gradient of the skip connection, and computes the
    /// gradients of input and gates.
    pub(super) fn backward<S: GradientLanes<f32>>(
        &self,
        simd: S,
        gradient: &mut [f32],
        of_input: &mut [f32],
        of_gates: &mut [f32],
    ) {
        let Self { input, skip, activation, channels, .. } = *self;
        let [factor, shift] = &self.coefficients();
        let width = factor.len();
        let (zeros, mut sums) = (&vec![0.0; width], vec![0.0; 2 * width]);
        simd.run(GradientSums {
            input,
            mean: zeros,
            factor,
            shift,
            skip,
            activation,
            gradient: &mut *gradient,
            sums: &mut sums,
        });
        let activation = Activation::Identity;
        simd.run(Scale { input: gradient, factor, shift: zeros, skip: None, activation, output: of_input });
        of_gates.fill(0.0);
        for channel in 0..channels {
            let factor = factor[channel];
            of_gates[channel] = sums[width + channel] * factor * (1.0 - factor);
            of_gates[channels + channel] = sums[channel];
        }
    }
}
