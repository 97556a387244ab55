//! Element-wise functions and column sums between the GEMMs. Rows are whole vectors.

use crate::{
    Activation,
    columns::{Columns, by_columns},
    simd::{Kernel, Simd},
};

/// Loads a vector from a slice.
#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, from: &[f32], at: usize) -> S::Floats {
    let from = &from[at..at + S::LANES];
    // SAFETY: the slice holds a whole vector.
    unsafe { simd.load(from.as_ptr()) }
}

/// Stores a vector in a slice.
#[inline(always)]
pub(super) fn store<S: Simd>(simd: S, to: &mut [f32], at: usize, values: S::Floats) {
    let to = &mut to[at..at + S::LANES];
    // SAFETY: the slice has room for a whole vector.
    unsafe { simd.store(to.as_mut_ptr(), values) }
}

/// `output = activation(input * factor + shift + skip)`, with a factor and a shift for each column.
pub(super) struct Scale<'a> {
    pub(super) input: &'a [f32],
    pub(super) factor: &'a [f32],
    pub(super) shift: &'a [f32],
    pub(super) skip: Option<&'a [f32]>,
    pub(super) activation: Activation,
    pub(super) output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Scale<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, factor, shift, skip, activation, output } = self;
        let width = factor.len();
        for row in (0..output.len()).step_by(width) {
            for column in (0..width).step_by(S::LANES) {
                let values = load(simd, input, row + column);
                let mut values = simd.fma(values, load(simd, factor, column), load(simd, shift, column));
                if let Some(skip) = skip {
                    values = simd.add(values, load(simd, skip, row + column));
                }
                store(simd, output, row + column, activation.apply(simd, values));
            }
        }
    }
}

/// `rows = activation(rows + bias)`, with a bias for each column.
pub(super) struct BiasActivation<'a> {
    pub(super) bias: &'a [f32],
    pub(super) activation: Activation,
    pub(super) rows: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for BiasActivation<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { bias, activation, rows } = self;
        for row in (0..rows.len()).step_by(bias.len()) {
            for column in (0..bias.len()).step_by(S::LANES) {
                let values = simd.add(load(simd, rows, row + column), load(simd, bias, column));
                store(simd, rows, row + column, activation.apply(simd, values));
            }
        }
    }
}

/// `output = activation(input)`.
pub(super) struct Activate<'a> {
    pub(super) activation: Activation,
    pub(super) input: &'a [f32],
    pub(super) output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Activate<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { activation, input, output } = self;
        for at in (0..output.len()).step_by(S::LANES) {
            store(simd, output, at, activation.apply(simd, load(simd, input, at)));
        }
    }
}

/// Turns the gradient of an activation's output into the gradient of its input.
pub(super) struct Deactivate<'a> {
    pub(super) activation: Activation,
    pub(super) input: &'a [f32],
    pub(super) gradient: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Deactivate<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { activation, input, gradient } = self;
        for at in (0..gradient.len()).step_by(S::LANES) {
            let upstream = load(simd, gradient, at);
            store(simd, gradient, at, activation.gradient(simd, load(simd, input, at), upstream));
        }
    }
}

/// `sum += term`.
pub(super) struct Add<'a> {
    pub(super) sum: &'a mut [f32],
    pub(super) term: &'a [f32],
}

impl<S: Simd> Kernel<S> for Add<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { sum, term } = self;
        for at in (0..sum.len()).step_by(S::LANES) {
            let values = simd.add(load(simd, sum, at), load(simd, term, at));
            store(simd, sum, at, values);
        }
    }
}

/// `rows += row * factor`.
pub(super) struct AddToRows<'a> {
    pub(super) row: &'a [f32],
    pub(super) factor: f32,
    pub(super) rows: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for AddToRows<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { row, factor, rows } = self;
        let factor = simd.splat(factor);
        for first in (0..rows.len()).step_by(row.len()) {
            for column in (0..row.len()).step_by(S::LANES) {
                let sum = simd.fma(load(simd, row, column), factor, load(simd, rows, first + column));
                store(simd, rows, first + column, sum);
            }
        }
    }
}

/// The backward pass of a normalisation: `gradient = gradient * factor + (input - mean) * slope + shift`, with four
/// coefficients for each column.
pub(super) struct Unnormalise<'a> {
    pub(super) input: &'a [f32],
    pub(super) mean: &'a [f32],
    pub(super) factor: &'a [f32],
    pub(super) slope: &'a [f32],
    pub(super) shift: &'a [f32],
    pub(super) gradient: &'a mut [f32],
    /// Receives a copy of the gradient before the pass.
    pub(super) upstream: Option<&'a mut [f32]>,
}

impl<S: Simd> Kernel<S> for Unnormalise<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, mean, factor, slope, shift, gradient, mut upstream } = self;
        let width = factor.len();
        for row in (0..gradient.len()).step_by(width) {
            for column in (0..width).step_by(S::LANES) {
                let centred = simd.sub(load(simd, input, row + column), load(simd, mean, column));
                let bent = simd.fma(centred, load(simd, slope, column), load(simd, shift, column));
                let before = load(simd, gradient, row + column);
                if let Some(upstream) = &mut upstream {
                    store(simd, upstream, row + column, before);
                }
                let values = simd.fma(before, load(simd, factor, column), bent);
                store(simd, gradient, row + column, values);
            }
        }
    }
}

pub(super) struct ColumnSums<'a> {
    pub(super) rows: &'a [f32],
    pub(super) sums: &'a mut [f32],
}

impl<S: Simd> Columns<S> for ColumnSums<'_> {
    #[inline(always)]
    unsafe fn columns<const VECTORS: usize>(&mut self, simd: S, first: usize) {
        let width = self.sums.len();
        let mut sums = [simd.splat(0.0); VECTORS];
        for row in (0..self.rows.len()).step_by(width) {
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = simd.add(*sum, load(simd, self.rows, row + first + vector * S::LANES));
            }
        }
        for (vector, sum) in sums.into_iter().enumerate() {
            store(simd, self.sums, first + vector * S::LANES, sum);
        }
    }
}

impl<S: Simd> Kernel<S> for ColumnSums<'_> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let width = self.sums.len();
        // SAFETY: the sums have that width, and every load and store checks its slice.
        unsafe { by_columns(simd, width, &mut self) }
    }
}

/// For each column, the mean, the sum of the deviations from it (nonzero only because of rounding) and the sum of their
/// squares: `[3][width]`.
pub(super) struct PieceStatistics<'a> {
    pub(super) rows: &'a [f32],
    pub(super) statistics: &'a mut [f32],
}

impl<S: Simd> Columns<S> for PieceStatistics<'_> {
    #[inline(always)]
    unsafe fn columns<const VECTORS: usize>(&mut self, simd: S, first: usize) {
        let width = self.statistics.len() / 3;
        let share = simd.splat(width as f32 / self.rows.len() as f32);
        let mut means = [simd.splat(0.0); VECTORS];
        for row in (0..self.rows.len()).step_by(width) {
            for (vector, sum) in means.iter_mut().enumerate() {
                *sum = simd.add(*sum, load(simd, self.rows, row + first + vector * S::LANES));
            }
        }
        for mean in &mut means {
            *mean = simd.mul(*mean, share);
        }
        let (mut sums, mut squares) = ([simd.splat(0.0); VECTORS], [simd.splat(0.0); VECTORS]);
        for row in (0..self.rows.len()).step_by(width) {
            for vector in 0..VECTORS {
                let value = load(simd, self.rows, row + first + vector * S::LANES);
                let centred = simd.sub(value, means[vector]);
                sums[vector] = simd.add(sums[vector], centred);
                squares[vector] = simd.fma(centred, centred, squares[vector]);
            }
        }
        for (number, statistics) in [means, sums, squares].into_iter().enumerate() {
            for (vector, moment) in statistics.into_iter().enumerate() {
                store(simd, self.statistics, number * width + first + vector * S::LANES, moment);
            }
        }
    }
}

impl<S: Simd> Kernel<S> for PieceStatistics<'_> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let width = self.statistics.len() / 3;
        // SAFETY: the statistics have that width, and every load and store checks its slice.
        unsafe { by_columns(simd, width, &mut self) }
    }
}

/// Turns the gradient of `activation(input * factor + shift + skip)` into the gradient of the activation's input. Also computes, for each
/// column, the sum of that gradient and the sum of its product with `input - mean`, `[2][width]`.
pub(super) struct GradientSums<'a> {
    pub(super) input: &'a [f32],
    pub(super) mean: &'a [f32],
    pub(super) factor: &'a [f32],
    pub(super) shift: &'a [f32],
    pub(super) skip: Option<&'a [f32]>,
    pub(super) activation: Activation,
    pub(super) gradient: &'a mut [f32],
    pub(super) sums: &'a mut [f32],
}

impl<S: Simd> Columns<S> for GradientSums<'_> {
    #[inline(always)]
    unsafe fn columns<const VECTORS: usize>(&mut self, simd: S, first: usize) {
        let width = self.mean.len();
        let (mut sums, mut products) = ([simd.splat(0.0); VECTORS], [simd.splat(0.0); VECTORS]);
        for row in (0..self.gradient.len()).step_by(width) {
            for vector in 0..VECTORS {
                let column = first + vector * S::LANES;
                let input = load(simd, self.input, row + column);
                let mut upstream = load(simd, self.gradient, row + column);
                if self.activation != Activation::Identity {
                    let (factor, shift) = (load(simd, self.factor, column), load(simd, self.shift, column));
                    let mut value = simd.fma(input, factor, shift);
                    if let Some(skip) = self.skip {
                        value = simd.add(value, load(simd, skip, row + column));
                    }
                    upstream = self.activation.gradient(simd, value, upstream);
                    store(simd, self.gradient, row + column, upstream);
                }
                sums[vector] = simd.add(sums[vector], upstream);
                let centred = simd.sub(input, load(simd, self.mean, column));
                products[vector] = simd.fma(upstream, centred, products[vector]);
            }
        }
        for (number, sums) in [sums, products].into_iter().enumerate() {
            for (vector, sum) in sums.into_iter().enumerate() {
                store(simd, self.sums, number * width + first + vector * S::LANES, sum);
            }
        }
    }
}

impl<S: Simd> Kernel<S> for GradientSums<'_> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let width = self.mean.len();
        // SAFETY: the rows have that width, and every load and store checks its slice.
        unsafe { by_columns(simd, width, &mut self) }
    }
}
