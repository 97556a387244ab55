//! Training of sparse networks: forward and backward passes over samples, and the optimiser of their tables.
//!
//! A sample is a list of rows. All data are plain slices, whose layout this module documents; the caller keeps track of which
//! slices belong together. Sums are 32-bit floats; tables and gradients of samples may be kept in 16 bits ([`Numbers`]). The parts,
//! from the bottom:
//! 1. [`accumulate`] adds the rows of each sample, [`Clipping`](super::Clipping) turns the sums into hidden units;
//! 2. [`Layers`] are fully connected layers with a copy for each bucket of samples; [`MoveRows`] are dot products of the hidden
//!    units with the rows of each legal move;
//! 3. [`gather`] sums, for each row, the gradients of the samples that read it, as listed by [`Readers`]: a row is written once,
//!    by one thread, so sums do not depend on the number of threads;
//! 4. [`AdamW`] updates rows, and catches up on the steps in which a row had no gradient; [`squares`] and [`are_within`]
//!    measure gradients.

mod adam;
mod clipping;
mod layers;
mod moves;
mod numbers;
mod rows;
#[cfg(test)]
mod tests;
mod vectors;

pub use crate::simd::element::Bf16;
pub use adam::{AdamStep, AdamW, GradientStep, RowState, flushed};
pub use layers::{Layer, LayerGradient, Layers};
pub use moves::{MoveRows, Moves};
pub use numbers::{Floats, NumberFormat, Numbers, NumbersMut, NumbersRef};
pub use rows::{Gather, Readers, accumulate, gather};
pub use vectors::{are_within, squares, squares_in_double};

/// Lists of row numbers, one for each sample.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a> {
    /// Start of each sample's list in `rows`, and the end of the last one, `[samples + 1]`.
    pub offsets: &'a [u32],
    /// The rows of all samples, one sample after another.
    pub rows: &'a [u32],
}

impl<'a> Lists<'a> {
    /// Number of lists, one per sample.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// True if there are no lists.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The list of a sample.
    #[inline(always)]
    pub fn of(&self, sample: usize) -> &'a [u32] {
        &self.rows[self.offsets[sample] as usize..self.offsets[sample + 1] as usize]
    }

    /// The lists of some samples.
    #[must_use]
    pub fn part(&self, samples: std::ops::Range<usize>) -> Self {
        Self { offsets: &self.offsets[samples.start..=samples.end], rows: self.rows }
    }
}

/// A matrix in row-major order.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// `[rows][width]`.
    pub values: NumbersRef<'a>,
    /// Elements per row.
    pub width: usize,
}
