//! The gradient of a linear layer with respect to its weights.
//!
//! `result[tap][input][output] += sum over rows of input[row + tap][input] * gradient[row][output]`: a sum of outer products.
//! A block of inputs and columns of the result stays in registers during the loop over the rows. For elements that are
//! multiplied in groups, a group consists of rows: [`Interleave`] interleaves that number of neighbouring rows.
//!
//! The block is that of [`crate::gemm::Gemm`] with the roles exchanged: there the inner dimension is the inputs and the rows are
//! squares, here the inner dimension is the squares of all boards and the rows are inputs. A step of the innermost loop there
//! moves by one input; here both operands move by one row.
//!
//! A sum over boards that does not fit the caches is cut by the caller into calls with [`Start::Continued`], which load the block
//! of the result, add, and store it again: the order of addition is that of the calls, so callers must cut independently of the
//! number of threads.

use crate::{
    gemm::{Rows, parts},
    simd::{GradientLanes, Kernel, element::Element},
};

/// One sum of outer products.
pub(crate) struct WeightGradient<'a, E> {
    pub(crate) input: &'a [E],
    /// The rows, or groups of rows.
    pub(crate) input_rows: Rows,
    /// Offset of each tap from a row, in elements.
    pub(crate) taps: &'a [isize],
    /// Number of inputs in use in a row.
    pub(crate) inputs: usize,
    pub(crate) gradient: &'a [E],
    pub(crate) gradient_rows: Rows,
    /// Length of a row of the gradient, all of which is used.
    pub(crate) outputs: usize,
    /// `[taps][inputs][outputs]`.
    pub(crate) result: &'a mut [f32],
    pub(crate) start: Start,
    /// Number of groups of rows, and of rows in each group.
    pub(crate) size: (usize, usize),
}

impl<E: Element<Weight = E, Sum = f32>> WeightGradient<'_, E> {
    /// Asserts that all reads and writes will be in bounds.
    fn check(&self, lanes: usize) {
        let (groups, rows) = self.size;
        assert!(
            groups > 0 && rows > 0 && self.outputs.is_multiple_of(lanes),
            "an empty sum or a part of a vector"
        );
        self.input_rows.check(self.size, self.taps, self.inputs * E::GROUP, self.input.len());
        self.gradient_rows.check(self.size, &[0], self.outputs * E::GROUP, self.gradient.len());
        assert_eq!(self.result.len(), self.taps.len() * self.inputs * self.outputs, "another result");
    }

    #[inline(always)]
    fn part<S: GradientLanes<E>, const COLUMNS: usize>(&mut self, simd: S, column: usize) {
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

    /// Computes `INPUTS` inputs of `COLUMNS` vectors; returns `INPUTS`.
    #[inline(always)]
    fn block<S: GradientLanes<E>, const INPUTS: usize, const COLUMNS: usize>(
        &mut self,
        simd: S,
        (tap, input, column): (usize, usize, usize),
    ) -> usize {
        let (groups, rows) = self.size;
        // SAFETY: `check` has found that every row plus every tap lies in `input` with all inputs, every row in
        // `gradient` with all outputs, and that `result` has room for every tap, input and output.
        unsafe {
            let result = self.result.as_mut_ptr().add((tap * self.inputs + input) * self.outputs + column);
            // `Start::Fresh` begins with zeros in registers: the result needs no clearing, which would be a pass over memory of
            // its own.
            let mut sums = [[simd.no_sums(); COLUMNS]; INPUTS];
            if self.start == Start::Continued {
                for row in 0..INPUTS {
                    for vector in 0..COLUMNS {
                        sums[row][vector] = simd.load(result.add(row * self.outputs + vector * S::LANES));
                    }
                }
            }
            for group in 0..groups {
                let at = self.input_rows.at(group, 0) + input * E::GROUP;
                let mut from = self.input.as_ptr().add(at).offset(self.taps[tap]);
                let at = self.gradient_rows.at(group, 0) + column * E::GROUP;
                let mut gradient = self.gradient.as_ptr().add(at);
                for _ in 0..rows {
                    let mut vectors = [simd.load_weights(gradient); COLUMNS];
                    for vector in 1..COLUMNS {
                        vectors[vector] = simd.load_weights(gradient.add(vector * S::LANES * E::GROUP));
                    }
                    for row in 0..INPUTS {
                        for vector in 0..COLUMNS {
                            sums[row][vector] =
                                simd.dot(sums[row][vector], from.add(row * E::GROUP), vectors[vector]);
                        }
                    }
                    // Wrapping, because after the last row both pointers may lie beyond one past the end of their slices, where
                    // `add` is undefined behaviour even if nothing is read.
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

impl<E: Element<Weight = E, Sum = f32>, S: GradientLanes<E>> Kernel<S> for WeightGradient<'_, E> {
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

/// Interleaves each element of a row with those of the next rows in memory, as many as a group of elements has, in blocks of columns:
/// `[columns][group]` for each row.
pub(crate) struct Interleave<'a, E> {
    pub(crate) input: &'a [E],
    /// The first row of each group.
    pub(crate) rows: Rows,
    pub(crate) size: (usize, usize),
    /// Length of a row.
    pub(crate) width: usize,
    /// Elements from a row to the next one in memory.
    pub(crate) stride: usize,
    pub(crate) output: &'a mut [E],
    /// Destination of each row of the first block.
    pub(crate) output_rows: Rows,
    /// Number of columns in a block, and the distance to the next block.
    pub(crate) columns: (usize, usize),
}

impl<E: Element<Weight = E, Sum = f32>, S: GradientLanes<E>> Kernel<S> for Interleave<'_, E> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self {
            input,
            rows,
            size: (groups, count),
            width,
            stride: in_stride,
            output,
            output_rows,
            columns,
        } = self;
        let (columns, stride) = columns;
        assert!(groups > 0 && count > 0 && columns.is_multiple_of(S::LANES), "whole vectors");
        assert!(width > 0 && width.is_multiple_of(columns), "whole blocks");
        rows.check((groups, count), &[0], (E::GROUP - 1) * in_stride + width, input.len());
        let room = output.len().saturating_sub((width / columns - 1) * stride);
        output_rows.check((groups, count), &[0], E::GROUP * columns, room);
        for group in 0..groups {
            for row in 0..count {
                let (from, to) = (rows.at(group, row), output_rows.at(group, row));
                for column in (0..width).step_by(S::LANES) {
                    let to = to + column / columns * stride + column % columns * E::GROUP;
                    // SAFETY: by the assertions, the rows of every group are in `input` and have room in `output`.
                    unsafe {
                        let from = input.as_ptr().add(from + column);
                        simd.interleave(from, in_stride, output.as_mut_ptr().add(to));
                    }
                }
            }
        }
    }
}

/// The value to which the first terms of a sum are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Overwrite: the memory counts as zero.
    Fresh,
    /// The sums already stored there.
    Continued,
}

impl Start {
    /// Overwrites the sums with `terms`, or adds `terms` to them.
    pub(crate) fn add(self, sums: &mut [f32], terms: &[f32]) {
        match self {
            Self::Fresh => sums.copy_from_slice(terms),
            Self::Continued => sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term),
        }
    }
}
