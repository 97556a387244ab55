//! Gradients of parameters of which a batch reads some rows, and of those that every sample reads.

use std::ops::Range;

use kernels::{
    Isa,
    sparse::training::{Gather, gather},
};

/// The gradient of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Gradient<'a> {
    /// Gradient of all numbers, row by row.
    Whole(&'a [f32]),
    /// Gradient of some rows; it is zero in all others.
    Rows(RowGradient<'a>),
}

/// The gradient of a table of which a batch reads some rows. It is made a few rows at a time: a batch reads half of a large
/// network's rows, and using a row's gradient while it is cached saves writing and reading all of them.
#[derive(Clone, Copy, Debug)]
pub struct RowGradient<'a> {
    pub(super) isa: Isa,
    pub(super) samples: Gather<'a>,
}

impl RowGradient<'_> {
    /// True if the batch reads the row.
    pub fn is_read(&self, row: usize) -> bool {
        self.samples.readers.is_read(row)
    }

    /// Writes the gradient of those of some rows that the batch reads: for each the sum over its samples.
    ///
    /// # Panics
    /// If a row is out of range, or `gradient` is not as long as the rows.
    pub fn write(&self, rows: Range<usize>, gradient: &mut [f32]) {
        gather(self.isa, self.samples, rows, gradient);
    }
}
