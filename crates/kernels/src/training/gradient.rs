//! The gradient of a linear layer with respect to its weights.
//!
//! `result[tap][input][output] += sum over rows of input[row + tap][input] * gradient[row][output]`: a sum of outer products.
//! A block of inputs times columns stays in registers while the sum runs over the rows.

use crate::{
    product::{Rows, parts},
    simd::{Kernel, Lanes},
};

/// One sum of outer products.
pub(crate) struct WeightGradient<'a> {
    pub(crate) input: &'a [f32],
    pub(crate) input_rows: Rows,
    /// Distances of the taps from a row.
    pub(crate) taps: &'a [isize],
    /// Numbers of a row of the input that count.
    pub(crate) inputs: usize,
    pub(crate) gradient: &'a [f32],
    pub(crate) gradient_rows: Rows,
    /// Numbers of a row of the gradient, all of which count.
    pub(crate) outputs: usize,
    /// `[taps][inputs][outputs]`.
    pub(crate) result: &'a mut [f32],
    /// Groups of rows, and rows in each.
    pub(crate) size: (usize, usize),
}

impl WeightGradient<'_> {
    /// That everything that will be read and written is there.
    fn check(&self, lanes: usize) {
        let (groups, rows) = self.size;
        assert!(
            groups > 0 && rows > 0 && self.outputs.is_multiple_of(lanes),
            "an empty sum or a part of a vector"
        );
        let ahead = self.taps.iter().copied().max().unwrap_or(0).max(0) as usize;
        let behind = self.taps.iter().copied().min().unwrap_or(0).min(0).unsigned_abs();
        assert!(self.input_rows.first >= behind, "taps before the input");
        let last = self.input_rows.last(groups, rows) + ahead + self.inputs;
        assert!(last <= self.input.len(), "taps behind the input");
        let last = self.gradient_rows.last(groups, rows) + self.outputs;
        assert!(last <= self.gradient.len(), "rows behind the gradient");
        assert_eq!(self.result.len(), self.taps.len() * self.inputs * self.outputs, "another result");
    }

    #[inline(always)]
    fn part<S: Lanes<f32>, const COLUMNS: usize>(&mut self, simd: S, column: usize) {
        for tap in 0..self.taps.len() {
            let mut input = 0;
            while input < self.inputs {
                let place = (tap, input, column);
                input += match self.inputs - input {
                    8.. if S::ROWS >= 8 => self.block::<S, 8, COLUMNS>(simd, place),
                    4.. => self.block::<S, 4, COLUMNS>(simd, place),
                    2.. => self.block::<S, 2, COLUMNS>(simd, place),
                    _ => self.block::<S, 1, COLUMNS>(simd, place),
                };
            }
        }
    }

    /// `INPUTS` inputs times `COLUMNS` vectors; gives `INPUTS`.
    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "loops over constants that unroll; iterators of arrays do not always"
    )]
    fn block<S: Lanes<f32>, const INPUTS: usize, const COLUMNS: usize>(
        &mut self,
        simd: S,
        (tap, input, column): (usize, usize, usize),
    ) -> usize {
        let (groups, rows) = self.size;
        // SAFETY: `check` has seen that every row plus every tap lies in `input` with all inputs, every row in `gradient`
        // with all outputs, and that `result` has room for every tap, input and output.
        unsafe {
            let result = self.result.as_mut_ptr().add((tap * self.inputs + input) * self.outputs + column);
            let mut sums = [[simd.splat(0.0); COLUMNS]; INPUTS];
            for row in 0..INPUTS {
                for vector in 0..COLUMNS {
                    sums[row][vector] = simd.load(result.add(row * self.outputs + vector * S::LANES));
                }
            }
            for group in 0..groups {
                let mut from =
                    self.input.as_ptr().add(self.input_rows.at(group, 0) + input).offset(self.taps[tap]);
                let mut gradient = self.gradient.as_ptr().add(self.gradient_rows.at(group, 0) + column);
                for _ in 0..rows {
                    let mut vectors = [simd.load(gradient); COLUMNS];
                    for vector in 1..COLUMNS {
                        vectors[vector] = simd.load(gradient.add(vector * S::LANES));
                    }
                    for row in 0..INPUTS {
                        let value = simd.splat(*from.add(row));
                        for vector in 0..COLUMNS {
                            sums[row][vector] = simd.fma(value, vectors[vector], sums[row][vector]);
                        }
                    }
                    from = from.wrapping_add(self.input_rows.stride);
                    gradient = gradient.wrapping_add(self.gradient_rows.stride);
                }
            }
            for row in 0..INPUTS {
                for vector in 0..COLUMNS {
                    simd.store(result.add(row * self.outputs + vector * S::LANES), sums[row][vector]);
                }
            }
        }
        INPUTS
    }
}

impl<S: Lanes<f32>> Kernel<S> for WeightGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn call(mut self, simd: S) {
        self.check(S::LANES);
        let mut column = 0;
        for columns in parts(self.outputs / S::LANES, S::COLUMNS) {
            match columns {
                3 if S::COLUMNS >= 3 => self.part::<S, 3>(simd, column),
                2 if S::COLUMNS >= 2 => self.part::<S, 2>(simd, column),
                1 => self.part::<S, 1>(simd, column),
                other => unreachable!("no group has {other} vectors"),
            }
            column += columns * S::LANES;
        }
    }
}
