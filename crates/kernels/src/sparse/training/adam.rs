//! AdamW on rows, most of which have no gradient in a step.
//!
//! Without a gradient a number still moves: its averages decay, the step along them continues, and weight decay shrinks
//! it. A row without gradients for some steps makes up for them one by one while its numbers are in registers, before
//! it is next moved or read. The result is that of moving all rows in all steps, to the last bit, but a step reads only
//! the rows that have a gradient.

use crate::{
    Isa,
    simd::{Kernel, Simd},
};

/// The numbers of the optimiser that are the same in all steps (Loshchilov and Hutter, arXiv 1711.05101).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamW {
    /// Decay of the gradient's average.
    pub beta1: f32,
    /// Decay of the squared gradient's average.
    pub beta2: f32,
    /// Added to the root of the squared gradient's average.
    pub epsilon: f32,
    /// Share of each number taken away at a learning rate of 1.
    pub weight_decay: f32,
    /// Numbers beyond it are cut off to it; infinite for none.
    pub limit: f32,
}

/// Settings of one step of the optimiser.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AdamStep {
    /// The learning rate of this step, which a schedule changes.
    pub rate: f32,
    /// Divisor of the gradient's average that corrects its start at zero, `1 - beta1^step`.
    pub first_correction: f32,
    /// Divisor of the squared gradient's average that corrects its start at zero, `1 - beta2^step`.
    pub second_correction: f32,
    /// Decay of the average of the numbers.
    pub average_decay: f32,
}

/// Numbers being trained, and their averages.
#[derive(Debug)]
pub struct RowState<'a> {
    /// The parameters to be moved.
    pub values: &'a mut [f32],
    /// Averages of their gradients.
    pub first: &'a mut [f32],
    /// Averages of their squared gradients.
    pub second: &'a mut [f32],
    /// Their averages over the steps.
    pub average: &'a mut [f32],
}

impl AdamW {
    /// Takes the steps that a row missed, oldest first.
    ///
    /// # Panics
    /// If the slices of the row differ in length.
    pub fn catch_up(&self, isa: Isa, missed: &[AdamStep], row: RowState<'_>) {
        if !missed.is_empty() {
            isa.run(Steps { adam: *self, missed, last: None, row: checked(row) });
        }
    }

    /// Takes the steps that a row missed, oldest first, then one against a gradient, which is multiplied by `scale`.
    ///
    /// # Panics
    /// If the slices of the row and the gradient differ in length.
    pub fn step(
        &self,
        isa: Isa,
        missed: &[AdamStep],
        (last, gradient, scale): (AdamStep, &[f32], f32),
        row: RowState<'_>,
    ) {
        assert_eq!(gradient.len(), row.values.len(), "a gradient for each number");
        isa.run(Steps { adam: *self, missed, last: Some((last, gradient, scale)), row: checked(row) });
    }
}

fn checked(row: RowState<'_>) -> RowState<'_> {
    let length = row.values.len();
    assert!(
        row.first.len() == length && row.second.len() == length && row.average.len() == length,
        "averages for each number"
    );
    row
}

struct Steps<'a> {
    adam: AdamW,
    missed: &'a [AdamStep],
    last: Option<(AdamStep, &'a [f32], f32)>,
    row: RowState<'a>,
}

/// Numbers that go through all missed steps together.
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
        // Closures would be compiled apart, without the instruction set.
        for step in *missed {
            group.step(adam, step, &[0.0; N]);
        }
        if let Some((step, gradient, scale)) = last {
            let mut gradient = numbers::<N>(gradient, at);
            for index in 0..N {
                gradient[index] *= *scale;
            }
            group.step(adam, step, &gradient);
        }
        group.write(row, at);
    }
}

/// The numbers and averages of some vectors, held in registers.
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
            average: numbers(row.average, at),
        }
    }

    #[inline(always)]
    fn write(&self, row: &mut RowState<'_>, at: usize) {
        *numbers_mut(row.values, at) = self.values;
        *numbers_mut(row.first, at) = self.first;
        *numbers_mut(row.second, at) = self.second;
        *numbers_mut(row.average, at) = self.average;
    }

    #[inline(always)]
    fn step(&mut self, adam: &AdamW, step: &AdamStep, gradient: &[f32; N]) {
        // Plain operations, each rounded by itself (Rust fuses none), so that every instruction set gives the same bits
        // whatever the length of its vectors.
        let kept = 1.0 - step.rate * adam.weight_decay;
        // One root and one division a number; the processor divides a tenth as fast as it multiplies.
        let (rate, growth) = (step.rate / step.first_correction, 1.0 / step.second_correction);
        for index in 0..N {
            let gradient = gradient[index];
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

/// Flushes numbers near the denormals to zero: processors compute slowly with denormals.
#[inline(always)]
fn flushed(value: f32) -> f32 {
    if value.abs() < 1e-36 { 0.0 } else { value }
}
