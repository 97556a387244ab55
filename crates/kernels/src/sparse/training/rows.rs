//! Sums of rows, and the gradients of the rows.
//!
//! Forward, a sample gathers the rows of its features: every thread has samples of its own. Backward, the gradient of a row is
//! the sum over the samples that read it. Scattering from samples to rows would need atomic additions or a copy of the table for
//! each thread, and would add in the order of the threads. So the relation is inverted first ([`Readers`], a counting sort), and
//! a row gathers from its samples in ascending order: one thread owns a row, no two write the same number, and the sum does not
//! depend on how the rows are shared out.
//!
//! The combined speedup of the changes to these sums is in `docs/experiments/training-kernel-changes.md`.

use std::ops::Range;

use super::{
    Lists, NumbersRef, Table,
    numbers::{Number, Rows},
};
use crate::{
    Isa,
    simd::{Kernel, Simd},
};

/// Prefetch distance, in rows. With 6 moves and 8 rows training is a tenth faster than without; shorter distances bring less
/// (docs/experiments/prefetch-distance.md).
const AHEAD: usize = 8;

/// Adds the rows of each sample to a bias.
///
/// # Shapes
/// bias `[width]`, sums `[samples][width]`.
///
/// # Panics
/// If a list names a row that is not in the table, or a shape does not fit.
pub fn accumulate(isa: Isa, table: Table<'_>, bias: &[f32], lists: Lists<'_>, sums: &mut [f32]) {
    let width = table.width;
    assert!(bias.len() == width && sums.len() == lists.len() * width, "sums of whole rows");
    match table.values {
        NumbersRef::Single(values) => {
            isa.run(Accumulate { rows: Rows { values, width }, bias, lists, sums });
        }
        NumbersRef::Half(values) => {
            isa.run_on_halves(Accumulate { rows: Rows { values, width }, bias, lists, sums });
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
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { rows, bias, lists, sums } = self;
        for (sample, sums) in sums.chunks_exact_mut(rows.width).enumerate() {
            sums.copy_from_slice(bias);
            add_list(simd, rows, lists.of(sample), None, sums);
        }
    }
}

/// For each row of a table, the samples that read it: the inverse of the lists of samples.
#[derive(Clone, Debug, Default)]
pub struct Readers {
    /// Start of each row's readers, and the end of the last one's, `[rows + 1]`.
    offsets: Vec<u32>,
    /// The samples of each row, in ascending order.
    samples: Vec<u32>,
    /// The position of each entry of `samples` in the lists of the samples, if positions were requested.
    places: Vec<u32>,
}

impl Readers {
    /// Lists the readers of each row.
    ///
    /// # Panics
    /// If a list names a row beyond `rows`.
    pub fn find(&mut self, lists: Lists<'_>, rows: usize) {
        self.places.clear();
        self.list(lists, rows, |_, _| ());
    }

    /// Lists the readers of each row, with their positions in the lists of the samples, as [`Gather::factors`]
    /// requires.
    ///
    /// # Panics
    /// As [`Readers::find`].
    pub fn find_places(&mut self, lists: Lists<'_>, rows: usize) {
        let mut places = std::mem::take(&mut self.places);
        places.resize((lists.offsets[lists.len()] - lists.offsets[0]) as usize, 0);
        self.list(lists, rows, |reader, place| places[reader] = place);
        self.places = places;
    }

    /// Lists the readers of each row; calls `each` with the index of every reader and its position in the lists of the
    /// samples.
    #[inline(always)]
    fn list(&mut self, lists: Lists<'_>, rows: usize, mut each: impl FnMut(usize, u32)) {
        let Self { offsets, samples, .. } = self;
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
        // While its readers are written, each row's offset moves to its end, where the next row's readers start.
        for sample in 0..lists.len() {
            let start = lists.offsets[sample];
            for (number, row) in lists.of(sample).iter().enumerate() {
                let reader = &mut offsets[*row as usize];
                samples[*reader as usize] = sample as u32;
                each(*reader as usize, start + number as u32);
                *reader += 1;
            }
        }
        // Each offset has moved to the start of the next row: shifting by one entry restores the table without a second array of
        // cursors.
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

/// The gradients of samples, to be summed for the rows that the samples read.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// The gradient of each sample, `[samples][width]`.
    pub gradients: Table<'a>,
    /// The readers of each row.
    pub readers: &'a Readers,
    /// Factors that multiply a gradient, one for each position in the lists of the samples, for readers listed by
    /// [`Readers::find_places`]. Without factors, 1.
    pub factors: Option<&'a [f32]>,
}

/// Sums, for a range of rows, the gradients of the samples that read them, in the order of the samples. Rows that no sample
/// reads are left unchanged.
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
            isa.run_on_halves(GatherRows { gradients: Rows { values, width }, readers, factors, rows, sums });
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

/// The number of readers from which on a row is summed block by block.
const MANY_READERS: usize = 256;

/// Number of gradient values in a block of samples: in 16 bits, half of a core's L2 cache.
const BLOCK: usize = 1 << 18;

impl<S: Simd, N: Number> Kernel<S> for GatherRows<'_, N> {
    /// 1. Rows with few readers are summed one after another.
    /// 2. Rows with many readers would each read most samples from a distant cache or memory. They are summed together, one block
    ///    of samples at a time, which stays in a near cache. Each sum is still accumulated in the order of the samples.
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { gradients, readers, factors, rows, sums } = self;
        let width = gradients.width;
        let mut frequent = Vec::new();
        for (row, sums) in rows.zip(sums.chunks_exact_mut(width)) {
            let range = readers.range(row);
            if range.is_empty() {
                continue;
            }
            sums.fill(0.0);
            if range.len() < MANY_READERS {
                let factors = factors.map(|factors| (factors, &readers.places[range.clone()]));
                add_list(simd, gradients, &readers.samples[range], factors, sums);
            } else {
                frequent.push((range, sums));
            }
        }
        let block = (BLOCK / width).max(1) as u32;
        let mut end = 0;
        while frequent.iter().any(|(range, _)| !range.is_empty()) {
            end += block;
            for (range, sums) in &mut frequent {
                let left = &readers.samples[range.clone()];
                let count = left.iter().take_while(|sample| **sample < end).count();
                let now = range.start..range.start + count;
                range.start = now.end;
                let factors = factors.map(|factors| (factors, &readers.places[now.clone()]));
                add_list(simd, gradients, &readers.samples[now], factors, sums);
            }
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
        let left = (rows.width - column) / (2 * S::LANES);
        column += match left {
            // Sixteen sums leave room for the terms in the 32 registers of AVX-512; they would take all 16 registers of
            // AVX2.
            8.. if S::LANES == 16 => add_pairs::<S, N, 8>(simd, rows, list, factors, (column, sums)),
            4.. => add_pairs::<S, N, 4>(simd, rows, list, factors, (column, sums)),
            1.. => add_pairs::<S, N, 1>(simd, rows, list, factors, (column, sums)),
            0 => add_numbers(rows, list, factors, (column, sums)),
        };
    }
}

/// Adds `PAIRS` pairs of vectors of columns, whose sums stay in registers; returns the number of columns.
#[inline(always)]
fn add_pairs<S: Simd, N: Number, const PAIRS: usize>(
    simd: S,
    rows: Rows<'_, N>,
    list: &[u32],
    factors: Option<(&[f32], &[u32])>,
    (column, sums): (usize, &mut [f32]),
) -> usize {
    let columns = column..column + 2 * PAIRS * S::LANES;
    let sums = &mut sums[columns.clone()];
    let mut added = [[simd.splat(0.0); 2]; PAIRS];
    for (pair, sum) in added.iter_mut().enumerate() {
        // SAFETY: two vectors of the `2 * PAIRS * LANES` columns, the length of `sums`.
        *sum = unsafe { N::load_sums(simd, sums.as_ptr().add(2 * pair * S::LANES)) };
    }
    for (number, &row) in list.iter().enumerate() {
        if let Some(&later) = list.get(number + AHEAD) {
            rows.prefetch(later, columns.clone());
        }
        let row = rows.part(row, columns.clone());
        match factors {
            None => {
                for (pair, sums) in added.iter_mut().enumerate() {
                    // SAFETY: as above, of `row`, which is as long.
                    *sums = unsafe { N::add_two(simd, *sums, row.as_ptr().add(2 * pair * S::LANES)) };
                }
            }
            Some((factors, places)) => {
                let factor = factors[places[number] as usize];
                // Most legal moves of a trained network have almost no gradient, and those of samples with zero weight have
                // none.
                if factor == 0.0 {
                    continue;
                }
                let factor = simd.splat(factor);
                for (pair, [even, odd]) in added.iter_mut().enumerate() {
                    // SAFETY: as above, of `row`, which is as long.
                    let terms = unsafe { N::load_two(simd, row.as_ptr().add(2 * pair * S::LANES)) };
                    (*even, *odd) = (simd.fma(terms[0], factor, *even), simd.fma(terms[1], factor, *odd));
                }
            }
        }
    }
    for (pair, sum) in added.into_iter().enumerate() {
        // SAFETY: as for the loads above.
        unsafe { N::store_sums(simd, sums.as_mut_ptr().add(2 * pair * S::LANES), sum) };
    }
    columns.len()
}

/// Adds the remaining columns that do not fill two vectors, and tables with a single column.
#[inline(always)]
fn add_numbers<N: Number>(
    rows: Rows<'_, N>,
    list: &[u32],
    factors: Option<(&[f32], &[u32])>,
    (column, sums): (usize, &mut [f32]),
) -> usize {
    let columns = column..rows.width;
    for (column, sum) in columns.clone().zip(&mut sums[columns.clone()]) {
        let values = &rows.values[column..];
        match factors {
            None => list.iter().for_each(|row| *sum += values[*row as usize * rows.width].to_f32()),
            Some((factors, places)) => {
                for (row, place) in list.iter().zip(places) {
                    *sum += factors[*place as usize] * values[*row as usize * rows.width].to_f32();
                }
            }
        }
    }
    columns.len()
}
