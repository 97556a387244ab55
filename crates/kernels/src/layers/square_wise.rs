//! Layers that change each square by numbers of its own: layer normalisation, and a scale and shift for each square.

use super::list::Shape;
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
        // Rows are whole vectors, of which the last one is filled up with zeros: they are no part of the variance.
        let beyond = (width - channels) as f32;
        let rows = input.chunks_exact(width).zip(output.chunks_exact_mut(width));
        for (input, output) in rows {
            let at = |column: usize| input[column..column + S::LANES].as_ptr();
            let mut sum = simd.splat(0.0);
            for column in (0..width).step_by(S::LANES) {
                // SAFETY: the row holds whole vectors.
                sum = simd.add(sum, unsafe { simd.load(at(column)) });
            }
            let mean = simd.total(sum) / channels as f32;
            let means = simd.splat(mean);
            let mut squares = simd.splat(0.0);
            for column in (0..width).step_by(S::LANES) {
                // SAFETY: the row holds whole vectors.
                let centred = simd.sub(unsafe { simd.load(at(column)) }, means);
                squares = simd.fma(centred, centred, squares);
            }
            let variance = ((simd.total(squares) - beyond * mean * mean) / channels as f32).max(0.0);
            let inverse = simd.splat(1.0 / (variance + epsilon).sqrt());
            for column in (0..width).step_by(S::LANES) {
                let to = output[column..column + S::LANES].as_mut_ptr();
                let (scale, shift) = (scale[column..].as_ptr(), shift[column..].as_ptr());
                // SAFETY: rows, scale and shift hold whole vectors.
                unsafe {
                    let normalised = simd.mul(simd.sub(simd.load(at(column)), means), inverse);
                    simd.store(to, simd.fma(normalised, simd.load(scale), simd.load(shift)));
                }
            }
        }
    }
}

/// Turns the gradient of a board after layer normalisation into that of its input, and adds to the gradients of scale and shift.
pub(super) fn unnormalise(
    input: &[f32],
    (shape, epsilon): (Shape, f32),
    scale: &[f32],
    gradient: &mut [f32],
    sums: &mut [Vec<f64>],
) {
    let (channels, width) = (shape.channels, shape.width());
    let [of_scale, of_shift] = sums else { unreachable!("scale and shift") };
    for (input, gradient) in input.chunks_exact(width).zip(gradient.chunks_exact_mut(width)) {
        let count = channels as f64;
        let mean = input[..channels].iter().map(|value| f64::from(*value)).sum::<f64>() / count;
        let variance =
            input[..channels].iter().map(|value| (f64::from(*value) - mean).powi(2)).sum::<f64>() / count;
        let inverse = 1.0 / (variance + f64::from(epsilon)).sqrt();
        let normalised = |channel: usize| (f64::from(input[channel]) - mean) * inverse;
        let [mut sum, mut bent] = [0.0; 2];
        for channel in 0..channels {
            let upstream = f64::from(gradient[channel]);
            of_scale[channel] += upstream * normalised(channel);
            of_shift[channel] += upstream;
            let upstream = upstream * f64::from(scale[channel]);
            sum += upstream;
            bent += upstream * normalised(channel);
        }
        for channel in 0..channels {
            let upstream = f64::from(gradient[channel]) * f64::from(scale[channel]);
            gradient[channel] = (inverse * (upstream - (sum + normalised(channel) * bent) / count)) as f32;
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
    let places = (0..shape.squares()).flat_map(|square| (0..channels).map(move |channel| (square, channel)));
    for (place, (square, channel)) in places.enumerate() {
        let at = square * width + channel;
        let upstream = f64::from(gradient[at]);
        let mut sums = sums.iter_mut();
        if !scale.is_empty() {
            sums.next().expect("the gradient of the scale")[place] += upstream * f64::from(input[at]);
            gradient[at] *= scale[at];
        }
        if let Some(of_shift) = sums.next() {
            of_shift[place] += upstream;
        }
    }
}
