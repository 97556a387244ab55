//! Normalisations over a batch and over groups of channels.
//!
//! Batch normalisation is bound by memory: a map of 256 boards with 64 channels has 4 MB and every pass reads it from an outer
//! cache or from memory. Therefore the sum with a skip connection and the activation join its passes (two in either direction):
//!
//! ```text
//! forward    1  mean and variance of each channel          reads x
//!            2  y = activation(x factor + shift + skip)    reads x, skip; writes y
//! backward   1  g = y' activation'(..); sum g, sum g (x - mean)      reads x, skip, y'; writes g
//!            2  x' = g factor + (x - mean) slope + shift            reads x, g; writes x', and g as the gradient of skip
//! ```
//!
//! The second pass backward cannot join the first: its coefficients are the sums over the whole batch. Lists trained at 0.80 to
//! 0.92 of the speed of the former kernels for towers before these passes were joined, and at 0.97 to 1.36 after
//! (`docs/experiments/training-layer-lists.md`).

use super::{
    element_wise::{GradientSums, PieceStatistics, Scale, Unnormalise},
    list::Shape,
    workers::Workers,
};
use crate::{Activation, simd::GradientLanes};

/// Added to the variance before taking the square root (Ioffe and Szegedy 2015, algorithm 1). This is the usual value.
pub const EPSILON: f32 = 1e-5;

/// The source of a batch normalisation's mean and variance.
#[derive(Clone, Copy, Debug)]
pub enum NormStatistics<'a> {
    /// The batch itself.
    Batch,
    /// Stored statistics: mean and variance, `[2][channels]`, for every normalisation.
    Stored(&'a [Vec<f32>]),
}

/// A batch normalisation folded into one factor and one shift for each column.
#[derive(Clone, Debug, Default)]
pub(super) struct Folded {
    pub(super) factor: Vec<f32>,
    pub(super) shift: Vec<f32>,
    mean: Vec<f32>,
    /// `1 / sqrt(variance + epsilon)`.
    inverse_deviation: Vec<f32>,
}

impl Folded {
    /// Folds statistics (`[2][columns]`, mean and variance), scale and shift of the first columns; padding columns give zero.
    pub(super) fn new(width: usize, statistics: &[f32], scale: &[f32], shift: &[f32]) -> Self {
        let zeros = vec![0.0; width];
        let mut folded = Self {
            factor: zeros.clone(),
            shift: zeros.clone(),
            mean: zeros.clone(),
            inverse_deviation: zeros,
        };
        let (mean, variance) = statistics.split_at(scale.len());
        for column in 0..scale.len() {
            let inverse = 1.0 / (variance[column] + EPSILON).sqrt();
            folded.inverse_deviation[column] = inverse;
            folded.mean[column] = mean[column];
            folded.factor[column] = scale[column] * inverse;
            folded.shift[column] = shift[column] - mean[column] * folded.factor[column];
        }
        folded
    }
}

/// Mean and biased variance of each channel over the rows of a batch, `[2][channels]`. They are computed for pieces, each of which is
/// read from memory once, and combined in double precision (Chan, Golub & LeVeque 1983).
pub(super) fn batch_statistics<S: GradientLanes<f32>>(
    workers: Workers<S>,
    input: &[f32],
    shape: Shape,
) -> Vec<f32> {
    let width = shape.width();
    let pieces = workers.each(input.chunks(Workers::<S>::piece(width)).collect(), |rows: &[f32]| {
        let mut statistics = vec![0.0; 3 * width];
        workers.simd.run(PieceStatistics { rows, statistics: &mut statistics });
        ((rows.len() / width) as f64, statistics)
    });
    let rows = (input.len() / width) as f64;
    let [mut means, mut variances] = [vec![0.0; shape.channels], vec![0.0; shape.channels]];
    for channel in 0..shape.channels {
        let of_pieces = || {
            pieces.iter().map(|(count, statistics)| {
                let [mean, rest, squares] =
                    [0, 1, 2].map(|part| f64::from(statistics[part * width + channel]));
                (*count, mean, rest, squares)
            })
        };
        let mean = of_pieces().map(|(count, mean, rest, _)| count * mean + rest).sum::<f64>() / rows;
        // sum (x - mean)^2 over a piece, expanded around the mean of the piece: `rest` is the sum of the deviations from it, zero
        // but for the rounding of that mean. Sums of x^2 and x, in one pass, would cancel where the mean is large against the
        // deviation.
        let squares = of_pieces().map(|(count, of_piece, rest, squares)| {
            let off = of_piece - mean;
            squares + 2.0 * off * rest + count * off * off
        });
        (means[channel], variances[channel]) = (mean as f32, (squares.sum::<f64>() / rows) as f32);
    }
    [means, variances].concat()
}

/// A batch normalisation, and what is computed in the same pass over memory.
#[derive(Clone, Copy)]
pub(super) struct BatchNorm<'a> {
    pub(super) folded: &'a Folded,
    pub(super) input: &'a [f32],
    /// Added before the activation.
    pub(super) skip: Option<&'a [f32]>,
    pub(super) activation: Activation,
}

impl BatchNorm<'_> {
    /// `output = activation(input * factor + shift + skip)`.
    pub(super) fn forward<S: GradientLanes<f32>>(self, workers: Workers<S>, output: &mut [f32]) {
        let Folded { factor, shift, .. } = self.folded;
        workers.change((output, factor.len()), |first, output| {
            let part = first..first + output.len();
            let (input, skip) = (&self.input[part.clone()], self.skip.map(|skip| &skip[part]));
            workers.simd.run(Scale { input, factor, shift, skip, activation: self.activation, output });
        });
    }

    /// Turns the gradient of the output into that of the input; `upstream` receives the gradient of the skip connection. Returns the
    /// gradients of scale and shift.
    pub(super) fn backward<S: GradientLanes<f32>>(
        self,
        workers: Workers<S>,
        gradient: &mut [f32],
        upstream: Option<&mut [f32]>,
        channels: usize,
    ) -> [Vec<f32>; 2] {
        let Self { folded, input, skip, activation } = self;
        let Folded { factor, shift, mean, .. } = folded;
        let width = factor.len();
        let length = gradient.len();
        let sums = workers.sums_of_changed((gradient, width), 2 * width, |first, gradient, sums| {
            let part = first..first + gradient.len();
            let (input, skip) = (&input[part.clone()], skip.map(|skip| &skip[part]));
            workers.simd.run(GradientSums { input, mean, factor, shift, skip, activation, gradient, sums });
        });
        // With n rows, the gradient of an input is
        // factor * (gradient - shift_gradient / n - normalised * scale_gradient / n).
        let rows = (length / width) as f64;
        let [mut shifts, mut slopes] = [vec![0.0; width], vec![0.0; width]];
        let mut parameters = [vec![0.0; channels], vec![0.0; channels]];
        for column in 0..channels {
            let factor = f64::from(folded.factor[column]);
            let inverse = f64::from(folded.inverse_deviation[column]);
            let (of_shift, of_scale) = (sums[column], sums[width + column] * inverse);
            shifts[column] = (-factor * of_shift / rows) as f32;
            slopes[column] = (-factor * inverse * of_scale / rows) as f32;
            (parameters[0][column], parameters[1][column]) = (of_scale as f32, of_shift as f32);
        }
        let piece = Workers::<S>::piece(width);
        let mut upstream = upstream.map(|upstream| upstream.chunks_mut(piece));
        let passes = gradient.chunks_mut(piece).zip(input.chunks(piece)).map(|(gradient, input)| {
            let upstream = upstream.as_mut().and_then(Iterator::next);
            Unnormalise { input, mean, factor, slope: &slopes, shift: &shifts, gradient, upstream }
        });
        workers.each(passes.collect(), |pass: Unnormalise<'_>| workers.simd.run(pass));
        parameters
    }
}

/// A group normalisation: the number of groups, and the shape of the map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    pub(super) groups: usize,
    pub(super) shape: Shape,
}

impl Groups {
    /// The positions of a group's values in a map.
    fn places(self, group: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
        let (each, width) = (self.shape.channels / self.groups, self.shape.width());
        let channels = group * each..(group + 1) * each;
        (0..self.shape.squares())
            .flat_map(move |square| channels.clone().map(move |channel| (square * width + channel, channel)))
    }

    fn count(self) -> f64 {
        (self.shape.channels / self.groups * self.shape.squares()) as f64
    }

    /// The mean of a group's values, and one over the square root of their variance.
    fn group_statistics(self, board: &[f32], group: usize) -> [f64; 2] {
        let values = self.places(group).map(|(at, _)| f64::from(board[at]));
        let mean = values.clone().sum::<f64>() / self.count();
        let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / self.count();
        [mean, 1.0 / (variance + f64::from(EPSILON)).sqrt()]
    }

    pub(super) fn forward(self, input: &[f32], [scale, shift]: [&[f32]; 2], output: &mut [f32]) {
        for group in 0..self.groups {
            let [mean, inverse] = self.group_statistics(input, group);
            for (at, channel) in self.places(group) {
                let normalised = ((f64::from(input[at]) - mean) * inverse) as f32;
                output[at] = normalised * scale[channel] + shift[channel];
            }
        }
    }

    /// Turns the gradient of a board's output into the gradient of its input, and adds to the gradients of scale and
    /// shift.
    pub(super) fn backward(self, input: &[f32], scale: &[f32], gradient: &mut [f32], sums: &mut [Vec<f64>]) {
        let [of_scale, of_shift] = sums else { unreachable!("scale and shift") };
        for group in 0..self.groups {
            let [mean, inverse] = self.group_statistics(input, group);
            let normalised = |at: usize| (f64::from(input[at]) - mean) * inverse;
            let [mut sum, mut bent] = [0.0; 2];
            for (at, channel) in self.places(group) {
                let upstream = f64::from(gradient[at]);
                of_shift[channel] += upstream;
                of_scale[channel] += upstream * normalised(at);
                let upstream = upstream * f64::from(scale[channel]);
                sum += upstream;
                bent += upstream * normalised(at);
            }
            for (at, channel) in self.places(group) {
                let upstream = f64::from(gradient[at]) * f64::from(scale[channel]);
                let value = inverse * (upstream - (sum + normalised(at) * bent) / self.count());
                gradient[at] = value as f32;
            }
        }
    }
}
