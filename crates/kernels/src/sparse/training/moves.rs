//! Logits of legal moves: dot products of hidden units with rows of weights.

use super::{
    Lists, NumbersRef, Table,
    numbers::{Number, Rows},
    vectors::{add_scaled, dot},
};
use crate::{
    Isa,
    simd::{Kernel, Simd},
};

/// Prefetch distance, in moves: docs/experiments/prefetch-distance.md.
const AHEAD: usize = 6;

/// A table with a row and a bias for each move.
#[derive(Clone, Copy, Debug)]
pub struct MoveRows<'a> {
    /// `[rows][units]`.
    pub table: Table<'a>,
    /// `[rows]`.
    pub bias: &'a [f32],
    /// The row of each legal move.
    pub lists: Lists<'a>,
}

/// Tables of rows of moves; the logit of a move is the sum over the tables.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a>(pub &'a [MoveRows<'a>]);

impl Moves<'_> {
    /// Computes the logits of the legal moves of samples, one sample after another. The first logit is at index 0
    /// whatever the first offset of the lists.
    ///
    /// # Shapes
    /// hidden `[samples][units]`.
    ///
    /// # Panics
    /// If a shape does not fit, or a list names a row that is not in its table.
    pub fn forward(self, isa: Isa, hidden: &[f32], logits: &mut [f32]) {
        logits.fill(0.0);
        for MoveRows { table: Table { values, width }, bias, lists } in self.0 {
            let (bias, lists, width, logits) = (*bias, *lists, *width, &mut *logits);
            match values {
                NumbersRef::Single(values) => {
                    isa.run(Forward { rows: Rows { values, width }, bias, lists, hidden, logits });
                }
                NumbersRef::Half(values) => {
                    isa.run(Forward { rows: Rows { values, width }, bias, lists, hidden, logits });
                }
            }
        }
    }

    /// Adds to the gradient of the hidden units, given the gradient of the logits.
    ///
    /// # Shapes
    /// gradient of the hidden units `[samples][units]`.
    ///
    /// # Panics
    /// As [`Moves::forward`].
    pub fn backward(self, isa: Isa, logits: &[f32], hidden_gradient: &mut [f32]) {
        for MoveRows { table: Table { values, width }, lists, .. } in self.0 {
            let (lists, width, gradient) = (*lists, *width, &mut *hidden_gradient);
            match values {
                NumbersRef::Single(values) => {
                    isa.run(Backward { rows: Rows { values, width }, lists, logits, gradient });
                }
                NumbersRef::Half(values) => {
                    isa.run(Backward { rows: Rows { values, width }, lists, logits, gradient });
                }
            }
        }
    }
}

struct Forward<'a, N> {
    rows: Rows<'a, N>,
    bias: &'a [f32],
    lists: Lists<'a>,
    hidden: &'a [f32],
    logits: &'a mut [f32],
}

impl<S: Simd, N: Number> Kernel<S> for Forward<'_, N> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { rows, bias, lists, hidden, logits } = self;
        let start = lists.offsets[0];
        for (sample, hidden) in hidden.chunks_exact(rows.width).enumerate() {
            let first = (lists.offsets[sample] - start) as usize;
            let list = lists.of(sample);
            for (number, &row) in list.iter().enumerate() {
                if let Some(&later) = list.get(number + AHEAD) {
                    rows.prefetch(later, 0..rows.width);
                }
                logits[first + number] +=
                    bias[row as usize] + dot(simd, rows.part(row, 0..rows.width), hidden);
            }
        }
    }
}

struct Backward<'a, N> {
    rows: Rows<'a, N>,
    lists: Lists<'a>,
    logits: &'a [f32],
    gradient: &'a mut [f32],
}

impl<S: Simd, N: Number> Kernel<S> for Backward<'_, N> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { rows, lists, logits, gradient } = self;
        let start = lists.offsets[0];
        for (sample, gradient) in gradient.chunks_exact_mut(rows.width).enumerate() {
            let first = (lists.offsets[sample] - start) as usize;
            for (number, &row) in lists.of(sample).iter().enumerate() {
                let factor = logits[first + number];
                if factor != 0.0 {
                    add_scaled(simd, gradient, factor, rows.part(row, 0..rows.width));
                }
            }
        }
    }
}
