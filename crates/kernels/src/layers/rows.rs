//! What happens to numbers between products: functions of each number, and sums of columns. Rows are whole vectors.

use crate::{
    Activation,
    simd::{Kernel, Simd},
};

/// A vector of a slice.
#[inline(always)]
fn load<S: Simd>(simd: S, from: &[f32], at: usize) -> S::Floats {
    let from = &from[at..at + S::LANES];
    // SAFETY: a slice of as many numbers.
    unsafe { simd.load(from.as_ptr()) }
}

/// Puts a vector into a slice.
#[inline(always)]
fn store<S: Simd>(simd: S, to: &mut [f32], at: usize, values: S::Floats) {
    let to = &mut to[at..at + S::LANES];
    // SAFETY: a slice of as many numbers.
    unsafe { simd.store(to.as_mut_ptr(), values) }
}

/// `output = input * factor + shift`, a factor and a summand for each column.
pub(super) struct Scale<'a> {
    pub(super) input: &'a [f32],
    pub(super) factor: &'a [f32],
    pub(super) shift: &'a [f32],
    pub(super) output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, factor, shift, output } = self;
        let width = factor.len();
        for row in (0..output.len()).step_by(width) {
            for column in (0..width).step_by(S::LANES) {
                let values = load(simd, input, row + column);
                let values = simd.fma(values, load(simd, factor, column), load(simd, shift, column));
                store(simd, output, row + column, values);
            }
        }
    }
}

/// `rows = activation(rows + bias)`, a bias for each column.
pub(super) struct Finish<'a> {
    pub(super) bias: &'a [f32],
    pub(super) activation: Activation,
    pub(super) rows: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Finish<'_> {
    type Output = ();

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
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { activation, input, output } = self;
        for at in (0..output.len()).step_by(S::LANES) {
            store(simd, output, at, activation.apply(simd, load(simd, input, at)));
        }
    }
}

/// Turns the gradient of an activation's output into that of its input.
pub(super) struct Deactivate<'a> {
    pub(super) activation: Activation,
    pub(super) input: &'a [f32],
    pub(super) gradient: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Deactivate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { activation, input, gradient } = self;
        for at in (0..gradient.len()).step_by(S::LANES) {
            let behind = load(simd, gradient, at);
            store(simd, gradient, at, activation.gradient(simd, load(simd, input, at), behind));
        }
    }
}

/// `sum += term`.
pub(super) struct Add<'a> {
    pub(super) sum: &'a mut [f32],
    pub(super) term: &'a [f32],
}

impl<S: Simd> Kernel<S> for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { sum, term } = self;
        for at in (0..sum.len()).step_by(S::LANES) {
            let values = simd.add(load(simd, sum, at), load(simd, term, at));
            store(simd, sum, at, values);
        }
    }
}

/// `gradient = gradient * factor + (input - mean) * slope + shift`, four numbers for each column: back through a normalisation.
pub(super) struct Unnormalise<'a> {
    pub(super) input: &'a [f32],
    pub(super) mean: &'a [f32],
    pub(super) factor: &'a [f32],
    pub(super) slope: &'a [f32],
    pub(super) shift: &'a [f32],
    pub(super) gradient: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Unnormalise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, mean, factor, slope, shift, gradient } = self;
        let width = factor.len();
        for row in (0..gradient.len()).step_by(width) {
            for column in (0..width).step_by(S::LANES) {
                let centred = simd.sub(load(simd, input, row + column), load(simd, mean, column));
                let bent = simd.fma(centred, load(simd, slope, column), load(simd, shift, column));
                let values = simd.fma(load(simd, gradient, row + column), load(simd, factor, column), bent);
                store(simd, gradient, row + column, values);
            }
        }
    }
}

/// The sum of each column.
pub(super) struct ColumnSums<'a> {
    pub(super) rows: &'a [f32],
    pub(super) sums: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for ColumnSums<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { rows, sums } = self;
        let width = sums.len();
        for column in (0..width).step_by(S::LANES) {
            let mut sum = simd.splat(0.0);
            for row in (0..rows.len()).step_by(width) {
                sum = simd.add(sum, load(simd, rows, row + column));
            }
            store(simd, sums, column, sum);
        }
    }
}

/// For each column the sum of the squares of `row - mean`.
pub(super) struct Deviations<'a> {
    pub(super) rows: &'a [f32],
    pub(super) mean: &'a [f32],
    pub(super) sums: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Deviations<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { rows, mean, sums } = self;
        let width = sums.len();
        for column in (0..width).step_by(S::LANES) {
            let (mut sum, mean) = (simd.splat(0.0), load(simd, mean, column));
            for row in (0..rows.len()).step_by(width) {
                let centred = simd.sub(load(simd, rows, row + column), mean);
                sum = simd.fma(centred, centred, sum);
            }
            store(simd, sums, column, sum);
        }
    }
}

/// For each column the sums of the gradient and of its product with `input - mean`, `[2][width]`.
pub(super) struct GradientSums<'a> {
    pub(super) input: &'a [f32],
    pub(super) mean: &'a [f32],
    pub(super) gradient: &'a [f32],
    pub(super) sums: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for GradientSums<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, mean, gradient, sums } = self;
        let width = mean.len();
        for column in (0..width).step_by(S::LANES) {
            let (mut shift, mut scale) = (simd.splat(0.0), simd.splat(0.0));
            let mean = load(simd, mean, column);
            for row in (0..gradient.len()).step_by(width) {
                let behind = load(simd, gradient, row + column);
                shift = simd.add(shift, behind);
                scale = simd.fma(behind, simd.sub(load(simd, input, row + column), mean), scale);
            }
            store(simd, sums, column, shift);
            store(simd, sums, width + column, scale);
        }
    }
}
