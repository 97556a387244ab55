//! Sums of rows, and gradients back to them.

use std::ops::Range;

use super::{
    Lists, NumbersRef, Table,
    numbers::{Number, Rows},
};
use crate::{
    Isa,
    simd::{Kernel, Simd},
};

/// Prefetch distance, in rows.
const AHEAD: usize = 4;

/// Adds the rows of each sample to a bias.
///
/// # Shapes
/// bias `[width]`, sums `[samples][width]`.
///
/// # Panics
/// If a list names a row that the table lacks, or a shape does not fit.
pub fn accumulate(isa: Isa, table: Table<'_>, bias: &[f32], lists: Lists<'_>, sums: &mut [f32]) {
    let width = table.width;
    assert!(bias.len() == width && sums.len() == lists.len() * width, "sums of whole rows");
    match table.values {
        NumbersRef::Single(values) => {
            isa.run(Accumulate { rows: Rows { values, width }, bias, lists, sums });
        }
        NumbersRef::Half(values) => {
            isa.run(Accumulate { rows: Rows { values, width }, bias, lists, sums });
        }
    }
}

struct Accumulate<'a, N> {
    rows: Rows<'a, N>,
    bias: &'a [f32],
    lists: Lists<'a>,
    sums: &'a mut [f32],
}

impl<S: Simd, N: Number> Kernel<S> for Accumulate<'_, N> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { rows, bias, lists, sums } = self;
        for (sample, sums) in sums.chunks_exact_mut(rows.width).enumerate() {
            sums.copy_from_slice(bias);
            add_list(simd, rows, lists.of(sample), None, sums);
        }
    }
}

/// For each row of a table the samples that read it: the inverse of the lists of samples.
#[derive(Clone, Debug, Default)]
pub struct Readers {
    /// Start of each row's readers, and the end of the last one's, `[rows + 1]`.
    offsets: Vec<u32>,
    /// The samples of each row, in ascending order.
    samples: Vec<u32>,
    /// The places of the same in the lists of the samples.
    places: Vec<u32>,
}

impl Readers {
    /// Lists the readers of each row.
    ///
    /// # Panics
    /// If a list names a row beyond `rows`.
    pub fn find(&mut self, lists: Lists<'_>, rows: usize) {
        let Self { offsets, samples, places } = self;
        let (first, last) = (lists.offsets[0] as usize, lists.offsets[lists.len()] as usize);
        offsets.clear();
        offsets.resize(rows + 1, 0);
        for row in &lists.rows[first..last] {
            offsets[*row as usize + 1] += 1;
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        samples.resize(last - first, 0);
        places.resize(last - first, 0);
        // Each row's offset moves to its end while its readers are written, which is where the next row's readers start.
        for sample in 0..lists.len() {
            let start = lists.offsets[sample];
            for (number, row) in lists.of(sample).iter().enumerate() {
                let place = &mut offsets[*row as usize];
                samples[*place as usize] = sample as u32;
                places[*place as usize] = start + number as u32;
                *place += 1;
            }
        }
        offsets.copy_within(0..rows, 1);
        offsets[0] = 0;
    }

    /// True if any sample reads a row.
    pub fn is_read(&self, row: usize) -> bool {
        self.offsets[row] < self.offsets[row + 1]
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }
}

/// Gradients of samples on their way to the rows that the samples read.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// The gradient of each sample, `[samples][width]`.
    pub gradients: Table<'a>,
    /// The readers of each row.
    pub readers: &'a Readers,
    /// Numbers that a gradient is multiplied by for each place in the lists of the samples; 1 without them.
    pub factors: Option<&'a [f32]>,
}

/// Sums for some rows the gradients of the samples that read them, in the order of the samples. Rows that none reads are left as
/// they are.
///
/// # Shapes
/// sums `[rows][width]`.
///
/// # Panics
/// If a shape does not fit.
pub fn gather(isa: Isa, from: Gather<'_>, rows: Range<usize>, sums: &mut [f32]) {
    let width = from.gradients.width;
    assert!(sums.len() == rows.len() * width, "a sum for each row");
    let Gather { readers, factors, .. } = from;
    match from.gradients.values {
        NumbersRef::Single(values) => {
            isa.run(GatherRows { gradients: Rows { values, width }, readers, factors, rows, sums });
        }
        NumbersRef::Half(values) => {
            isa.run(GatherRows { gradients: Rows { values, width }, readers, factors, rows, sums });
        }
    }
}

struct GatherRows<'a, N> {
    gradients: Rows<'a, N>,
    readers: &'a Readers,
    factors: Option<&'a [f32]>,
    rows: Range<usize>,
    sums: &'a mut [f32],
}

impl<S: Simd, N: Number> Kernel<S> for GatherRows<'_, N> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { gradients, readers, factors, rows, sums } = self;
        for (row, sums) in rows.zip(sums.chunks_exact_mut(gradients.width)) {
            let range = readers.range(row);
            if range.is_empty() {
                continue;
            }
            sums.fill(0.0);
            let factors = factors.map(|factors| (factors, &readers.places[range.clone()]));
            add_list(simd, gradients, &readers.samples[range], factors, sums);
        }
    }
}

/// Adds rows to sums, each multiplied by its factor if factors are given.
#[inline(always)]
fn add_list<S: Simd, N: Number>(
    simd: S,
    rows: Rows<'_, N>,
    list: &[u32],
    factors: Option<(&[f32], &[u32])>,
    sums: &mut [f32],
) {
    let mut column = 0;
    while column < rows.width {
        let left = (rows.width - column) / S::LANES;
        column += match left {
            // Sixteen sums leave room for terms among the 32 registers of AVX-512; of the 16 of AVX2 they would take
            // all.
            16.. if S::LANES == 16 => add_vectors::<S, N, 16>(simd, rows, list, factors, (column, sums)),
            8.. => add_vectors::<S, N, 8>(simd, rows, list, factors, (column, sums)),
            1.. => add_vectors::<S, N, 1>(simd, rows, list, factors, (column, sums)),
            0 => add_numbers(rows, list, factors, (column, sums)),
        };
    }
}

/// Adds some columns, whose sums stay in registers; returns their number.
#[inline(always)]
fn add_vectors<S: Simd, N: Number, const VECTORS: usize>(
    simd: S,
    rows: Rows<'_, N>,
    list: &[u32],
    factors: Option<(&[f32], &[u32])>,
    (column, sums): (usize, &mut [f32]),
) -> usize {
    let columns = column..column + VECTORS * S::LANES;
    let sums = &mut sums[columns.clone()];
    let mut added = [simd.splat(0.0); VECTORS];
    for (vector, sum) in added.iter_mut().enumerate() {
        // SAFETY: a vector of the columns.
        *sum = unsafe { simd.load(sums.as_ptr().add(vector * S::LANES)) };
    }
    for (number, &row) in list.iter().enumerate() {
        if let Some(&later) = list.get(number + AHEAD) {
            rows.prefetch(later, columns.clone());
        }
        let row = rows.part(row, columns.clone());
        match factors {
            None => {
                for (vector, sum) in added.iter_mut().enumerate() {
                    // SAFETY: a vector of the columns.
                    *sum = simd.add(*sum, unsafe { N::load(simd, row.as_ptr().add(vector * S::LANES)) });
                }
            }
            Some((factors, places)) => {
                let factor = factors[places[number] as usize];
                // Most legal moves of a trained network have next to no gradient, and those of samples without weight none.
                if factor == 0.0 {
                    continue;
                }
                let factor = simd.splat(factor);
                for (vector, sum) in added.iter_mut().enumerate() {
                    // SAFETY: a vector of the columns.
                    let term = unsafe { N::load(simd, row.as_ptr().add(vector * S::LANES)) };
                    *sum = simd.fma(term, factor, *sum);
                }
            }
        }
    }
    for (vector, sum) in added.into_iter().enumerate() {
        // SAFETY: a vector of the columns.
        unsafe { simd.store(sums.as_mut_ptr().add(vector * S::LANES), sum) };
    }
    columns.len()
}

/// The columns that fill no vector.
#[inline(always)]
fn add_numbers<N: Number>(
    rows: Rows<'_, N>,
    list: &[u32],
    factors: Option<(&[f32], &[u32])>,
    (column, sums): (usize, &mut [f32]),
) -> usize {
    let columns = column..rows.width;
    for (number, &row) in list.iter().enumerate() {
        let factor = match factors {
            Some((factors, places)) => factors[places[number] as usize],
            None => 1.0,
        };
        for (sum, value) in sums[columns.clone()].iter_mut().zip(rows.part(row, columns.clone())) {
            *sum += factor * value.to_f32();
        }
    }
    columns.len()
}
