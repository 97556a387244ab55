//! Batch normalisation folded into per-column coefficients.

use super::normalise::{Affine, EPSILON};

/// A normalisation folded into one factor and one shift for each column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folded {
    pub(crate) factor: Vec<f32>,
    pub(crate) shift: Vec<f32>,
    pub(crate) mean: Vec<f32>,
    /// `1 / sqrt(variance + epsilon)`.
    inverse_deviation: Vec<f32>,
}

impl Folded {
    /// Folds statistics (`[2][columns]`, mean and variance), scale and shift of the first columns; padding columns give zero.
    pub(crate) fn new(width: usize, statistics: &[f32], scale: &[f32], shift: &[f32]) -> Self {
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

    /// The factor and shift to be applied to sums.
    pub(crate) fn affine(&self) -> Affine<'_> {
        Affine { factor: &self.factor, shift: &self.shift }
    }
}

/// The gradient with respect to the sums, given the gradient of the normalised values, as one factor and two terms for
/// each column: with n rows, `factor * (gradient - shift_gradient / n - normalised * scale_gradient / n)`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unfolded {
    pub(crate) factor: Vec<f32>,
    pub(crate) shift: Vec<f32>,
    pub(crate) slope: Vec<f32>,
    /// Gradients of the normalisation's scale and shift.
    pub(crate) parameters: [Vec<f32>; 2],
}

impl Unfolded {
    /// Computes the coefficients from sums over all rows of the batch, `[2][width]`: the sums of the gradients, and of
    /// their products with the centred sums.
    pub(crate) fn new(folded: &Folded, sums: &[f64], rows: usize, columns: usize) -> Self {
        let width = folded.factor.len();
        let zeros = vec![0.0; width];
        let mut unfolded = Self {
            factor: folded.factor.clone(),
            shift: zeros.clone(),
            slope: zeros.clone(),
            parameters: [zeros.clone(), zeros],
        };
        for column in 0..width {
            let inverse = f64::from(folded.inverse_deviation[column]);
            let (shift, scale) = (sums[column], sums[width + column] * inverse);
            let factor = f64::from(folded.factor[column]);
            let slope = -factor * inverse * scale / rows as f64;
            unfolded.slope[column] = slope as f32;
            unfolded.shift[column] =
                (-factor * shift / rows as f64 - f64::from(folded.mean[column]) * slope) as f32;
            unfolded.parameters[0][column] = scale as f32;
            unfolded.parameters[1][column] = shift as f32;
        }
        for gradients in &mut unfolded.parameters {
            gradients.truncate(columns);
        }
        unfolded
    }

    /// The factor and shift to be applied to gradients.
    pub(crate) fn affine(&self) -> Affine<'_> {
        Affine { factor: &self.factor, shift: &self.shift }
    }
}
