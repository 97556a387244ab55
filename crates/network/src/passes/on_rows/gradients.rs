//! Gradients of parameters of which a batch reads some rows, and of those that every sample reads.

use kernels::{
    Isa,
    sparse::training::{Gather, Readers, gather},
};
use rayon::prelude::*;

/// Rows whose sums a thread makes at a time.
const ROWS: usize = 32;

/// The gradient of a parameter.
#[derive(Clone, Debug)]
pub enum Gradient {
    /// Gradient of all numbers, row by row.
    Whole(Vec<f32>),
    /// Gradient of some rows; it is zero in all others.
    Rows(RowGradient),
}

/// The gradient of a table of which a batch reads some rows.
#[derive(Clone, Debug)]
pub struct RowGradient {
    width: usize,
    /// `[rows][width]`; rows that this batch does not read keep stale values of earlier ones.
    values: Vec<f32>,
    touched: Vec<bool>,
}

impl RowGradient {
    pub(super) fn new(rows: usize, width: usize) -> Self {
        Self { width, values: vec![0.0; rows * width], touched: vec![false; rows] }
    }

    pub(super) fn mark(&mut self, readers: &Readers) {
        for (row, touched) in self.touched.iter_mut().enumerate() {
            *touched = readers.is_read(row);
        }
    }

    /// The rows that the batch reads.
    pub fn touched(&self) -> &[bool] {
        &self.touched
    }

    /// The gradient of a row that the batch reads.
    ///
    /// # Panics
    /// If the row is out of range or the batch does not read it.
    pub fn row(&self, row: usize) -> &[f32] {
        assert!(self.touched[row], "the batch does not read row {row}");
        &self.values[row * self.width..][..self.width]
    }
}

impl Gradient {
    /// Resets the gradient for the next batch.
    pub(super) fn clear(&mut self) {
        if let Self::Whole(values) = self {
            values.fill(0.0);
        }
    }

    /// Adds up the gradients of micro-batches.
    pub(super) fn add_up<'a>(&mut self, micro_batches: impl Iterator<Item = &'a [f32]>) {
        if let Self::Whole(values) = self {
            for micro_batch in micro_batches {
                values.iter_mut().zip(micro_batch).for_each(|(to, from)| *to += from);
            }
        }
    }

    /// Sums the gradients of the samples that read each row.
    pub(super) fn gather(&mut self, isa: Isa, from: Gather<'_>) {
        let width = from.gradients.width;
        let (Self::Whole(values) | Self::Rows(RowGradient { values, .. })) = self;
        values.par_chunks_mut(ROWS * width).enumerate().for_each(|(part, sums)| {
            let first = part * ROWS;
            gather(isa, from, first..first + sums.len() / width, sums);
        });
    }
}
