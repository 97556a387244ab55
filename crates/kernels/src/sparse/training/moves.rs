//! Logits of legal moves: dot products of hidden units with rows of weights.

use super::{
    Lists, Table, run,
    vectors::{add_scaled, dot, prefetch},
};
use crate::{
    Isa,
    simd::{Kernel, Simd},
};

/// Moves ahead of the one in use whose rows are asked for.
const AHEAD: usize = 3;

/// A table of rows of moves, and what is added to the logit of each.
#[derive(Clone, Copy, Debug)]
pub struct MoveRows<'a> {
    /// `[rows][units]`.
    pub table: Table<'a>,
    /// `[rows]`.
    pub bias: &'a [f32],
    /// The row of each legal move.
    pub lists: Lists<'a>,
}

/// Tables of rows of moves; the logit of a move is the sum over them.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a>(pub &'a [MoveRows<'a>]);

impl Moves<'_> {
    /// The logits of the legal moves of samples, one sample after another; the first begins at 0 whatever the lists begin with.
    ///
    /// # Shapes
    /// hidden `[samples][units]`.
    ///
    /// # Panics
    /// If a shape does not fit, or a list names a row that its table lacks.
    pub fn forward(self, isa: Isa, hidden: &[f32], logits: &mut [f32]) {
        run(isa, Forward { moves: self, hidden, logits });
    }

    /// Adds to the gradient of the hidden units, from that of the logits.
    ///
    /// # Shapes
    /// gradient of the hidden units `[samples][units]`.
    ///
    /// # Panics
    /// As [`Moves::forward`].
    pub fn backward(self, isa: Isa, logits: &[f32], hidden_gradient: &mut [f32]) {
        run(isa, Backward { moves: self, logits, hidden_gradient });
    }
}

struct Forward<'a> {
    moves: Moves<'a>,
    hidden: &'a [f32],
    logits: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { moves: Moves(tables), hidden, logits } = self;
        logits.fill(0.0);
        for MoveRows { table, bias, lists } in tables {
            let start = lists.offsets[0];
            for (sample, hidden) in hidden.chunks_exact(table.width).enumerate() {
                let first = (lists.offsets[sample] - start) as usize;
                let list = lists.of(sample);
                for (number, &row) in list.iter().enumerate() {
                    ask(*table, list.get(number + AHEAD));
                    let weights = &table.values[row as usize * table.width..][..table.width];
                    logits[first + number] += bias[row as usize] + dot(simd, weights, hidden);
                }
            }
        }
    }
}

struct Backward<'a> {
    moves: Moves<'a>,
    logits: &'a [f32],
    hidden_gradient: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { moves: Moves(tables), logits, hidden_gradient } = self;
        for MoveRows { table, lists, .. } in tables {
            let start = lists.offsets[0];
            for (sample, gradient) in hidden_gradient.chunks_exact_mut(table.width).enumerate() {
                let first = (lists.offsets[sample] - start) as usize;
                for (number, &row) in lists.of(sample).iter().enumerate() {
                    let factor = logits[first + number];
                    if factor != 0.0 {
                        let weights = &table.values[row as usize * table.width..][..table.width];
                        add_scaled(simd, gradient, factor, weights);
                    }
                }
            }
        }
    }
}

/// Asks for a whole row.
#[inline(always)]
fn ask(table: Table<'_>, row: Option<&u32>) {
    const LINE: usize = 16;
    if let Some(&row) = row {
        for at in (0..table.width).step_by(LINE) {
            prefetch(table.values, row as usize * table.width + at);
        }
    }
}
