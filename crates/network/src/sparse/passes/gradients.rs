//! Gradients of tables, of which a batch reads only some rows, and of parameters that every sample reads.

use std::ops::Range;

use kernels::{
    Isa,
    sparse::training::{Gather, gather},
};

/// The gradient of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Gradient<'a> {
    /// The gradient of all elements, row by row.
    Whole(&'a [f32]),
    /// The gradient of some rows; it is zero in all others.
    Rows(RowGradient<'a>),
}

/// The gradient of a table of which a batch reads only some rows. It is computed a few rows at a time: a batch reads half
/// of a large network's rows, and using a row's gradient while it is cached avoids writing and reading all of them.
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

    /// Writes the gradients of the rows in a range that the batch reads: for each row, the sum over its samples.
    ///
    /// # Panics
    /// If a row is out of range, or `gradient` does not have the length of the rows.
    pub fn write(&self, rows: Range<usize>, gradient: &mut [f32]) {
        gather(self.isa, self.samples, rows, gradient);
    }
}
