//! Dot products of hidden units with rows of weights.

use super::integers::{GROUP, Integers};
use crate::{KernelError, aligned::Aligned};

/// Rows of weights in floats, before quantisation.
#[derive(Clone, Copy, Debug)]
pub struct RowsPlan<'a> {
    /// `[rows][units]`.
    pub weights: &'a [f32],
    /// `[rows]`.
    pub bias: &'a [f32],
}

/// Rows in eight bits.
pub(super) struct Rows {
    weights: Aligned<i8>,
    /// The step of each row's dot product: a hidden unit's step times the row's step.
    steps: Vec<f32>,
    bias: Vec<f32>,
    units: usize,
}

/// The integer that represents a hidden unit of 1.
const UNIT: f32 = 128.0;

impl Rows {
    /// Quantises rows for `units` hidden units; `part` names them in errors.
    pub(super) fn new(plan: &RowsPlan<'_>, units: usize, part: &str) -> Result<Self, KernelError> {
        let expected = plan.bias.len() * units;
        if plan.weights.len() != expected || !units.is_multiple_of(GROUP) {
            return Err(KernelError::Shape { part: part.into(), found: plan.weights.len(), expected });
        }
        let mut weights = Aligned::filled(plan.weights.len(), 0_i8);
        let mut steps = Vec::with_capacity(plan.bias.len());
        for (to, row) in weights.chunks_exact_mut(units).zip(plan.weights.chunks_exact(units)) {
            let largest = row.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
            let step = if largest > 0.0 { largest / 127.0 } else { 1.0 };
            for (to, weight) in to.iter_mut().zip(row) {
                *to = (weight / step).round_ties_even() as i8;
            }
            steps.push(step / UNIT);
        }
        Ok(Self { weights, steps, bias: plan.bias.to_vec(), units })
    }

    pub(super) fn len(&self) -> usize {
        self.bias.len()
    }

    /// A row's dot product with the hidden units, plus its bias.
    #[inline(always)]
    pub(super) fn score<S: Integers>(&self, simd: S, row: usize, units: &[u8]) -> f32 {
        let weights = self.row(row);
        assert!(units.len() == weights.len(), "hidden units of the rows");
        // SAFETY: both have the same length, a multiple of `GROUP`.
        let product = unsafe { simd.dot(units.as_ptr(), weights.as_ptr(), weights.len()) };
        self.bias[row] + product as f32 * self.steps[row]
    }

    /// Prefetches a row.
    #[inline(always)]
    pub(super) fn prefetch<S: Integers>(&self, simd: S, row: usize) {
        simd.prefetch(self.row(row));
    }

    #[inline(always)]
    fn row(&self, row: usize) -> &[i8] {
        &self.weights[row * self.units..][..self.units]
    }
}
