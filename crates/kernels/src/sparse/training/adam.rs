//! AdamW on rows, most of which have no gradient in a step.
//!
//! A parameter without a gradient still changes: its averages decay, the steps along them continue, and weight decay
//! shrinks it. A row that had no gradient for some steps catches up on them one by one, with its parameters in
//! registers, before it is next updated or read. The result is bit-identical to updating all rows in all steps, but a
//! step reads only the rows that have a gradient.
//!
//! The steps cannot be applied at once by a closed form: learning rate and bias corrections differ from step to step, the limit
//! cuts values in between, and every rounding has to be that of the plain optimiser, on which resuming and the tests of equality
//! rely. Number by number the recurrence has a long chain of dependent operations, hence [`GROUP`] independent numbers at a time.

use crate::{
    Isa,
    simd::{Kernel, Simd},
};

/// The optimiser's settings that are the same in all steps (Loshchilov and Hutter, arXiv 1711.05101).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamW {
    /// Decay of the moving average of the gradient.
    pub beta1: f32,
    /// Decay of the moving average of the squared gradient.
    pub beta2: f32,
    /// Added to the square root of the squared gradient's average.
    pub epsilon: f32,
    /// The fraction of each parameter subtracted per step at a learning rate of 1, or added to its gradient.
    pub weight_decay: f32,
    /// True for Adam with L2 regularisation (Kingma and Ba, arXiv 1412.6980): the decay is added to the gradient.
    pub is_coupled: bool,
    /// Parameters are clipped to this magnitude; infinite for no limit.
    pub limit: f32,
}

/// Settings of one step of the optimiser.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AdamStep {
    /// The learning rate of this step, set by the learning-rate schedule.
    pub rate: f32,
    /// Bias correction of the gradient's average, which starts at zero: the divisor `1 - beta1^step`.
    pub first_correction: f32,
    /// Bias correction of the squared gradient's average, which starts at zero: the divisor `1 - beta2^step`.
    pub second_correction: f32,
    /// Decay of the moving average of the parameters.
    pub average_decay: f32,
}

/// Parameters being trained, and their averages.
#[derive(Debug)]
pub struct RowState<'a> {
    /// The parameters to be updated.
    pub values: &'a mut [f32],
    /// Moving averages of their gradients.
    pub first: &'a mut [f32],
    /// Moving averages of their squared gradients.
    pub second: &'a mut [f32],
    /// Moving averages of the parameters over the steps; empty if they are not wanted.
    pub average: &'a mut [f32],
}

/// A step with a gradient.
#[derive(Clone, Copy, Debug)]
pub struct GradientStep<'a> {
    /// Rate and corrections of the step.
    pub settings: AdamStep,
    /// One number for each number of the row.
    pub gradient: &'a [f32],
    /// Factor of the gradient.
    pub scale: f32,
}

impl AdamW {
    /// Applies the steps that a row missed, oldest first.
    ///
    /// # Panics
    /// If the slices of the row differ in length.
    pub fn catch_up(&self, isa: Isa, missed: &[AdamStep], row: RowState<'_>) {
        if !missed.is_empty() {
            isa.run(Steps { adam: *self, missed, last: None, row: checked(row) });
        }
    }

    /// Applies the steps that a row missed, oldest first, then one with a gradient.
    ///
    /// # Panics
    /// If the slices of the row and the gradient differ in length.
    pub fn step(&self, isa: Isa, missed: &[AdamStep], last: GradientStep<'_>, row: RowState<'_>) {
        assert_eq!(last.gradient.len(), row.values.len(), "a gradient for each number");
        isa.run(Steps { adam: *self, missed, last: Some(last), row: checked(row) });
    }
}

fn checked(row: RowState<'_>) -> RowState<'_> {
    let length = row.values.len();
    assert!(
        row.first.len() == length
            && row.second.len() == length
            && (row.average.is_empty() || row.average.len() == length),
        "averages for each number"
    );
    row
}

struct Steps<'a> {
    adam: AdamW,
    missed: &'a [AdamStep],
    last: Option<GradientStep<'a>>,
    row: RowState<'a>,
}

/// Number of parameters that go through all missed steps together.
const GROUP: usize = 32;

impl<S: Simd> Kernel<S> for Steps<'_> {
    #[inline(always)]
    fn call(mut self, _simd: S) {
        let length = self.row.values.len();
        let whole = length / GROUP * GROUP;
        for at in (0..whole).step_by(GROUP) {
            self.take::<GROUP>(at);
        }
        for at in whole..length {
            self.take::<1>(at);
        }
    }
}

impl Steps<'_> {
    #[inline(always)]
    fn take<const N: usize>(&mut self, at: usize) {
        let Self { adam, missed, last, row } = self;
        let mut group = Group::<N>::read(row, at);
        // Closures would be compiled separately, without the instruction set.
        for step in *missed {
            group.step(adam, step, &[0.0; N]);
        }
        if let Some(last) = last {
            let mut gradient = numbers::<N>(last.gradient, at);
            for index in 0..N {
                gradient[index] *= last.scale;
            }
            group.step(adam, &last.settings, &gradient);
        }
        group.write(row, at);
    }
}

/// The parameters and averages of some vectors, held in registers.
struct Group<const N: usize> {
    values: [f32; N],
    first: [f32; N],
    second: [f32; N],
    average: [f32; N],
}

impl<const N: usize> Group<N> {
    #[inline(always)]
    fn read(row: &RowState<'_>, at: usize) -> Self {
        Self {
            values: numbers(row.values, at),
            first: numbers(row.first, at),
            second: numbers(row.second, at),
            average: if row.average.is_empty() { [0.0; N] } else { numbers(row.average, at) },
        }
    }

    #[inline(always)]
    fn write(&self, row: &mut RowState<'_>, at: usize) {
        *numbers_mut(row.values, at) = self.values;
        *numbers_mut(row.first, at) = self.first;
        *numbers_mut(row.second, at) = self.second;
        if !row.average.is_empty() {
            *numbers_mut(row.average, at) = self.average;
        }
    }

    #[inline(always)]
    fn step(&mut self, adam: &AdamW, step: &AdamStep, gradient: &[f32; N]) {
        // Separate operations, each with its own rounding (Rust does not fuse them), so every instruction set gives the
        // same bits whatever its vector length.
        let (kept, added) = if adam.is_coupled {
            (1.0, adam.weight_decay)
        } else {
            (1.0 - step.rate * adam.weight_decay, 0.0)
        };
        // One square root and one division per parameter; the processor divides at a tenth of the speed at which it
        // multiplies.
        let (rate, growth) = (step.rate / step.first_correction, 1.0 / step.second_correction);
        for index in 0..N {
            let gradient =
                if adam.is_coupled { gradient[index] + added * self.values[index] } else { gradient[index] };
            let first = flushed(self.first[index] * adam.beta1 + gradient * (1.0 - adam.beta1));
            let second = flushed(self.second[index] * adam.beta2 + gradient * gradient * (1.0 - adam.beta2));
            let root = (second * growth).sqrt() + adam.epsilon;
            let value = self.values[index] * kept - rate * first / root;
            let value = value.max(-adam.limit).min(adam.limit);
            self.first[index] = first;
            self.second[index] = second;
            self.values[index] = value;
            self.average[index] =
                self.average[index] * step.average_decay + value * (1.0 - step.average_decay);
        }
    }
}

#[inline(always)]
fn numbers<const N: usize>(values: &[f32], at: usize) -> [f32; N] {
    values[at..].first_chunk().copied().expect("the row is as long as checked")
}

#[inline(always)]
fn numbers_mut<const N: usize>(values: &mut [f32], at: usize) -> &mut [f32; N] {
    values[at..].first_chunk_mut().expect("the row is as long as checked")
}

/// Flushes numbers near the denormals to zero, with which processors compute slowly: the averages of parameters that no longer
/// receive a gradient decay forever.
#[inline(always)]
pub fn flushed(value: f32) -> f32 {
    if value.abs() < 1e-36 { 0.0 } else { value }
}
