//! Tables: from the features of a position to hidden units.

use super::integers::{Integers, Scale};
use crate::{KernelError, aligned::Aligned, simd::Kernel, sparse::Clipping};

/// A table in floats, before quantisation.
#[derive(Clone, Copy, Debug)]
pub struct TablePlan<'a> {
    /// `[features][width]`.
    pub weights: &'a [f32],
    /// `[width]`.
    pub bias: &'a [f32],
    /// The function from sums to hidden units.
    pub clipping: Clipping,
}

/// A table in eight bits.
pub(super) struct Table {
    rows: Aligned<i8>,
    bias: Vec<i16>,
    width: usize,
    scale: Scale,
    clipping: Clipping,
}

/// Widths are a multiple of this: the sums of the widest vector, for each half of a pairwise product.
const WIDTH_STEP: usize = 64;

/// Prefetch distance, in rows. Rows lie anywhere in a table larger than the inner caches, so without prefetching every row waits
/// for memory: a value takes 5.6 us instead of 3.5. Between 1 and 12 the distance hardly matters
/// (docs/experiments/prefetch-distance.md).
const AHEAD: usize = 6;

impl Table {
    /// Quantises a table; `part` names it in errors.
    pub(super) fn new(plan: &TablePlan<'_>, part: &str) -> Result<Self, KernelError> {
        let width = plan.bias.len();
        if width == 0 || !width.is_multiple_of(WIDTH_STEP) {
            let expected = width.next_multiple_of(WIDTH_STEP).max(WIDTH_STEP);
            return Err(KernelError::Shape { part: format!("{part}, width"), found: width, expected });
        }
        if !plan.weights.len().is_multiple_of(width) {
            let expected = plan.weights.len().next_multiple_of(width);
            return Err(KernelError::Shape { part: part.into(), found: plan.weights.len(), expected });
        }
        let largest = plan.weights.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
        let fits = |bits: &u32| largest <= 127.0 / f32::from(Scale { bits: *bits }.one());
        let bits = (4..=7).rev().find(fits).ok_or_else(|| KernelError::Range {
            part: part.into(),
            found: largest.to_string(),
            expected: {
                let most = 127.0 / f32::from(Scale { bits: 4 }.one());
                format!("weights from -{most} to {most}")
            },
        })?;
        let scale = Scale { bits };
        let one = f32::from(scale.one());
        let mut rows = Aligned::filled(plan.weights.len(), 0_i8);
        for (to, weight) in rows.iter_mut().zip(plan.weights) {
            *to = (weight * one).round_ties_even() as i8;
        }
        // Casts from floats saturate: a bias beyond 16 bits becomes the nearest integer that fits.
        let bias = plan.bias.iter().map(|bias| (bias * one).round_ties_even() as i16).collect();
        Ok(Self { rows, bias, width, scale, clipping: plan.clipping })
    }

    pub(super) fn features(&self) -> usize {
        self.rows.len() / self.width
    }

    pub(super) fn units(&self) -> usize {
        self.clipping.units(self.width)
    }

    #[inline(always)]
    fn row(&self, feature: u32) -> &[i8] {
        &self.rows[feature as usize * self.width..][..self.width]
    }
}

/// Where the rows of the features are during a pass over columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// In memory, so they are prefetched.
    Distant,
    /// In the nearest cache, after an earlier pass.
    Cached,
}

impl Rows {
    /// The location of the rows for the pass that starts at a column.
    #[inline(always)]
    fn of_pass(at: usize) -> Self {
        if at == 0 { Self::Distant } else { Self::Cached }
    }
}

/// Computes hidden units from features.
pub(super) struct HiddenUnits<'a> {
    pub(super) table: &'a Table,
    pub(super) features: &'a [u32],
    /// `[units]`.
    pub(super) units: &'a mut [u8],
}

impl<S: Integers> Kernel<S> for HiddenUnits<'_> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        assert!(self.units.len() == self.table.units(), "hidden units of the table");
        let mut at = 0;
        while at < self.units.len() {
            let vectors = (self.units.len() - at) / S::SUMS;
            // The first pass prefetches whole rows; the others find them in the cache.
            at += match self.table.clipping {
                Clipping::Pairwise => match vectors.min(S::PAIRS) {
                    8.. => self.pairs::<S, 8>(simd, at),
                    4.. => self.pairs::<S, 4>(simd, at),
                    2.. => self.pairs::<S, 2>(simd, at),
                    _ => self.pairs::<S, 1>(simd, at),
                },
                Clipping::Squared => match vectors.min(2 * S::PAIRS) {
                    16.. => self.squares::<S, 16>(simd, at),
                    8.. => self.squares::<S, 8>(simd, at),
                    4.. => self.squares::<S, 4>(simd, at),
                    2.. => self.squares::<S, 2>(simd, at),
                    _ => self.squares::<S, 1>(simd, at),
                },
            };
        }
    }
}

impl HiddenUnits<'_> {
    /// Computes `N` vectors of units starting at `at`; returns the number of units.
    #[inline(always)]
    fn pairs<S: Integers, const N: usize>(&mut self, simd: S, at: usize) -> usize {
        let half = self.units.len();
        assert!(at + N * S::SUMS <= half, "units of the table");
        // Unit u multiplies the sums at u and half + u, so both are computed in one round and sums are never stored. The features
        // are walked once for each half: N sums and a term fit the registers of AVX2, 2 N do not.
        let first = self.sums::<S, N>(simd, at, Rows::of_pass(at));
        // The same rows, which are now in the nearest cache.
        let second = self.sums::<S, N>(simd, half + at, Rows::Cached);
        for number in 0..N {
            // SAFETY: asserted.
            unsafe {
                let to = self.units.as_mut_ptr().add(at + number * S::SUMS);
                simd.store_products([first[number], second[number]], self.table.scale, to);
            }
        }
        N * S::SUMS
    }

    #[inline(always)]
    fn squares<S: Integers, const N: usize>(&mut self, simd: S, at: usize) -> usize {
        assert!(at + N * S::SUMS <= self.units.len(), "units of the table");
        let sums = self.sums::<S, N>(simd, at, Rows::of_pass(at));
        for (number, sum) in sums.into_iter().enumerate() {
            // SAFETY: asserted.
            unsafe {
                let to = self.units.as_mut_ptr().add(at + number * S::SUMS);
                simd.store_products([sum; 2], self.table.scale, to);
            }
        }
        N * S::SUMS
    }

    /// The sums of some columns.
    #[inline(always)]
    fn sums<S: Integers, const N: usize>(&self, simd: S, at: usize, rows: Rows) -> [S::Sums; N] {
        let (table, features) = (self.table, self.features);
        assert!(at + N * S::SUMS <= table.width, "columns of the table");
        // SAFETY: the bias and every row have this many columns from `at` on.
        unsafe {
            let mut sums = [simd.load_sums(table.bias.as_ptr().add(at)); N];
            for vector in 1..N {
                sums[vector] = simd.load_sums(table.bias.as_ptr().add(at + vector * S::SUMS));
            }
            for (number, &feature) in features.iter().enumerate() {
                if rows == Rows::Distant
                    && let Some(&later) = features.get(number + AHEAD)
                {
                    simd.prefetch(table.row(later));
                }
                let row = table.row(feature);
                for vector in 0..N {
                    sums[vector] = simd.add_row(sums[vector], row.as_ptr().add(at + vector * S::SUMS));
                }
            }
            sums
        }
    }
}
