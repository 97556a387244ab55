//! Sums of rows, and gradients back to them.

use super::{Lists, Table, run, vectors::prefetch};
use crate::{
    Isa,
    simd::{Kernel, Simd},
};

/// Numbers of a cache line.
const LINE: usize = 16;
/// Rows ahead of the one in use that are asked for.
const AHEAD: usize = 4;

/// Adds the rows of each sample to a bias.
///
/// # Shapes
/// bias `[width]`, sums `[samples][width]`.
///
/// # Panics
/// If a list names a row that the table lacks, or a shape does not fit.
pub fn accumulate(isa: Isa, table: Table<'_>, bias: &[f32], lists: Lists<'_>, sums: &mut [f32]) {
    assert!(bias.len() == table.width && sums.len() == lists.len() * table.width, "sums of whole rows");
    run(isa, Accumulate { table, bias, lists, sums });
}

struct Accumulate<'a> {
    table: Table<'a>,
    bias: &'a [f32],
    lists: Lists<'a>,
    sums: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Accumulate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { table, bias, lists, sums } = self;
        for (sample, sums) in sums.chunks_exact_mut(table.width).enumerate() {
            let list = lists.of(sample);
            let mut column = 0;
            while column < table.width {
                let left = (table.width - column) / S::LANES;
                column += match left {
                    16.. if S::LANES == 16 => add_rows::<S, 16>(simd, table, list, column, (bias, sums)),
                    8.. => add_rows::<S, 8>(simd, table, list, column, (bias, sums)),
                    1.. => add_rows::<S, 1>(simd, table, list, column, (bias, sums)),
                    0 => add_numbers(table, list, column, (bias, sums)),
                };
            }
        }
    }
}

/// Sums of some columns that stay in registers; gives their number.
#[inline(always)]
fn add_rows<S: Simd, const VECTORS: usize>(
    simd: S,
    table: Table<'_>,
    list: &[u32],
    column: usize,
    (bias, sums): (&[f32], &mut [f32]),
) -> usize {
    let columns = VECTORS * S::LANES;
    let (bias, sums) = (&bias[column..column + columns], &mut sums[column..column + columns]);
    let mut added = [simd.splat(0.0); VECTORS];
    for (vector, sum) in added.iter_mut().enumerate() {
        // SAFETY: a vector of the columns.
        *sum = unsafe { simd.load(bias.as_ptr().add(vector * S::LANES)) };
    }
    for (number, &row) in list.iter().enumerate() {
        if let Some(&later) = list.get(number + AHEAD) {
            let at = later as usize * table.width + column;
            for line in (0..columns).step_by(LINE) {
                prefetch(table.values, at + line);
            }
        }
        let row = &table.values[row as usize * table.width + column..][..columns];
        for (vector, sum) in added.iter_mut().enumerate() {
            // SAFETY: a vector of the columns.
            *sum = simd.add(*sum, unsafe { simd.load(row.as_ptr().add(vector * S::LANES)) });
        }
    }
    for (vector, sum) in added.into_iter().enumerate() {
        // SAFETY: a vector of the columns.
        unsafe { simd.store(sums.as_mut_ptr().add(vector * S::LANES), sum) };
    }
    columns
}

/// The columns that fill no vector.
#[inline(always)]
fn add_numbers(table: Table<'_>, list: &[u32], column: usize, (bias, sums): (&[f32], &mut [f32])) -> usize {
    let columns = table.width - column;
    sums[column..].copy_from_slice(&bias[column..]);
    for &row in list {
        let row = &table.values[row as usize * table.width + column..][..columns];
        for (sum, value) in sums[column..].iter_mut().zip(row) {
            *sum += value;
        }
    }
    columns
}

/// Columns of a table whose gradients are worked on together: those of as many rows as positions usually have stay in the cache
/// of the second level.
const COLUMNS: usize = 64;

/// Columns of the blocks into which a table of this width is cut: the largest number up to 64 that divides it.
pub fn block_columns(width: usize) -> usize {
    (1..=COLUMNS.min(width)).rev().find(|columns| width.is_multiple_of(*columns)).unwrap_or(1)
}

/// Some columns of the gradient of a table.
#[derive(Debug)]
pub struct Block<'a> {
    /// `[rows][columns]`.
    pub values: &'a mut [f32],
    /// The first of the columns in the table.
    pub first: usize,
    /// Their number, as [`block_columns`] gives it.
    pub columns: usize,
}

/// What goes to which rows.
#[derive(Clone, Copy, Debug)]
pub struct Scatter<'a> {
    /// The gradient of each sample, `[samples][width]`.
    pub gradients: Table<'a>,
    /// The rows that it goes to.
    pub lists: Lists<'a>,
    /// What it is multiplied by for each row, aligned with the lists; 1 where there is none.
    pub factors: Option<&'a [f32]>,
}

/// Adds the gradients of samples to rows, for the columns of a block.
///
/// # Panics
/// If a list names a row that the block lacks, or a shape does not fit.
pub fn scatter(isa: Isa, from: Scatter<'_>, block: Block<'_>) {
    assert!(block.first + block.columns <= from.gradients.width, "columns of the table");
    assert!(
        from.factors.is_none_or(|factors| factors.len() == from.lists.rows.len()),
        "a factor for each row"
    );
    run(isa, ScatterColumns { from, block });
}

struct ScatterColumns<'a> {
    from: Scatter<'a>,
    block: Block<'a>,
}

impl<S: Simd> Kernel<S> for ScatterColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { from, block } = self;
        match block.columns / S::LANES {
            8 if block.columns == 8 * S::LANES => scatter_vectors::<S, 8>(simd, from, block),
            4 if block.columns == 4 * S::LANES => scatter_vectors::<S, 4>(simd, from, block),
            2 if block.columns == 2 * S::LANES => scatter_vectors::<S, 2>(simd, from, block),
            1 if block.columns == S::LANES => scatter_vectors::<S, 1>(simd, from, block),
            _ => scatter_numbers(from, block),
        }
    }
}

#[inline(always)]
fn scatter_vectors<S: Simd, const VECTORS: usize>(simd: S, from: Scatter<'_>, block: Block<'_>) {
    let Block { values, first, columns } = block;
    let Scatter { gradients, lists, factors } = from;
    for sample in 0..lists.len() {
        let gradient = &gradients.values[sample * gradients.width + first..][..columns];
        let mut terms = [simd.splat(0.0); VECTORS];
        for (vector, term) in terms.iter_mut().enumerate() {
            // SAFETY: a vector of the columns.
            *term = unsafe { simd.load(gradient.as_ptr().add(vector * S::LANES)) };
        }
        let start = lists.offsets[sample] as usize;
        let list = lists.of(sample);
        for (number, &row) in list.iter().enumerate() {
            if let Some(&later) = list.get(number + AHEAD) {
                let at = later as usize * columns;
                for line in (0..columns).step_by(LINE) {
                    prefetch(values, at + line);
                }
            }
            let row = &mut values[row as usize * columns..][..columns];
            let factor = match factors {
                Some(factors) => factors[start + number],
                None => 1.0,
            };
            if factor == 0.0 {
                continue;
            }
            let factor = simd.splat(factor);
            for (vector, term) in terms.iter().enumerate() {
                // SAFETY: a vector of the columns.
                unsafe {
                    let place = row.as_mut_ptr().add(vector * S::LANES);
                    simd.store(place, simd.fma(*term, factor, simd.load(place)));
                }
            }
        }
    }
}

#[inline(always)]
fn scatter_numbers(from: Scatter<'_>, block: Block<'_>) {
    let Block { values, first, columns } = block;
    let Scatter { gradients, lists, factors } = from;
    for sample in 0..lists.len() {
        let gradient = &gradients.values[sample * gradients.width + first..][..columns];
        let start = lists.offsets[sample] as usize;
        for (number, &row) in lists.of(sample).iter().enumerate() {
            let factor = factors.map_or(1.0, |factors| factors[start + number]);
            for (value, gradient) in values[row as usize * columns..][..columns].iter_mut().zip(gradient) {
                *value += factor * gradient;
            }
        }
    }
}
