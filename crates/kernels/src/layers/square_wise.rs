//! Layers that change each square by numbers of its own: layer normalisation, and a scale and shift for each square.

use super::{
    element_wise::{load, store},
    list::Shape,
};
use crate::simd::{Kernel, Simd};

/// Layer normalisation (Ba, Kiros & Hinton 2016, arXiv:1607.06450): mean and variance over the channels of each square.
pub(super) struct LayerNorm<'a> {
    /// `[squares][width]`.
    pub(super) input: &'a [f32],
    pub(super) channels: usize,
    pub(super) epsilon: f32,
    /// `[width]`, zero beyond the channels.
    pub(super) scale: &'a [f32],
    /// `[width]`, zero beyond the channels.
    pub(super) shift: &'a [f32],
    pub(super) output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for LayerNorm<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, channels, epsilon, scale, shift, output } = self;
        let width = scale.len();
        let rows = input.chunks_exact(width).zip(output.chunks_exact_mut(width));
        for (input, output) in rows {
            let [mean, inverse] = statistics(simd, input, channels, epsilon);
            let (mean, inverse) = (simd.splat(mean), simd.splat(inverse));
            for column in (0..width).step_by(S::LANES) {
                let normalised = simd.mul(simd.sub(load(simd, input, column), mean), inverse);
                let scaled = simd.fma(normalised, load(simd, scale, column), load(simd, shift, column));
                store(simd, output, column, scaled);
            }
        }
    }
}

/// The mean of a row's channels, and one over the square root of their variance and epsilon.
#[inline(always)]
fn statistics<S: Simd>(simd: S, row: &[f32], channels: usize, epsilon: f32) -> [f32; 2] {
    let mut sum = simd.splat(0.0);
    for column in (0..row.len()).step_by(S::LANES) {
        sum = simd.add(sum, load(simd, row, column));
    }
    let mean = simd.total(sum) / channels as f32;
    let means = simd.splat(mean);
    let mut squares = simd.splat(0.0);
    for column in (0..row.len()).step_by(S::LANES) {
        let centred = simd.sub(load(simd, row, column), means);
        squares = simd.fma(centred, centred, squares);
    }
    // Rows are whole vectors, of which the last one is filled up with zeros: they are no part of the variance.
    let beyond = (row.len() - channels) as f32;
    let variance = ((simd.total(squares) - beyond * mean * mean) / channels as f32).max(0.0);
    [mean, 1.0 / (variance + epsilon).sqrt()]
}

/// The backward pass of [`LayerNorm`]: turns the gradient of its output into that of its input, and adds to the sums of the gradients
/// of scale and shift.
pub(super) struct LayerNormGradient<'a> {
    /// `[squares][width]`.
    pub(super) input: &'a [f32],
    pub(super) channels: usize,
    pub(super) epsilon: f32,
    /// `[width]`, zero beyond the channels.
    pub(super) scale: &'a [f32],
    /// `[squares][width]`.
    pub(super) gradient: &'a mut [f32],
    /// `[2][width]`, of scale and shift. Numbers beyond the channels mean nothing.
    pub(super) sums: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for LayerNormGradient<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, channels, epsilon, scale, gradient, sums } = self;
        let width = scale.len();
        let (of_scale, of_shift) = sums.split_at_mut(width);
        let rows = input.chunks_exact(width).zip(gradient.chunks_exact_mut(width));
        for (input, gradient) in rows {
            let [mean, inverse] = statistics(simd, input, channels, epsilon);
            let (mean, inverse) = (simd.splat(mean), simd.splat(inverse));
            let (mut sum, mut bent) = (simd.splat(0.0), simd.splat(0.0));
            for column in (0..width).step_by(S::LANES) {
                let normalised = simd.mul(simd.sub(load(simd, input, column), mean), inverse);
                let upstream = load(simd, gradient, column);
                let scale_sum = simd.fma(upstream, normalised, load(simd, of_scale, column));
                store(simd, of_scale, column, scale_sum);
                let shift_sum = simd.add(upstream, load(simd, of_shift, column));
                store(simd, of_shift, column, shift_sum);
                // Zero beyond the channels, because the scale is.
                let upstream = simd.mul(upstream, load(simd, scale, column));
                sum = simd.add(sum, upstream);
                bent = simd.fma(upstream, normalised, bent);
            }
            let sum = simd.splat(simd.total(sum) / channels as f32);
            let bent = simd.splat(simd.total(bent) / channels as f32);
            for column in (0..width).step_by(S::LANES) {
                let normalised = simd.mul(simd.sub(load(simd, input, column), mean), inverse);
                let upstream = simd.mul(load(simd, gradient, column), load(simd, scale, column));
                let centred = simd.fnma(normalised, bent, simd.sub(upstream, sum));
                store(simd, gradient, column, simd.mul(inverse, centred));
            }
            gradient[channels..].fill(0.0);
        }
    }
}

/// `input * scale + shift`, with numbers for each square and channel; without a scale it is one, and without a shift zero.
pub(super) fn scale(input: &[f32], [scale, shift]: [&[f32]; 2], output: &mut [f32]) {
    output.copy_from_slice(input);
    if !scale.is_empty() {
        output.iter_mut().zip(scale).for_each(|(value, scale)| *value *= scale);
    }
    if !shift.is_empty() {
        output.iter_mut().zip(shift).for_each(|(value, shift)| *value += shift);
    }
}

/// Turns the gradient of a board that was scaled and shifted into that of its input, and adds to the gradients of the parameters that there
/// are.
pub(super) fn unscale(
    input: &[f32],
    shape: Shape,
    scale: &[f32],
    gradient: &mut [f32],
    sums: &mut [Vec<f64>],
) {
    let (channels, width) = (shape.channels, shape.width());
    // The gradient of the scale, if there is one, comes before that of the shift.
    let (of_scale, of_shift) = sums.split_at_mut(usize::from(!scale.is_empty()));
    let squares = gradient.chunks_exact_mut(width).zip(input.chunks_exact(width));
    for (square, (gradient, input)) in squares.enumerate() {
        let part = square * channels..(square + 1) * channels;
        if let Some(of_shift) = of_shift.first_mut() {
            let sums = of_shift[part.clone()].iter_mut().zip(gradient.iter());
            sums.for_each(|(sum, upstream)| *sum += f64::from(*upstream));
        }
        if let Some(of_scale) = of_scale.first_mut() {
            let values = input.iter().zip(&scale[square * width..][..width]).zip(gradient);
            for (sum, ((input, scale), upstream)) in of_scale[part].iter_mut().zip(values) {
                *sum += f64::from(*upstream) * f64::from(*input);
                *upstream *= scale;
            }
        }
    }
}
